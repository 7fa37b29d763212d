"""Looking after a table: what to rewrite, to delete or to bring back, decided without Spark.

A plan is made of a snapshot alone, so that the command line makes it as the statements do; what has
to read rows is in `commands`.
"""
