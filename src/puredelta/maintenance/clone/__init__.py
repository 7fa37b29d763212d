"""SHALLOW CLONE: a new table whose files are those of another one, none of which is copied."""
