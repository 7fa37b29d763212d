"""Frameworks that meet Spark by themselves, in an environment of their own."""
