"""Spark's expressions and plans: read, resolved, built."""
