"""Changes of rows that are there: what DELETE, UPDATE and MERGE have in common."""
