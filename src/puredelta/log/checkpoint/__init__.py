"""Checkpoints, read. Protocol: Checkpoints."""
