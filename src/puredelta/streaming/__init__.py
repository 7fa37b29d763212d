"""What a stream over a table reads next, and what stops it; knows the log, and nothing of Spark."""
