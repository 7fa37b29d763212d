"""Which part of the tests a run takes, and in which order: the gate, the rest, or a slice.

The gate is what every change passes. The rest is what takes long and finds what the gate does not,
or proves again on other ground what the gate proves: tests that are marked `rest`, that need a run
of delta-spark, or that `rest.txt` names. A slice is an eighth of the rest together with an eighth
of `tests/spark` and `tests/parity`, to be run on one line of PySpark; the eight slices together are
all of these.
"""

import functools
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

GATE, REST, EVERYTHING = "gate", "rest", "all"
SLICES = tuple(f"{number}/8" for number in range(1, 9))
PARTS = (GATE, REST, EVERYTHING, *SLICES)

# What also runs on the other lines of PySpark.
ON_EACH_SPARK = ("tests/spark/", "tests/parity/")

# A line for each scope: its seconds, as `tools/test_times.py` measured them, and its name.
TIMES = Path(__file__).with_name("times.tsv")
UNKNOWN = 1.0
# Those of the tests with other engines, when delta-spark runs.
WITH_DELTA_SPARK = 700.0

# Names of tests that `tools/choose_gate.py` found the gate can do without.
CHOSEN_FOR_REST = Path(__file__).with_name("rest.txt")

# Files whose tests share tables that take long to make: one process runs them all.
SHARED = {
    f"tests/interop/{file}.py": scope
    for scope, files in {
        "tests/interop: our tables": ("test_delta_spark", "test_peers", "test_stats"),
        "tests/interop: our tables with features": (
            "test_our_feature_tables",
            "test_generated_columns",
        ),
        "tests/interop: converted flights": ("test_converted", "test_converted_hive"),
    }.items()
    for file in files
}


def scope_of(nodeid: str, part: str = GATE) -> str:
    """What one process runs as a whole: a file, files that share tables, a parity scenario.

    Outside of the gate one run of delta-spark serves all tests with other engines.
    """
    file = nodeid.partition("::")[0]
    if file.startswith("tests/parity/"):
        return nodeid
    if part != GATE and file.startswith("tests/interop/"):
        return "tests/interop"
    return SHARED.get(file, file)


@functools.cache
def recorded_times() -> dict[str, float]:
    """The seconds of each scope."""
    if not TIMES.is_file():
        return {}
    lines = (line.split("\t") for line in TIMES.read_text("utf-8").splitlines())
    return {scope: float(seconds) for seconds, scope in lines}


def in_order(
    items: Sequence[pytest.Item], part: str, recorded: Mapping[str, float] | None = None
) -> list[pytest.Item]:
    """Longest scopes first, so that all processes end at about the same time."""
    recorded = recorded_times() if recorded is None else recorded
    times = {"tests/interop": WITH_DELTA_SPARK, **recorded}
    return sorted(items, key=lambda item: -times.get(scope_of(item.nodeid, part), UNKNOWN))


def has(part: str, item: pytest.Item) -> bool:
    """Say whether a part has a test."""
    if part == EVERYTHING:
        return True
    if part in (GATE, REST):
        return _is_rest(item) is (part == REST)
    return (_is_rest(item) or item.nodeid.startswith(ON_EACH_SPARK)) and (
        slice_of(scope_of(item.nodeid)) == SLICES.index(part)
    )


def slice_of(scope: str) -> int:
    """Which slice has a scope, from 0; those of other engines belong to the newest PySpark."""
    if scope.startswith("tests/interop"):
        return len(SLICES) - 1
    return _slices().get(scope, zlib.crc32(scope.encode()) % len(SLICES))


@functools.cache
def _slices() -> dict[str, int]:
    return slices_of(recorded_times())


def slices_of(times: Mapping[str, float]) -> dict[str, int]:
    """The longest scopes first, each to the slice that has the least to do."""
    seconds = [*[0.0] * (len(SLICES) - 1), WITH_DELTA_SPARK]
    slices = {}
    for scope, took in sorted(times.items(), key=lambda one: (-one[1], one[0])):
        if scope.startswith("tests/interop"):
            continue
        least = seconds.index(min(seconds))
        slices[scope] = least
        seconds[least] += took
    return slices


def rest(*values: object) -> Any:
    """Return the values of a parametrised test that belong to the rest."""
    return pytest.param(*values, marks=pytest.mark.rest)


def seeds(numbers: Sequence[int], *, gate: int) -> list[Any]:
    """Return seeds of a random test, of which the gate takes the first."""
    return [*numbers[:gate], *map(rest, numbers[gate:])]


def _is_rest(item: pytest.Item) -> bool:
    # It takes minutes until a process of delta-spark has made and read its tables.
    fixtures = getattr(item, "fixturenames", ())
    return (
        item.get_closest_marker("rest") is not None
        or "run_of_delta_spark" in fixtures
        or item.nodeid in _chosen_for_rest()
    )


@functools.cache
def _chosen_for_rest() -> frozenset[str]:
    return frozenset(CHOSEN_FOR_REST.read_text("utf-8").splitlines())
