"""Pictures of a table, from its log: what grows, how large files are, what a filter reads.

Each module makes the figures of one picture and draws them. Knows the rows that the log gives, and
matplotlib, which is loaded when the first picture is drawn.
"""
