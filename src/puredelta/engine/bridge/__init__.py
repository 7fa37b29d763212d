"""The way to and from the JVM: adapters compiled for the running Spark, and callbacks they ask."""
