"""What we ask of Spark's streaming queries."""
