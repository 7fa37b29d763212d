"""Statements that show what a table is: DESCRIBE HISTORY and DETAIL, SHOW PARTITIONS."""
