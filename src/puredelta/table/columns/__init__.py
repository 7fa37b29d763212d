"""Columns of a table: names, types, mapping, and how they may change."""
