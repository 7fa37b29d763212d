"""What a table means, given its protocol and metadata.

Features, properties, partition values, statistics and the rules a schema must keep. It knows
`log`, `storage`, `schema` and `errors`; it knows nothing of commits (`puredelta.txn`) and nothing
of Spark.
Most of it is functions over frozen values. Files are read and written in `check`,
`deletion_vectors`, `change_files` and `statistics.row_counts`, through a `Store` that the caller
gives; `skipping.stats_cache` keeps parsed statistics for the process.
"""
