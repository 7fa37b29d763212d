"""Rows on their way into a table: matched, cast, generated, checked, written."""
