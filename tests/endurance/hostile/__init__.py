"""Hostile tables: a catalogue of kinds, random mutations of real tables, fuzzers of the parsers.

`PUREDELTA_ENDURANCE=long` makes the mutations and fuzzers run long. A fuzzer that is led by
coverage needs the package atheris, in an environment of its own:

    python -m tests.endurance.hostile.fuzz commit_lines 100000
"""
