"""Flights as each library writes them become Delta; rows, history and log are delta-spark's."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from click.testing import CliRunner

from demo.parquet_writers import WRITERS
from puredelta.cli.main import main
from tests.interop.converted import CLAUSE, OURS, THEIRS, tell
from tests.interop.peers import read_with_deltalake, read_with_duckdb, read_with_polars

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.timeout(2400)

READERS = {
    "deltalake": read_with_deltalake,
    "duckdb": read_with_duckdb,
    "polars": read_with_polars,
}


@pytest.fixture(scope="session")
def expected(flights_converted: Path) -> pl.DataFrame:
    """The rows as they were before any library wrote them."""
    return _in_order(pl.read_parquet(flights_converted / "flights.parquet"))


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    typed = rows.with_columns(
        pl.col("month").cast(pl.Int64),
        pl.col("time_hour").cast(pl.Datetime("us", "UTC")),
        pl.col(pl.String),
    )
    return typed.select(sorted(typed.columns)).sort(pl.all())


def _rows_of(table: pa.Table) -> pl.DataFrame:
    found = pl.from_arrow(table)
    assert isinstance(found, pl.DataFrame)
    return _in_order(found)


@pytest.mark.parametrize("writer", WRITERS)
def test_rows_are_those_that_were_written(
    spark: SparkSession, flights_converted: Path, expected: pl.DataFrame, writer: str
) -> None:
    frame = spark.read.format("delta").load(str(flights_converted / OURS / writer))

    assert _rows_of(frame.toArrow()).equals(expected)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("writer", WRITERS)
def test_reader_finds_the_rows_that_were_written(
    flights_converted: Path, expected: pl.DataFrame, writer: str, reader: str
) -> None:
    read = READERS[reader](flights_converted / OURS / writer)

    assert _rows_of(read).equals(expected)


@pytest.mark.parametrize("writer", WRITERS)
def test_delta_spark_reads_the_rows_schema_and_history_that_we_read(
    spark: SparkSession, flights_converted: Path, told_by_delta_spark: dict, writer: str
) -> None:
    seen = told_by_delta_spark[f"{OURS}/{writer}"]

    assert seen == tell(spark, flights_converted / OURS / writer)


@pytest.mark.parametrize("writer", WRITERS)
def test_delta_spark_makes_the_same_of_the_same_folder(
    told_by_delta_spark: dict, writer: str
) -> None:
    ours, theirs = (told_by_delta_spark[f"{whose}/{writer}"] for whose in (OURS, THEIRS))

    assert ours == theirs


@pytest.mark.parametrize("writer", WRITERS)
def test_log_names_the_files_that_delta_spark_names(
    flights_converted: Path, told_by_delta_spark: dict, writer: str
) -> None:
    assert f"{THEIRS}/{writer}" in told_by_delta_spark
    ours, theirs = (_log(flights_converted / whose / writer) for whose in (OURS, THEIRS))

    assert {path: add["partitionValues"] for path, add in ours["add"].items()} == {
        path: add["partitionValues"] for path, add in theirs["add"].items()
    }
    for path, add in ours["add"].items():
        other = theirs["add"][path]
        assert {key: add[key] for key in ("size", "modificationTime", "dataChange")} == {
            key: other[key] for key in ("size", "modificationTime", "dataChange")
        }
        assert _stats(add) == _stats(other, without=UNBOUND.get(writer))


# INT96 of writers other than parquet-java is moved by a session's zone if it says so.
UNBOUND = {"Hive-like": "time_hour"}


def _stats(add: dict[str, Any], *, without: str | None = None) -> dict[str, Any]:
    stats = json.loads(add["stats"])
    for told in ("minValues", "maxValues", "nullCount"):
        stats[told].pop(without, None)
    return stats


def _log(path: Path) -> dict[str, Any]:
    """The actions of version 0 by kind, files by path."""
    lines = (path / "_delta_log" / f"{0:020}.json").read_text("utf-8").splitlines()
    found: dict[str, Any] = {"add": {}}
    for line in lines:
        ((kind, action),) = json.loads(line).items()
        if kind == "add":
            found["add"][action["path"]] = action
        else:
            found[kind] = action
    return found


@pytest.mark.parametrize("writer", WRITERS)
def test_command_line_writes_the_log_that_the_statement_writes(
    flights_converted: Path, tmp_path: Path, writer: str
) -> None:
    copy = tmp_path / writer
    shutil.copytree(flights_converted / THEIRS / writer, copy, ignore=lambda *_: {"_delta_log"})

    done = CliRunner().invoke(main, ["convert", str(copy), "--partitioned-by", CLAUSE])

    assert done.exit_code == 0, done.output
    by_statement, by_command = _log(flights_converted / OURS / writer), _log(copy)
    assert by_command["add"] == by_statement["add"]
    for kind, ignored in (
        ("protocol", ()),
        ("metaData", ("id", "createdTime")),
        ("commitInfo", ("timestamp", "txnId", "inCommitTimestamp", "engineInfo")),
    ):
        one, other = (
            {key: value for key, value in log[kind].items() if key not in ignored}
            for log in (by_command, by_statement)
        )
        assert one == other
