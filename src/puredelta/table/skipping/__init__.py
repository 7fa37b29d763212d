"""Which files can hold rows that a condition is true for, as far as the log alone can say.

It knows the log and the schema, and nothing of Spark: conditions come in as values.
"""
