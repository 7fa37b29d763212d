"""Rows checked while they are written: types, constraints, nulls, lengths."""
