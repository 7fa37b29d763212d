"""Statements whose text is changed before Spark's own parser reads it."""
