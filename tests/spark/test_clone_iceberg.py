"""SHALLOW CLONE of Iceberg tables: the rows that Iceberg reads, refused where CONVERT refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyiceberg.types import LongType

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaUnsupportedOperationException
from puredelta.errors import DeltaError
from puredelta.log import open_table
from puredelta.table.check import check_table
from tests.iceberg_tables import PEOPLE, IcebergTables, golden_rows, golden_table, identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

EVOLUTION = "spark.databricks.delta.convert.iceberg.partitionEvolution.enabled"
TRANSFORMS = "spark.puredelta.convert.iceberg.leaveOutTransforms"
NAMES = ("columns", "deletes_v2", "deletes_v3", "evolved", "imported", "transforms")


@pytest.fixture
def lenient(spark: SparkSession) -> Iterator[None]:
    """A session that lets all partitionings be cloned, and reads points in time in UTC."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    for key in (EVOLUTION, TRANSFORMS):
        spark.conf.set(key, "true")
    yield
    for key in (EVOLUTION, TRANSFORMS):
        spark.conf.unset(key)
    spark.conf.set("spark.sql.session.timeZone", zone)


def clone(spark, source, target, head="CREATE TABLE", clauses=""):
    text = f"{head} delta.`{target}` SHALLOW CLONE iceberg.`{source}` {clauses}"
    return spark.sql(text).first()


def rows(spark: SparkSession, path: Path, condition: str = "true") -> list[dict]:
    query = f"SELECT to_json(struct(*)) j FROM delta.`{path}` WHERE {condition} ORDER BY id"
    return [json.loads(row.j) for row in spark.sql(query).collect()]


