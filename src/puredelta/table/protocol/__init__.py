"""Table features, table properties, and what they require of readers and writers."""
