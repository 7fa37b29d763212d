"""What a notebook shows of a table: its facts, rows of its log, dry runs and results, as HTML.

Knows the log and what a table means. Each result says what it shows, `html_table` how it looks.
"""
