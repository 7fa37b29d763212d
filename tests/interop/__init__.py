"""Interop: tables that we write are read by others with equal rows, and theirs by us."""
