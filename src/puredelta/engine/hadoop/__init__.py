"""Files of a table through Hadoop, with the options of the session and of the table."""
