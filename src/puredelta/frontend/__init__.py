"""What Spark asks of us, turned into commands; may know `commands` and below."""
