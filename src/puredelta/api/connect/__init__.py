"""`DeltaTable` in clients of Spark Connect: its calls are sent to a driver that speaks Delta."""
