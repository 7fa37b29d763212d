"""Upkeep of tables: what to rewrite, to delete or to bring back, decided without Spark.

A plan is made of the log and the files alone, so that the command line makes it as the statements
do; what has to read rows is in `commands`.
"""
