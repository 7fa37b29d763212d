"""Statements on tables whose effect delta-spark's own answers do not show."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.errors import (
    AnalysisException,
    ArithmeticException,
    NumberFormatException,
)
from pyspark.sql import Row

import puredelta.log
from puredelta.tables import DeltaTable

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
FAILING = "SELECT id, CAST(if(id = 3, 'x', '1') AS INT) AS n FROM range(0, 5, 1, 1)"


def log_of(root, version):
    text = (Path(root) / "_delta_log" / f"{version:020}.json").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def clustering_in(root, version):
    """What a commit says of the clustering columns."""
    domains = (one.get("domainMetadata") for one in log_of(root, version))
    return [json.loads(one["configuration"])["clusteringColumns"] for one in domains if one]


# ---------------------------------------------------------------- INSERT WITH SCHEMA EVOLUTION


def test_schema_evolution_is_for_one_statement(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")

    spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {table_name} SELECT 1 AS id, 'a' AS name")

    assert spark.conf.get(AUTO_MERGE, None) is None
    with pytest.raises(AnalysisException):
        spark.sql(f"INSERT INTO {table_name} SELECT 1, 'a', 2 AS more")
    assert spark.table(table_name).columns == ["id", "name"]


def test_schema_evolution_that_fails_leaves_nothing_behind(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")

    with pytest.raises(ArithmeticException):
        spark.sql(f"INSERT WITH SCHEMA EVOLUTION INTO {table_name} SELECT 1 / 0 AS id, 2 AS n")

    assert spark.table(table_name).columns == ["id"]
    with pytest.raises(AnalysisException):
        spark.sql(f"INSERT INTO {table_name} SELECT 1, 2 AS n")


def test_schema_evolution_takes_parameters(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")

    spark.sql(
        f"INSERT WITH SCHEMA EVOLUTION INTO {table_name} BY NAME SELECT :a AS id, :b AS name",
        args={"a": 7, "b": "x"},
    )

    assert spark.table(table_name).collect() == [Row(id=7, name="x")]


def test_options_of_an_insert_reach_the_writer(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta")

    spark.sql(
        f"INSERT INTO {table_name} WITH ('mergeSchema' = 'true', 'userMetadata' = 'why')"
        " SELECT 1 AS id, 2 AS n"
    )

    (first, _) = DeltaTable.forName(spark, table_name).history().collect()
    assert first.userMetadata == "why"
    assert spark.table(table_name).columns == ["id", "n"]


# ------------------------------------------------------------------------------ SHOW PARTITIONS


@pytest.mark.parametrize(
    ("kind", "literal", "value"),
    [
        ("STRING", "'a b/c'", "a b/c"),
        ("BIGINT", "-5", -5),
        ("DECIMAL(5, 2)", "1.25", Decimal("1.25")),
        ("DOUBLE", "1.5D", 1.5),
        ("BOOLEAN", "true", True),
        ("DATE", "DATE'2024-02-29'", dt.date(2024, 2, 29)),
        (
            "TIMESTAMP",
            "TIMESTAMP'2024-01-01 10:00:00.5'",
            dt.datetime(2024, 1, 1, 10, 0, 0, 500_000),  # noqa: DTZ001  # as PySpark gives it
        ),
        (
            "TIMESTAMP_NTZ",
            "TIMESTAMP_NTZ'2024-01-01 00:00:00'",
            dt.datetime(2024, 1, 1),  # noqa: DTZ001  # it has none
        ),
        ("BINARY", "X'4142'", bytearray(b"AB")),
    ],
)
def test_partitions_are_shown_with_their_types(spark, table_name, kind, literal, value):
    spark.sql(f"CREATE TABLE {table_name} (id INT, p {kind}) USING delta PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table_name} VALUES (1, {literal}), (2, NULL), (3, {literal})")

    shown = spark.sql(f"SHOW PARTITIONS {table_name}")
    chosen = spark.sql(f"SHOW PARTITIONS {table_name} PARTITION (P = {literal})")

    assert shown.schema["p"].dataType == spark.table(table_name).schema["p"].dataType
    assert shown.collect() == [Row(p=value), Row(p=None)]
    assert chosen.collect() == [Row(p=value)]


def test_partitions_of_another_time_zone_are_shown(spark, table_name):
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.sql(f"CREATE TABLE {table_name} (id INT, p TIMESTAMP) USING delta PARTITIONED BY (p)")
    times = [f"TIMESTAMP'2024-01-01 {hour}:00:00'" for hour in ("01", "10")]
    spark.sql(f"INSERT INTO {table_name} VALUES (1, {times[0]}), (2, {times[1]})")

    for time in times:
        shown = spark.sql(f"SHOW PARTITIONS {table_name} PARTITION (p = {time})")
        assert shown.collect() == spark.sql(f"SELECT {time} AS p").collect()


def test_partitions_without_files_are_not_shown(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT, p INT) USING delta PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO {table_name} VALUES (1, 1), (2, 2)")

    spark.sql(f"TRUNCATE TABLE {table_name}")
    spark.sql(f"INSERT INTO {table_name} VALUES (3, 3)")

    assert spark.sql(f"SHOW PARTITIONS {table_name}").collect() == [Row(p=3)]


# ----------------------------------------------------------------------------------- CLUSTER BY


def test_frames_declare_clustering_and_later_ones_keep_it(spark, table_name):
    frame = spark.range(3).withColumnRenamed("id", "Id")
    frame.write.format("delta").clusterBy("id").saveAsTable(table_name)

    frame.write.format("delta").mode("append").clusterBy("Id").saveAsTable(table_name)
    frame.write.format("delta").mode("overwrite").saveAsTable(table_name)
    frame.write.mode("overwrite").insertInto(table_name)
    frame.writeTo(table_name).overwritePartitions()

    detail = DeltaTable.forName(spark, table_name).detail().first()
    assert detail.clusteringColumns == ["Id"]
    assert spark.catalog.listColumns(table_name)[0].isCluster
    with pytest.raises(AnalysisException) as raised:
        frame.selectExpr("Id", "1 AS n").write.format("delta").mode("overwrite").clusterBy(
            "n"
        ).option("overwriteSchema", "true").saveAsTable(table_name)
    assert raised.value.getCondition() == "DELTA_CLUSTERING_COLUMNS_MISMATCH"


def test_a_frame_saved_to_a_path_declares_clustering(spark, tmp_path):
    path = str(tmp_path / "t")

    spark.range(3).selectExpr("id", "named_struct('a', id) AS s").write.format("delta").clusterBy(
        "s.a"
    ).save(path)

    assert clustering_in(path, 0) == [[["s", "a"]]]
    assert spark.read.format("delta").load(path).count() == 3


# --------------------------------------------------------------------- CREATE and REPLACE that fail


@pytest.mark.parametrize("layout", ["", "PARTITIONED BY (n)", "CLUSTER BY (id)"])
def test_a_failing_create_as_select_does_not_block_the_next(spark, table_name, layout):
    with pytest.raises(NumberFormatException):
        spark.sql(f"CREATE TABLE {table_name} USING delta {layout} AS {FAILING}")

    assert not spark.catalog.tableExists(table_name)
    spark.sql(f"CREATE TABLE {table_name} USING delta {layout} AS SELECT 1L AS id, 2 AS n")
    assert spark.table(table_name).collect() == [Row(id=1, n=2)]


@pytest.mark.parametrize("left", ["part-00000-x.c000.snappy.parquet", "n=1/part-00000-x.parquet"])
def test_what_a_failing_create_left_does_not_block_the_next(spark, tmp_path, left):
    path = tmp_path / "t"
    with pytest.raises(NumberFormatException):
        spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS {FAILING}")
    (path / left).parent.mkdir(parents=True, exist_ok=True)
    (path / left).write_bytes(b"of a task that ended late")

    spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS SELECT 1 AS id")

    assert spark.table(f"delta.`{path}`").collect() == [Row(id=1)]


def test_files_of_others_stay_in_the_way_of_create(spark, tmp_path):
    path = tmp_path / "t"
    with pytest.raises(NumberFormatException):
        spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS {FAILING}")
    path.mkdir(exist_ok=True)
    (path / "notes.txt").write_text("mine", "utf-8")

    with pytest.raises(AnalysisException) as raised:
        spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS SELECT 1 AS id")

    assert raised.value.getCondition() == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"


def test_folder_of_a_table_that_the_catalog_does_not_know_is_named_as_one(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS SELECT 1 AS id")

    with pytest.raises(AnalysisException, match=r"CREATE TABLE .* USING delta LOCATION") as raised:
        spark.sql(f"CREATE TABLE unknown_one USING delta LOCATION '{path}' AS SELECT 1 AS id")

    assert raised.value.getCondition() == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"
    assert "CONVERT" not in str(raised.value)


def test_columns_that_are_looked_for_are_not_logged_as_errors(spark, tmp_path, capfd):
    path = str(tmp_path / "t")
    spark.range(1).write.format("delta").save(path)
    news = spark.range(1).selectExpr("id", "1 AS more")
    capfd.readouterr()

    spark.sql(f"DESCRIBE HISTORY delta.`{path}`").collect()
    DeltaTable.forPath(spark, path).upsert(news, "id", evolve=True)
    assert "QueryContextLogger" not in capfd.readouterr().err

    with pytest.raises(AnalysisException):
        spark.sql("SELECT not_a_column FROM range(1)").collect()


def test_a_failing_replace_leaves_table_and_files_as_they_were(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(f"CREATE TABLE delta.`{path}` USING delta AS SELECT 1 AS id")
    before = sorted(file.name for file in (tmp_path / "t").rglob("*"))

    for verb in ("REPLACE", "CREATE OR REPLACE"):
        with pytest.raises(NumberFormatException):
            spark.sql(f"{verb} TABLE delta.`{path}` USING delta AS {FAILING}")

    assert sorted(file.name for file in (tmp_path / "t").rglob("*")) == before
    assert spark.read.format("delta").load(path).collect() == [Row(id=1)]


# ---------------------------------------------------------------------------- CREATE TABLE LIKE


def test_a_table_like_another_has_what_belongs_to_one_table_to_itself(spark, tmp_path):
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    spark.sql(
        f"CREATE TABLE delta.`{one}` (id INT, s STRUCT<a: INT>) USING delta CLUSTER BY (s.a)"
        " COMMENT 'why' TBLPROPERTIES ('delta.enableRowTracking' = 'true', 'x' = 'y')"
    )

    spark.sql(f"CREATE TABLE delta.`{other}` LIKE delta.`{one}`")

    there, made = (puredelta.log.open_table(path).detail() for path in (one, other))
    names = [key for key in there["properties"] if "materialized" in key]
    assert len(names) == 2
    assert all(there["properties"][key] != made["properties"][key] for key in names)
    assert made["id"] != there["id"]
    for key in ("tableFeatures", "clusteringColumns", "description"):
        assert made[key] == there[key]
    assert made["properties"]["x"] == "y"
