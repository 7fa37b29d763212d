"""Data files that are there become a table in place: without Spark, which may help with many.

`convert` is the statement: a `request` about one of `targets`, refused by `checks` or `writable`,
with `problems` on the way and a `report` at the end. `listing` and `sink_log` find files, each a
`source_file`, which `file_list` keeps; `parquet_table` looks at all of them as `reading` says, and
`iceberg` asks the metadata of Iceberg. `footers` reads the ends of files, `statistics` makes what
the log says of them, and `silent_columns` adds what these ends do not know.

`parquet_schema` makes columns of a footer, by `parquet_types` and `parquet_rules`, or by
`spark_schema` where Spark wrote it; `merging` makes one schema of many, `catalog_columns` compares
them to what a catalog says, and `table_schema` adds the partition columns.

Partition columns are those that people write, which `partition_clause` reads, or are inferred by
`partition_types`, from one value by `value_types`. `partition_folders` takes names and texts out of
a path, `partition_paths` makes them the values of a file, each as `partition_text` writes it for
the log. `adds` makes the actions.
"""
