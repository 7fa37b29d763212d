"""The statistics in our log equal those of delta-spark for the same rows, where footers can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.interop.catalogue import TABLES

if TYPE_CHECKING:
    from tests.interop.conftest import DeltaSpark

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


def beyond_footers(path: str, value: Any) -> bool:
    """What delta-spark knows from counting rows and a Parquet footer does not say."""
    return (
        path == "tightBounds"
        # Footers leave out bounds of columns that hold NaN, and count elements, not lists.
        or value in ("NaN", "Infinity", "-Infinity")
        or path.startswith("nullCount.") and path.split(".")[-1] in {"l", "m", "d"}
    )


@pytest.mark.parametrize("name", COMPARED)
def test_statistics_equal_those_of_delta_spark(
    ours: Path, delta_spark: DeltaSpark, name: str
) -> None:
    theirs = stats_by_commit(delta_spark.theirs / name)

    mine = stats_by_commit(ours / name)

    assert mine.keys() == theirs.keys()
    for version, expected in theirs.items():
        assert [leaves(s) for s in mine[version]] == [
            {k: v for k, v in leaves(s).items() if not beyond_footers(k, v)} for s in expected
        ]


@pytest.mark.parametrize("name", TABLES)
def test_row_counts_are_those_of_delta_spark(
    ours: Path, delta_spark: DeltaSpark, name: str
) -> None:
    def rows(path: Path) -> dict[int, int]:
        return {v: sum(s["numRecords"] for s in x) for v, x in stats_by_commit(path).items()}

    assert rows(ours / name) == rows(delta_spark.theirs / name)
