"""Tables of Apache Iceberg become Delta tables in place; their metadata is read with pyiceberg."""
