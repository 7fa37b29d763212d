"""Rows of this process on their way into a table, without Spark and without a JVM."""
