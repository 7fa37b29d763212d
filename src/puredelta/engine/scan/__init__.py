"""Spark reads a table: its files, its filters, its metadata columns."""
