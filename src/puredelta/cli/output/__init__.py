"""What a command prints: rows in each format, tables that fit the terminal, colours, the pager."""
