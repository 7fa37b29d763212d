"""`DeltaTable` for clients of Spark Connect, where delta-spark has it: the same as in `delta`."""

from delta.connect.tables import DeltaTable

__all__ = ["DeltaTable"]
