"""Which files and rows of a table a change concerns."""
