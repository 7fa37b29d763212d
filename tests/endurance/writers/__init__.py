"""Engines that write one table at once, and a checker of what each was told and read."""
