"""Rows along a space-filling curve: ids of ranges, keys, and the file that each row goes to."""
