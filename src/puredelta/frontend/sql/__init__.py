"""Delta statements: how they are read, and what runs them."""
