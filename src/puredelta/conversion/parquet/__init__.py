"""Tables of plain Parquet files, as CONVERT TO DELTA finds them."""
