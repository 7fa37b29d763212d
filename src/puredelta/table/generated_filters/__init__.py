"""Filters on generated partition columns, found out from filters on the columns they come from.

May know the schema, conditions on columns and calendars; knows no SQL parser, no log and no Spark.
"""