def contents(path: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def refusal(spark: SparkSession, statement: str) -> DeltaError:
    with pytest.raises(DeltaError) as caught:
        spark.sql(statement)
    return caught.value


def definition(path: Path) -> dict[str, object]:
    """What a table is, besides its name and its files."""
    found = open_table(str(path)).snapshot
    schema = json.loads(found.metadata.schema_string)
    for field in schema["fields"]:
        # Physical names are drawn anew for each table.
        field["metadata"].pop("delta.columnMapping.physicalName", None)
    return {
        "schema": schema,
        "partitions": found.partition_columns,
        "properties": {k: v for k, v in found.configuration.items() if "maxColumnId" not in k},
        "files": found.num_files,
        "size": found.size_in_bytes,
    }


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_that_iceberg_reads(spark, tmp_path, lenient, name):
    source, target = golden_table(name, tmp_path), tmp_path / "target"
    before = contents(source)

    row = clone(spark, source, target)

    assert rows(spark, target) == golden_rows(name)
    # Deleted rows become deletion vectors, which are files of the clone and not of its source.
    assert contents(source) == before
    assert list(target.rglob("*.parquet")) == []
    assert any(target.glob("deletion_vector_*.bin")) is name.startswith("deletes")
    assert list(check_table(str(target)).findings) == []
    assert row.source_num_of_files == open_table(str(target)).snapshot.num_files


@pytest.mark.parametrize("name", NAMES)
def test_clone_is_defined_as_a_converted_table_is(spark, tmp_path, lenient, name):
    source, target = golden_table(name, tmp_path), tmp_path / "target"
    clone(spark, source, target)
    spark.sql(f"CONVERT TO DELTA iceberg.`{source}`")

    assert definition(target) == definition(source)


@pytest.mark.parametrize("name", NAMES)
def test_clone_is_written_optimized_vacuumed_and_restored(spark, tmp_path, lenient, name):
    source, target = golden_table(name, tmp_path), tmp_path / "target"
    before = contents(source)
    clone(spark, source, target)

    spark.sql(f"INSERT INTO delta.`{target}` (id) VALUES (-1)")
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id = {golden_rows(name)[0]['id']}")
    spark.sql(f"OPTIMIZE delta.`{target}`")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    try:
        spark.sql(f"VACUUM delta.`{target}` RETAIN 0 HOURS")
    finally:
        spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")

    assert rows(spark, target) == [{"id": -1}, *golden_rows(name)[1:]]
    assert contents(source) == before
    assert list(check_table(str(target)).findings) == []
    spark.sql(f"RESTORE TABLE delta.`{target}` TO VERSION AS OF 0")
    assert rows(spark, target) == golden_rows(name)


@pytest.mark.parametrize(("name", "setting"), [("transforms", TRANSFORMS), ("evolved", EVOLUTION)])
def test_refusal_is_that_of_convert(spark, tmp_path, name, setting):
    source, target = golden_table(name, tmp_path), tmp_path / "target"

    told = refusal(spark, f"CREATE TABLE delta.`{target}` SHALLOW CLONE iceberg.`{source}`")
    of_convert = refusal(spark, f"CONVERT TO DELTA iceberg.`{source}`")

    assert isinstance(told, DeltaUnsupportedOperationException)
    assert f"SET {setting} = true" in str(told)
    assert (told.condition, told.parameters) == (of_convert.condition, of_convert.parameters)
    assert not target.exists()


def test_history_names_the_source(spark, tmp_path):
    source, target = golden_table("columns", tmp_path), tmp_path / "target"

    clone(spark, source, target)

    row = DeltaTable.forPath(spark, str(target)).history().collect()[0]
    assert row.operation == "CLONE"
    assert row.operationParameters == {"source": f"iceberg.`file:{source}`", "sourceVersion": "-1"}
    assert row.operationMetrics["sourceNumOfFiles"] == "7"


def test_conditions_find_rows_by_partitions_and_statistics(spark, tmp_path, lenient):
    source, target = golden_table("columns", tmp_path), tmp_path / "target"
    everything = golden_rows("columns")
    clone(spark, source, target)

    assert rows(spark, target, "name = 'a/b'") == [
        one for one in everything if one.get("name") == "a/b"
    ]
    assert rows(spark, target, "n > 2147483647") == everything[-1:]


def test_emptied_clone_is_replaced_by_a_newer_state(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    table = tables.filled("t", PEOPLE)
    source, target = tables.path("t"), tmp_path / "target"
    clone(spark, source, target)
    table.append(pa.table({"id": pa.array([3], pa.int64()), "name": ["cy"]}))
    tables.close()
    assert "DELTA_UNSUPPORTED_NON_EMPTY_CLONE" in str(
        refusal(spark, f"CREATE OR REPLACE TABLE delta.`{target}` SHALLOW CLONE iceberg.`{source}`")
    )
    spark.sql(f"DELETE FROM delta.`{target}`")

    row = clone(spark, source, target, "CREATE OR REPLACE TABLE")

    assert row.source_num_of_files == 2
    assert [one["id"] for one in rows(spark, target)] == [1, 2, 3]
    assert list(check_table(str(target)).findings) == []


def test_emptied_clone_is_replaced_by_a_table_with_renamed_columns(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    table = tables.filled("t", PEOPLE)
    source, target = tables.path("t"), tmp_path / "target"
    clone(spark, source, target)
    spark.sql(f"DELETE FROM delta.`{target}`")
    with table.update_schema() as change:
        change.rename_column("name", "called")
    with table.update_schema() as change:
        change.add_column("name", LongType())
    table.append(pa.table({"id": [3], "called": ["cy"], "name": [30]}))
    tables.close()

    clone(spark, source, target, "REPLACE TABLE")

    assert rows(spark, target) == [
        {"id": 1, "called": "ann"},
        {"id": 2},
        {"id": 3, "called": "cy", "name": 30},
    ]
    assert spark.sql(f"SELECT * FROM delta.`{target}` VERSION AS OF 0 ORDER BY id").collect() == [
        (1, "ann"),
        (2, None),
    ]


def test_clone_of_a_table_without_files_has_its_columns(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    tables.create("empty", PEOPLE.schema)
    tables.close()
    target = tmp_path / "target"

    clone(spark, tables.path("empty"), target)

    assert spark.read.format("delta").load(str(target)).columns == ["id", "name"]
    assert rows(spark, target) == []


def test_partition_values_of_odd_characters(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w ä%")
    odd = pa.table({"id": [1, 2, 3], "p": ["a b/%c", "ü=:#?", None]})
    tables.filled("t", odd, partitions=[identity("p")])
    tables.close()
    source, target = tables.path("t"), tmp_path / "target"

    clone(spark, source, target)

    assert rows(spark, target, "p = 'a b/%c'") == [{"id": 1, "p": "a b/%c"}]
    assert rows(spark, target) == [{"id": 1, "p": "a b/%c"}, {"id": 2, "p": "ü=:#?"}, {"id": 3}]
    assert list(check_table(str(target)).findings) == []


def test_files_outside_of_the_folder_are_read(spark, tmp_path):
    tables = IcebergTables(tmp_path / "w")
    elsewhere = {"write.data.path": f"file://{tmp_path}/else where ä%41"}
    tables.filled("t", PEOPLE, properties=elsewhere)
    tables.close()
    target = tmp_path / "target"

    clone(spark, tables.path("t"), target)

    assert rows(spark, target) == [{"id": 1, "name": "ann"}, {"id": 2}]


def test_rows_get_ids_where_the_clone_tracks_them(spark, tmp_path):
    source, target = golden_table("columns", tmp_path), tmp_path / "target"

    clone(spark, source, target, clauses="TBLPROPERTIES ('delta.enableRowTracking' = 'true')")

    ids = spark.read.format("delta").load(str(target)).select("_metadata.row_id").collect()
    assert sorted(row.row_id for row in ids) == list(range(len(golden_rows("columns"))))


def test_clone_of_the_clone_reads_its_deletion_vectors(spark, tmp_path, lenient):
    source, target = golden_table("deletes_v2", tmp_path), tmp_path / "target"
    clone(spark, source, target)
    second = tmp_path / "second"

    DeltaTable.forPath(spark, str(target)).clone(str(second), isShallow=True)

    assert rows(spark, second) == golden_rows("deletes_v2")
    assert list(check_table(str(second)).findings) == []
