"""Checkpoints: read and written. Protocol: Checkpoints."""
