"""ALTER TABLE: one module a kind of change."""
