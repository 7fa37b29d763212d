"""CONVERT TO DELTA as a statement and a call: what is converted, and what the catalog says then."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.report import Conversion
from puredelta.engine.exceptions import DeltaAnalysisException
from puredelta.errors import DeltaError
from puredelta.tables import DeltaTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def lake(tmp_path: Path) -> str:
    """A folder p=0, p=1, p=2 of two rows each."""
    for part in range(3):
        folder = tmp_path / "lake" / f"p={part}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": [part * 2, part * 2 + 1]}), folder / "a.parquet")
    return str(tmp_path / "lake")


def test_statement_needs_the_partition_columns_and_says_which(spark, lake):
    with pytest.raises(DeltaAnalysisException, match=r"found 1 partition column\(s\): \[`p`\]"):
        spark.sql(f"CONVERT TO DELTA parquet.`{lake}`")

    assert not DeltaTable.isDeltaTable(spark, lake)


def test_statement_infers_partition_columns_where_the_session_allows_it(spark, lake, setting):
    setting("spark.puredelta.convert.inferPartitions", "true")

    spark.sql(f"CONVERT TO DELTA parquet.`{lake}`")

    assert spark.table(f"delta.`{lake}`").dtypes == [("id", "bigint"), ("p", "int")]


def test_call_infers_partition_columns_where_it_says_so(spark, lake):
    table = DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", inferPartitions=True)

    assert sorted(map(tuple, table.toDF().collect())) == [(n, n // 2) for n in range(6)]
    assert table.conversion is None


def test_call_without_statistics_leaves_them_out(spark, lake):
    table = DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p INT", collectStats=False)

    assert table.stats().count() == 0
    assert table.history().first().operationParameters["collectStats"] == "false"


def test_dry_run_writes_nothing(spark, lake):
    report = DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p INT", dryRun=True)

    assert isinstance(report, Conversion)
    assert (report.files, report.rows, report.partition_columns) == (3, 6, ("p",))
    assert not DeltaTable.isDeltaTable(spark, lake)


def test_table_of_the_catalog_is_one_name_in_the_api(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} USING parquet AS SELECT 1 AS id")

    table = DeltaTable.convertToDelta(spark, f"spark_catalog.default.{table_name}")

    assert repr(table) == f"DeltaTable(spark_catalog.default.{table_name})"
    assert table.history().first().operationParameters["catalogTable"] == (
        f"`spark_catalog`.`default`.`{table_name}`"
    )


def test_dry_run_leaves_the_entry_of_the_catalog(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} USING parquet AS SELECT 1 AS id")

    report = DeltaTable.convertToDelta(spark, table_name, dryRun=True)

    assert report.files == 1
    assert "Provider|parquet" in description(spark, table_name)


def test_partitions_elsewhere_become_part_of_the_table(spark, table_name, tmp_path):
    other = tmp_path / "an other place"
    spark.sql(f"CREATE TABLE {table_name} (id INT, p STRING) USING parquet PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table_name} VALUES (1, 'here')")
    spark.sql("SELECT 2 AS id").write.parquet(str(other))
    spark.sql(f"ALTER TABLE {table_name} ADD PARTITION (p = 'a/b c') LOCATION '{other}'")

    spark.sql(f"CONVERT TO DELTA {table_name}")

    rows = spark.sql(f"SELECT * FROM {table_name} ORDER BY id").collect()
    assert [tuple(row) for row in rows] == [(1, "here"), (2, "a/b c")]


def test_partition_folders_that_the_catalog_does_not_know_stay_out(spark, table_name, lake):
    spark.sql(
        f"CREATE TABLE {table_name} (id BIGINT, p INT) USING parquet PARTITIONED BY (p)"
        f" LOCATION '{lake}'"
    )
    spark.sql(f"ALTER TABLE {table_name} ADD PARTITION (p = 1)")

    spark.sql(f"CONVERT TO DELTA {table_name}")

    assert spark.table(table_name).count() == 2


def test_relative_path_begins_in_the_folder_that_spark_works_in(spark, lake):
    relative = os.path.relpath(lake)

    with pytest.raises(DeltaAnalysisException, match="PATH_NOT_FOUND"):
        spark.sql(f"CONVERT TO DELTA parquet.`{relative}/none`")
    spark.sql(f"CONVERT TO DELTA parquet.`{relative}` PARTITIONED BY (p INT)")

    assert spark.read.format("delta").load(str(lake)).count() == 6


def test_comment_of_a_catalog_table_stays(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING parquet COMMENT 'what it is for'")
    spark.sql(f"INSERT INTO {table_name} VALUES (1)")

    spark.sql(f"CONVERT TO DELTA {table_name}")

    assert "Comment|what it is for" in description(spark, table_name)
    [detail] = spark.sql(f"DESCRIBE DETAIL {table_name}").collect()
    assert detail.description == "what it is for"


def test_view_is_refused_by_its_name(spark, table_name):
    spark.sql(f"CREATE VIEW {table_name} AS SELECT 1 AS id")
    try:
        with pytest.raises(DeltaAnalysisException, match="Converting a view"):
            spark.sql(f"CONVERT TO DELTA {table_name}")
    finally:
        spark.sql(f"DROP VIEW {table_name}")


def test_wrong_properties_of_an_entry_are_refused_and_leave_it(spark, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} USING parquet TBLPROPERTIES ('delta.checkpointInterval' = 'x')"
        " AS SELECT 1 AS id"
    )

    with pytest.raises(DeltaError, match=r"delta\.checkpointInterval"):
        spark.sql(f"CONVERT TO DELTA {table_name}")

    assert "Provider|parquet" in description(spark, table_name)


def test_table_that_was_converted_is_only_told_of(spark, lake, capsys):
    DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p INT")

    DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p INT")

    assert capsys.readouterr().out == (
        "The table you are trying to convert is already a delta table\n"
    )


def test_partition_schema_of_another_kind_is_refused(spark, lake):
    with pytest.raises(TypeError, match="partitionSchema must be str or StructType, not list"):
        DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", ["p"])


def test_default_of_a_column_stays_and_brings_its_feature(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT, v INT DEFAULT 7) USING parquet")
    spark.sql(f"INSERT INTO {table_name} (id) VALUES (1)")

    spark.sql(f"CONVERT TO DELTA {table_name}")
    spark.sql(f"INSERT INTO {table_name} (id) VALUES (2)")

    rows = spark.sql(f"SELECT * FROM {table_name} ORDER BY id").collect()
    assert [tuple(row) for row in rows] == [(1, 7), (2, 7)]
    features = spark.sql(f"DESCRIBE DETAIL {table_name}").first().tableFeatures
    assert "allowColumnDefaults" in features


@pytest.mark.parametrize("clause", ["", "NO STATISTICS"])
def test_files_without_a_column_that_has_a_value_there_are_refused(spark, table_name, clause):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING parquet")
    spark.sql(f"INSERT INTO {table_name} VALUES (1)")
    spark.sql(f"ALTER TABLE {table_name} ADD COLUMN v INT DEFAULT 5")

    with pytest.raises(DeltaError, match="PUREDELTA_CONVERT_DEFAULT_OF_ABSENT_COLUMN"):
        spark.sql(f"CONVERT TO DELTA {table_name} {clause}")

    assert spark.table(table_name).first().v == 5


def test_entry_that_was_not_turned_is_turned_the_next_time(spark, table_name, capsys):
    spark.sql(f"CREATE TABLE {table_name} USING parquet TBLPROPERTIES ('a' = 'b') AS SELECT 1 AS i")
    place = spark.sql(f"DESCRIBE DETAIL {table_name}").first().location
    spark.sql(f"CONVERT TO DELTA parquet.`{place}`")
    assert "Provider|parquet" in description(spark, table_name)

    DeltaTable.convertToDelta(spark, table_name)

    assert "Provider|delta" in description(spark, table_name)
    history = spark.sql(f"DESCRIBE HISTORY {table_name}").select("operation").collect()
    assert [row.operation for row in history] == ["CONVERT", "CONVERT"]
    assert capsys.readouterr().out == ""


def test_other_current_catalog_is_named(spark, table_name):
    with pytest.raises(DeltaAnalysisException, match="PUREDELTA_CONVERT_OTHER_CATALOG"):
        spark.sql(f"CONVERT TO DELTA elsewhere.default.{table_name}")


def description(spark: SparkSession, table: str) -> str:
    """What the catalog says of a table, a line a fact."""
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    return "\n".join(f"{row.col_name}|{row.data_type}" for row in rows)


def test_table_in_another_folder_reads_the_files_where_they_are(spark, lake, tmp_path):
    there = str(tmp_path / "table")

    table = DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p INT", deltaPath=there)
    spark.sql(f"INSERT INTO delta.`{there}` VALUES (6, 3)")

    assert sorted(map(tuple, table.toDF().collect())) == [(n, n // 2) for n in range(7)]
    assert not DeltaTable.isDeltaTable(spark, lake)
    assert spark.read.parquet(lake).count() == 6
