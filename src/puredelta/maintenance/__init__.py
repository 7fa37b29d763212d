"""Upkeep of tables that rewrites no rows: works on the log and the files, and needs no Spark."""
