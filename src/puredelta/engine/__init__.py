"""What we ask of Spark; may know `txn` and what is below it, and is the lowest to touch the JVM."""
