"""Our statistics equal those of delta-spark for the same rows, where footers can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.interop.catalogue import TABLES

if TYPE_CHECKING:
    from tests.interop.conftest import TheirTables

# The first test makes every table.
pytestmark = pytest.mark.timeout(1200)

# One file an insert on both sides, so that the statistics of the files can be equal.
COMPARED = [
    name
    for name, statements in TABLES.items()
    if all("COALESCE(1)" in s for s in statements if s.startswith("INSERT"))
]


def stats_by_commit(path: Path) -> dict[int, list[dict[str, Any]]]:
    """The statistics of the added files of each commit."""
    found: dict[int, list[dict[str, Any]]] = {}
    for commit in sorted((path / "_delta_log").glob("*.json")):
        if not commit.stem.isdigit():
            continue
        actions = [json.loads(line) for line in commit.read_text("utf-8").splitlines()]
        adds = [json.loads(a["add"]["stats"]) for a in actions if "add" in a]
        if adds:
            found[int(commit.stem)] = adds
    return found


def leaves(stats: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of the statistics by dotted path."""
    found: dict[str, Any] = {}
    for key, value in stats.items():
        if isinstance(value, dict):
            found |= leaves(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def beyond_footers(theirs: dict[str, Any]) -> set[str]:
    """What delta-spark knows from counting rows and a Parquet footer need not say."""
    odd = {path for path, value in theirs.items() if value in ("Infinity", "-Infinity")}
    for path in [path for path, value in theirs.items() if value == "NaN"]:
        # A column chunk with a NaN has no bounds in its footer.
        column = path.split(".", 1)[1]
        odd |= {f"minValues.{column}", f"maxValues.{column}"}
    # Footers count the elements of lists and maps, not the lists and maps.
    repeated = {f"nullCount.{column}" for column in ("l", "m", "s.b.d")}
    return odd | repeated | {"tightBounds"}


@pytest.mark.parametrize("name", COMPARED)
def test_statistics_equal_those_of_delta_spark(
    ours: Path, their_tables: TheirTables, name: str
) -> None:
    theirs = stats_by_commit(their_tables.folder / name)

    mine = stats_by_commit(ours / name)

    assert mine.keys() == theirs.keys()
    for version, expected in theirs.items():
        for known, told in zip(map(leaves, expected), map(leaves, mine[version]), strict=True):
            optional = beyond_footers(known) - told.keys()
            assert told == {k: v for k, v in known.items() if k not in optional}


@pytest.mark.parametrize("name", TABLES)
def test_row_counts_are_those_of_delta_spark(
    ours: Path, their_tables: TheirTables, name: str
) -> None:
    def rows(path: Path) -> dict[int, int]:
        return {v: sum(s["numRecords"] for s in x) for v, x in stats_by_commit(path).items()}

    assert rows(ours / name) == rows(their_tables.folder / name)
