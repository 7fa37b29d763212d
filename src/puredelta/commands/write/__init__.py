"""Writes of a DataFrame: append and every kind of overwrite."""
