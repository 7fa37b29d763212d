"""CONVERT TO DELTA of Iceberg tables that Spark and pyiceberg wrote: the same rows, and work on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.transforms import IdentityTransform

from puredelta.engine.exceptions import (
    DeltaIllegalArgumentException,
    DeltaUnsupportedOperationException,
)
from puredelta.tables import DeltaTable
from tests.iceberg_tables import PEOPLE, IcebergTables, golden_rows, golden_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

EVOLUTION = "spark.databricks.delta.convert.iceberg.partitionEvolution.enabled"
TRANSFORMS = "spark.puredelta.convert.iceberg.leaveOutTransforms"


@pytest.fixture
def lenient(spark: SparkSession) -> Iterator[None]:
    """A session that lets all partitionings be converted, and reads points in time in UTC."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    for key in (EVOLUTION, TRANSFORMS):
        spark.conf.set(key, "true")
    yield
    for key in (EVOLUTION, TRANSFORMS):
        spark.conf.unset(key)
    spark.conf.set("spark.sql.session.timeZone", zone)


def rows(spark: SparkSession, path: Path, condition: str = "true") -> list[dict]:
    query = f"SELECT to_json(struct(*)) j FROM delta.`{path}` WHERE {condition} ORDER BY id"
    return [json.loads(row.j) for row in spark.sql(query).collect()]


@pytest.mark.parametrize(
    "name", ["columns", "deletes_v2", "deletes_v3", "evolved", "imported", "transforms"]
)
def test_rows_are_those_that_iceberg_reads(spark, tmp_path, lenient, name):
    path = golden_table(name, tmp_path)

    spark.sql(f"CONVERT TO DELTA iceberg.`{path}`")

    assert rows(spark, path) == golden_rows(name)


def test_conditions_find_the_same_rows_by_partitions_and_statistics(spark, tmp_path, lenient):
    path = golden_table("columns", tmp_path)
    everything = golden_rows("columns")

    spark.sql(f"CONVERT TO DELTA iceberg.`{path}`")

    assert rows(spark, path, "name = 'a/b'") == [
        one for one in everything if one.get("name") == "a/b"
    ]
    assert rows(spark, path, "name IS NULL AND price > 1") == [
        one for one in everything if "name" not in one and one["price"] > 1
    ]
    assert rows(spark, path, "at = 'later'") == everything[-1:]
    assert rows(spark, path, "n > 2147483647") == everything[-1:]


@pytest.mark.parametrize("name", ["columns", "imported", "deletes_v3"])
def test_converted_table_can_be_written_and_changed(spark, tmp_path, lenient, name):
    path = golden_table(name, tmp_path)
    spark.sql(f"CONVERT TO DELTA iceberg.`{path}`")
    before = golden_rows(name)

    spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN id TO number")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMN added STRING")
    spark.sql(f"INSERT INTO delta.`{path}` (number, added) VALUES (-1, 'x')")

    found = spark.sql(f"SELECT number, added FROM delta.`{path}` ORDER BY number").collect()
    assert [tuple(row) for row in found] == [(-1, "x"), *((one["id"], None) for one in before)]


def test_dropped_column_does_not_come_back_as_a_new_one(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    table = tables.filled("t", pa.table({"id": [1], "gone": ["old"]}))
    with table.update_schema() as change:
        change.delete_column("gone")
    tables.close()
    path = tables.path("t")

    spark.sql(f"CONVERT TO DELTA iceberg.`{path}`")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMN gone STRING")

    assert [tuple(row) for row in spark.sql(f"SELECT * FROM delta.`{path}`").collect()] == [
        (1, None)
    ]


def test_history_names_the_source(spark, tmp_path):
    path = golden_table("columns", tmp_path)

    table = DeltaTable.convertToDelta(spark, f"iceberg.`{path}`")

    row = table.history().collect()[0]
    assert row.operation == "CONVERT"
    assert row.operationParameters["sourceFormat"] == "iceberg"
    assert row.operationMetrics == {"numConvertedFiles": "7"}


def test_dry_run_tells_schema_and_partitions(spark, tmp_path):
    path = golden_table("columns", tmp_path)

    report = DeltaTable.convertToDelta(spark, f"iceberg.`{path}`", dryRun=True)

    assert (report.files, report.rows, report.partition_columns) == (7, 11, ("day", "name"))
    assert not (path / "_delta_log").exists()


def test_partition_clause_is_refused(spark, tmp_path):
    path = golden_table("columns", tmp_path)

    with pytest.raises(DeltaIllegalArgumentException, match="Leave PARTITIONED BY out"):
        spark.sql(f"CONVERT TO DELTA iceberg.`{path}` PARTITIONED BY (day DATE)")


@pytest.mark.parametrize(("name", "setting"), [("transforms", TRANSFORMS), ("evolved", EVOLUTION)])
def test_refusal_names_the_setting_that_allows_it(spark, tmp_path, name, setting):
    path = golden_table(name, tmp_path)

    with pytest.raises(DeltaUnsupportedOperationException, match=f"SET {setting} = true"):
        spark.sql(f"CONVERT TO DELTA iceberg.`{path}`")


def test_files_outside_of_the_folder_are_read(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    elsewhere = {"write.data.path": f"file://{tmp_path}/else where ä%41"}
    tables.filled("t", PEOPLE, properties=elsewhere)
    tables.create("empty", PEOPLE.schema)
    tables.close()

    for name in ("t", "empty"):
        spark.sql(f"CONVERT TO DELTA iceberg.`{tables.path(name)}`")

    found = spark.sql(f"SELECT * FROM delta.`{tables.path('t')}` ORDER BY id").collect()
    assert [row.asDict() for row in found] == PEOPLE.to_pylist()
    assert spark.sql(f"SELECT * FROM delta.`{tables.path('empty')}`").collect() == []


def test_text_partitions_written_by_pyiceberg_with_odd_names(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w ä%41")
    names = ["a/b", "a%2Fb", "x=y", "sp ace", "ünï", "+", None, "'q'"]
    table = pa.table({"id": list(range(len(names))), "p": names})
    tables.filled("t", table, partitions=[("p", IdentityTransform(), "p_part")])
    tables.close()

    spark.sql(f"CONVERT TO DELTA iceberg.`{tables.path('t')}`")

    found = spark.sql(f"SELECT id, p FROM delta.`{tables.path('t')}` ORDER BY id").collect()
    assert [tuple(row) for row in found] == list(enumerate(names))
