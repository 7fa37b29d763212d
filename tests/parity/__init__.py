"""Parity: the same scenarios here and on delta-spark, and what a user observes must be equal."""
