"""Readers of Delta tables that are not Spark, each giving an Arrow table, and their limits."""

from __future__ import annotations

import datetime as dt
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import deltalake
import duckdb
import polars as pl
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame


def read_with_deltalake(path: Path) -> pa.Table:
    """Read a table with deltalake (Rust)."""
    return deltalake.DeltaTable(str(path)).to_pyarrow_table()


def query_with_deltalake(path: Path) -> pa.Table:
    """Read a table with deltalake's query engine, which reads more features than its Arrow way."""
    table = deltalake.DeltaTable(str(path))
    query = deltalake.QueryBuilder().register("t", table).execute("SELECT * FROM t")
    return pa.table(query.read_all())


def read_with_duckdb(path: Path) -> pa.Table:
    """Read a table with DuckDB's own Delta extension, which is built on the Delta kernel."""
    packaged = files("duckdb_extension_delta") / "extensions" / f"v{duckdb.__version__}"
    connection = duckdb.connect()
    connection.execute(f"LOAD '{packaged / 'delta.duckdb_extension'}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection.execute(f"SELECT * FROM delta_scan('{path}')").to_arrow_table()


def read_with_polars(path: Path) -> pa.Table:
    """Read a table with polars, which scans the files that deltalake lists."""
    return pl.scan_delta(str(path)).collect().to_arrow()


PEERS: dict[str, Callable[[Path], pa.Table]] = {
    "deltalake": read_with_deltalake,
    "duckdb": read_with_duckdb,
    "polars": read_with_polars,
}

# Readers for tables with features.
FEATURE_PEERS = {"deltalake": query_with_deltalake, "duckdb": read_with_duckdb}

# What the readers say that cannot open files by absolute paths, as clones have them. DuckDB looks
# for them below the table, in clones that delta-spark made too.
LIMITS_OF_ABSOLUTE_PATHS = {"duckdb": "Cannot open file"}


def without_values(frame: DataFrame, columns: tuple[str, ...]) -> DataFrame:
    """A frame as a peer shows it that finds no values for some columns."""
    nulls = {name: F.lit(None).cast(frame.schema[name].dataType) for name in columns}
    return frame.withColumns(nulls)


def lines_of_arrow(table: pa.Table, names: list[str]) -> list[str]:
    """The rows of an Arrow table as sorted text, columns in the order of `names`."""
    columns = [table.column(name).to_pylist() for name in names]
    rows = zip(*columns, strict=True)
    return sorted(" | ".join(_text(value) for value in row) for row in rows)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        # A map comes as pairs or as structs of key and value.
        return "[" + ", ".join(_text(_pair(item)) for item in value) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(_text(item) for item in value) + ")"
    if isinstance(value, dt.datetime) and value.tzinfo:
        return value.astimezone(dt.timezone.utc).isoformat()
    return repr(value)


def _pair(item: Any) -> Any:
    if isinstance(item, dict) and set(item) == {"key", "value"}:
        return (item["key"], item["value"])
    return item
