"""Partition values as the log writes them. Protocol: Partition Value Serialization."""
