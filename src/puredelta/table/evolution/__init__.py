"""How a table's schema meets other columns: matched, merged, grown; over our own types, pure."""
