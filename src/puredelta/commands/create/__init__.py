"""CREATE TABLE, and the first rows of a table."""
