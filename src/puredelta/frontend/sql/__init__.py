"""Delta statements: the grammar, and what runs them."""
