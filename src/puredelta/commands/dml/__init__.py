"""DELETE, UPDATE and TRUNCATE, and what every change of rows has in common."""
