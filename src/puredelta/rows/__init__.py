"""The rows of a table read by Arrow, without Spark and without a JVM."""
