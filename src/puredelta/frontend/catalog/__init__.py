"""Names: what Spark sees of a table, and how it is created under a name."""
