"""Iceberg tables that became Delta tables: other engines read the rows that Iceberg reads."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from tests.iceberg_tables import golden_rows
from tests.interop.iceberg import NAMES
from tests.interop.peers import FEATURE_PEERS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(2400)

# What a peer cannot read; each is asked, so that the list is right.
UNREADABLE = {("columns", "deltalake"): "TypeWidening"}
# DuckDB goes by names where a table says ids, and misses columns in files younger than a rename.
MISREAD = {("columns", "duckdb")}


@pytest.mark.parametrize("name", NAMES)
def test_delta_spark_reads_the_rows_that_iceberg_reads(
    read_by_delta_spark: dict[str, Any], name: str
) -> None:
    assert read_by_delta_spark[name] == golden_rows(name)


@pytest.mark.parametrize("peer", FEATURE_PEERS)
@pytest.mark.parametrize("name", NAMES)
def test_peer_reads_the_rows_that_iceberg_reads(
    iceberg_converted: Path, name: str, peer: str
) -> None:
    read = FEATURE_PEERS[peer]
    if (name, peer) in UNREADABLE:
        with pytest.raises(Exception, match=UNREADABLE[name, peer]):
            read(iceberg_converted / name)
        return

    found = read(iceberg_converted / name).to_pylist()

    expected = [_plain(row, found[0]) for row in golden_rows(name)]
    equal = sorted(map(_shown, found)) == sorted(map(_shown, expected))
    assert equal is ((name, peer) not in MISREAD)


def _plain(row: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """A row of JSON, which leaves nulls out, with all columns."""
    return {name: row.get(name) for name in like}


def _shown(row: dict[str, Any]) -> str:
    maps = {"m": dict(row["m"])} if "m" in row else {}
    return json.dumps(row | maps, default=_as_spark_does, sort_keys=True)


def _as_spark_does(value: object) -> object:
    match value:
        case dt.datetime():
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case dt.date():
            return value.isoformat()
        case Decimal():
            return float(value)
    raise TypeError(value)
