"""A session that runs thousands of statements: nothing that it holds may grow with their number."""
