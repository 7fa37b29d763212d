"""CONVERT TO DELTA in a session: what Spark and its catalog know besides the files."""
