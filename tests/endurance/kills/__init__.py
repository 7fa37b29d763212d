"""Statements whose process is killed at a chosen call of the system, and what must hold then."""
