"""Delta's own statements: one module each, listed in `registry`."""
