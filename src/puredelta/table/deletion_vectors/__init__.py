"""Deletion vectors: read and written. Protocol: Deletion Vectors."""
