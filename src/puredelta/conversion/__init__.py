"""Data files that are there become a table in place: without Spark, which may help with many."""
