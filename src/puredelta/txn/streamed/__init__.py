"""Commits that are never in memory as a whole: of first versions, and of many files."""
