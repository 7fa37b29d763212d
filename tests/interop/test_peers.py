"""deltalake, DuckDB and polars read what we write with equal rows, and we read what they write."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import deltalake
import polars as pl
import pyarrow as pa
import pytest

from tests.interop.catalogue import TABLES
from tests.interop.peers import PEERS, lines_of_arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a peer cannot read, whoever wrote it: the same holds for the tables of delta-spark.
LIMITS = {("deltalake", "partitioned_by_decimal"): "'0.-1' is not a valid decimal128"}


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", TABLES)
def test_peer_reads_our_table(spark: SparkSession, ours: Path, peer: str, name: str) -> None:
    frame = spark.read.format("delta").load(str(ours / name))
    if (peer, name) in LIMITS:
        with pytest.raises(Exception, match=LIMITS[peer, name]):
            PEERS[peer](ours / name)
        return

    read = PEERS[peer](ours / name)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int32()),
        "n": pa.array([1, None, 3], pa.int64()),
        "d": pa.array([1.5, None, -2.5], pa.float64()),
        "s": pa.array(["a", "", None], pa.string()),
        "b": pa.array([True, None, False], pa.bool_()),
        "day": pa.array([dt.date(2020, 1, 2), None, dt.date(1970, 1, 1)], pa.date32()),
        "at": pa.array(
            [dt.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=dt.timezone.utc), None, None],
            pa.timestamp("us", tz="UTC"),
        ),
        "ntz": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5), None, None], pa.timestamp("us")),  # noqa: DTZ001
        "dec": pa.array([Decimal("1.50"), None, Decimal("-2.00")], pa.decimal128(10, 2)),
        "bin": pa.array([b"\x00\xff", b"", None], pa.binary()),
        "l": pa.array([[1, None], [], None], pa.list_(pa.int32())),
        "st": pa.array([{"x": 1, "y": "z"}, None, {"x": None, "y": None}]),
        "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        "p": pa.array(["x y", None, "ü/%"], pa.string()),
    }
)


def _assert_we_read(spark: SparkSession, path: Path, expected: pa.Table) -> None:
    read = spark.read.format("delta").load(str(path)).toArrow()

    assert lines_of_arrow(read, expected.column_names) == lines_of_arrow(
        expected, expected.column_names
    )


def test_we_read_a_table_of_deltalake(spark: SparkSession, tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path / "t"), ROWS)

    _assert_we_read(spark, tmp_path / "t", ROWS)


@pytest.mark.parametrize("column", ["p", "id", "day", "at", "dec", "b", "ntz"])
def test_we_read_a_partitioned_table_of_deltalake(
    spark: SparkSession, tmp_path: Path, column: str
) -> None:
    deltalake.write_deltalake(str(tmp_path / "t"), ROWS, partition_by=[column])

    _assert_we_read(spark, tmp_path / "t", ROWS)


def test_we_read_a_table_with_the_history_of_deltalake(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    rows = ROWS.select(["id", "s", "p"])
    deltalake.write_deltalake(path, rows, partition_by=["p"])
    deltalake.write_deltalake(path, rows, mode="append")
    table = deltalake.DeltaTable(path)
    table.delete("id = 2")
    table.update(updates={"s": "'new'"}, predicate="id = 3")
    table.optimize.compact()
    table.create_checkpoint()
    deltalake.write_deltalake(path, rows.slice(0, 1), mode="append")

    _assert_we_read(spark, tmp_path / "t", deltalake.DeltaTable(path).to_pyarrow_table())


def test_we_read_old_versions_of_deltalake(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    deltalake.write_deltalake(path, ROWS.slice(0, 1))
    deltalake.write_deltalake(path, ROWS.slice(1, 2), mode="overwrite")

    old = spark.read.format("delta").option("versionAsOf", 0).load(path)

    assert [row.id for row in old.collect()] == [1]


def test_deltalake_and_we_append_in_turns(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    rows = ROWS.select(["id", "s"])
    deltalake.write_deltalake(path, rows)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (10, 'spark')")
    deltalake.write_deltalake(path, rows, mode="append")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (11, 'again')")

    read = deltalake.DeltaTable(path)

    assert read.version() == 3
    _assert_we_read(spark, tmp_path / "t", read.to_pyarrow_table())


def test_we_read_a_table_of_polars(spark: SparkSession, tmp_path: Path) -> None:
    columns = [name for name in ROWS.column_names if name != "m"]
    frame = pl.DataFrame(ROWS.select(columns))
    frame.write_delta(str(tmp_path / "t"))

    _assert_we_read(spark, tmp_path / "t", ROWS.select(columns))


def test_deltalake_tells_our_history_and_schema(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT NOT NULL, p STRING) USING delta"
        " PARTITIONED BY (p) TBLPROPERTIES ('delta.appendOnly' = 'true')"
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a')")

    table = deltalake.DeltaTable(path)

    assert [entry["operation"] for entry in table.history()] == ["WRITE", "CREATE TABLE"]
    assert table.metadata().partition_columns == ["p"]
    assert table.metadata().configuration == {"delta.appendOnly": "true"}
    assert [field.name for field in table.schema().fields] == ["id", "p"]
