"""What Spark's streaming queries ask of us."""
