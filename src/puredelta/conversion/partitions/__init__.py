"""Partition columns of a folder: their clause, their folders, their types."""
