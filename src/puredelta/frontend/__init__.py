"""What Spark asks of us: statements, names and options become commands; may know `commands` and below."""
