"""Writes that find rows by key: upsert, SCD type 2, append of new rows, dedupe."""
