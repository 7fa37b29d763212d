"""Expressions that the metadata holds: constraints, generated and identity columns."""
