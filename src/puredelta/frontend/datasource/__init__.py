"""format("delta"): paths and options of readers and writers."""
