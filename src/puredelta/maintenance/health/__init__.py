"""The health of a table: what makes it slow or large, and the statement that mends it."""
