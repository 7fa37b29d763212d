"""Finds the files that can contain rows for which a condition is true, from the log alone.

May know the log and the schema; knows nothing of Spark: conditions come in as values.
"""
