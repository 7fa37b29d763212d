"""Statements that write files anew and change no row: REORG."""
