"""What a table means, given its protocol and metadata.

Features, properties, partition values, statistics and the rules a schema must keep. May know `log`,
`storage`, `schema` and `errors`; knows nothing of commits (`puredelta.txn`) and nothing of Spark.
Everything here is a function over frozen values: no clock, no session, no input or output.
"""
