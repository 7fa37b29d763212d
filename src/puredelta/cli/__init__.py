"""The command line; may know everything below it, and needs no Spark but for what it reports."""
