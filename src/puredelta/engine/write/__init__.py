"""Spark writes rows: its Parquet writer, and what is reported of each file."""
