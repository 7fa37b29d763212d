"""REORG TABLE: rewrite files without changing the rows of the table."""
