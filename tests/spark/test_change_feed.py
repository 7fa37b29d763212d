"""What changed: readChangeFeed, table_changes, and what each statement tells."""

import time
from pathlib import Path

import pytest
from pyspark.sql import functions as F  # noqa: N812

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaUnsupportedOperationError,
)

FEED = "'delta.enableChangeDataFeed' = 'true'"
VECTORS = f"{FEED}, 'delta.enableDeletionVectors' = 'true'"
MAPPED = f"{FEED}, 'delta.columnMapping.mode' = 'name'"


def made(spark, path, properties=FEED, layout="PARTITIONED BY (p)"):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT, v STRING, p STRING) USING delta {layout}"
        f" TBLPROPERTIES ({properties})"
    )
    rows = [(n, f"v{n}", "xy"[n % 2]) for n in range(1, 7)]
    frame = spark.createDataFrame(rows, "id INT, v STRING, p STRING").coalesce(1)
    frame.write.format("delta").mode("append").save(path)


def feed(spark, path, **options):
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    return reader.options(**options).load(path)


def told(spark, path, start, end=None):
    """Return version, kind, id and v of what changed."""
    options = {"startingVersion": start} | ({} if end is None else {"endingVersion": end})
    frame = feed(spark, path, **options)
    rows = frame.select("_commit_version", "_change_type", "id", "v").collect()
    return sorted(map(tuple, rows))


def change_files(path) -> int:
    return len(list((Path(path) / "_change_data").rglob("*.parquet")))


@pytest.mark.parametrize("properties", [FEED, VECTORS, MAPPED])
@pytest.mark.parametrize("layout", ["", "PARTITIONED BY (p)"])
def test_each_statement_tells_what_it_did(spark, path, properties, layout):
    made(spark, path, properties, layout)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 1")
    spark.sql(f"UPDATE delta.`{path}` SET v = 'new' WHERE id = 2")
    spark.sql(
        f"MERGE INTO delta.`{path}` AS t USING (SELECT explode(array(3, 4, 9)) AS id) AS s"
        " ON t.id = s.id WHEN MATCHED AND t.id = 3 THEN DELETE"
        " WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT (id, v, p)"
        " VALUES (s.id, 'i', 'x')"
    )

    assert told(spark, path, 2) == [
        (2, "delete", 1, "v1"),
        (3, "update_postimage", 2, "new"),
        (3, "update_preimage", 2, "v2"),
        (4, "delete", 3, "v3"),
        (4, "insert", 9, "i"),
        (4, "update_postimage", 4, "m"),
        (4, "update_preimage", 4, "v4"),
    ]
    now = sorted(r.id for r in spark.read.format("delta").load(path).collect())
    assert now == [2, 4, 5, 6, 9]


def test_what_files_tell_needs_no_change_files(spark, path):
    made(spark, path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE p = 'x'")
    spark.sql(f"INSERT OVERWRITE delta.`{path}` VALUES (7, 'o', 'z')")
    spark.sql(f"TRUNCATE TABLE delta.`{path}`")

    found = [row[:3] for row in told(spark, path, 2)]

    assert found == [
        *((2, "delete", n) for n in (2, 4, 6)),
        *((3, "delete", n) for n in (1, 3, 5)),
        (3, "insert", 7),
        (4, "delete", 7),
    ]
    assert change_files(path) == 0


def test_vectors_tell_what_is_deleted_without_change_files(spark, path):
    made(spark, path, VECTORS, "")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN (1, 2)")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 5")

    assert [row[:3] for row in told(spark, path, 2)] == [
        (2, "delete", 1),
        (2, "delete", 2),
        (3, "delete", 5),
    ]
    assert change_files(path) == 0


@pytest.mark.parametrize("layout", ["", "PARTITIONED BY (p)"])
def test_overwrites_of_some_rows_tell_these(spark, path, layout):
    made(spark, path, layout=layout)
    new = spark.createDataFrame([(3, "r", "y"), (3, "s", "y")], "id INT, v STRING, p STRING")
    new.write.format("delta").mode("overwrite").option("replaceWhere", "id = 3").save(path)

    assert told(spark, path, 2) == [
        (2, "delete", 3, "v3"),
        (2, "insert", 3, "r"),
        (2, "insert", 3, "s"),
    ]
    assert spark.read.format("delta").load(path).count() == 7
    assert spark.read.format("delta").load(path).where("id <> 3").count() == 5


def test_values_that_are_random_are_told_as_they_were_written(spark, path):
    made(spark, path)
    spark.sql(f"UPDATE delta.`{path}` SET v = cast(current_timestamp() AS STRING) WHERE id < 4")

    post = {r[2]: r[3] for r in told(spark, path, 2) if r[1] == "update_postimage"}

    rows = spark.read.format("delta").load(path).where("id < 4").collect()
    assert post == {row.id: row.v for row in rows}


def test_feed_has_the_columns_of_the_table_and_three_more(spark, path):
    made(spark, path)

    fields = [
        (f.name, f.dataType.simpleString()) for f in feed(spark, path, startingVersion=0).schema
    ]

    assert fields[3:] == [
        ("_change_type", "string"),
        ("_commit_version", "bigint"),
        ("_commit_timestamp", "timestamp"),
    ]
    history = {
        r.version: r.timestamp for r in spark.sql(f"DESCRIBE HISTORY delta.`{path}`").collect()
    }
    assert feed(spark, path, startingVersion=1).first()._commit_timestamp == history[1]


def test_open_range_goes_up_to_the_newest_version_each_time(spark, path):
    made(spark, path)
    frame = feed(spark, path, startingVersion=0)
    assert frame.count() == 6

    spark.sql(f"INSERT INTO delta.`{path}` VALUES (8, 'later', 'x')")

    assert frame.count() == 7


def test_filters_on_what_all_rows_of_a_file_share_leave_files_out(spark, path):
    made(spark, path)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (8, 'later', 'x')")
    frame = feed(spark, path, startingVersion=0).where("_commit_version = 2 AND p = 'x'")

    assert [r.id for r in frame.collect()] == [8]
    assert frame.where("_change_type = 'delete'").count() == 0
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert "PartitionFilters: [" in plan
    assert "_commit_version" in plan.split("PartitionFilters: ")[1].split("]")[0]


def test_feed_of_a_table_by_its_name(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING delta TBLPROPERTIES ({FEED})")
    spark.sql(f"INSERT INTO {table_name} VALUES (1), (2)")

    named = spark.read.option("readChangeFeed", "true").option("startingVersion", 1)
    assert sorted(r.id for r in named.table(table_name).collect()) == [1, 2]
    called = (
        f"SELECT c.id, c._change_type FROM table_changes('{table_name}', 0, 1) AS c WHERE id = 2"
    )
    assert [tuple(r) for r in spark.sql(called).collect()] == [(2, "insert")]
    spark.sql(f"CREATE OR REPLACE TEMP VIEW v_{table_name} AS {called}")
    assert spark.table(f"v_{table_name}").count() == 1
    twice = spark.sql(
        f"SELECT count(*) FROM table_changes('{table_name}', 0) a JOIN"
        f" table_changes('{table_name}', 0) b ON a.id = b.id"
    )
    assert twice.first()[0] == 2


def test_times_are_bounds_too(spark, path):
    made(spark, path)
    time.sleep(1.1)
    between = spark.sql("SELECT cast(current_timestamp() AS STRING)").first()[0]
    time.sleep(0.1)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (8, 'later', 'x')")

    assert feed(spark, path, startingTimestamp=between).count() == 1
    assert feed(spark, path, startingVersion=0, endingTimestamp=between).count() == 6
    by_time = f"SELECT * FROM table_changes_by_path('{path}', timestamp'{between}')"
    assert spark.sql(by_time).count() == 1
    assert feed(spark, path, startingTimestamp=between, endingTimestamp=between).count() == 0


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({}, "DELTA_NO_START_FOR_CDC_READ"),
        ({"endingVersion": 1}, "DELTA_NO_START_FOR_CDC_READ"),
        ({"startingVersion": 9}, "DELTA_CDC_START_VERSION_AFTER_LATEST"),
        ({"startingVersion": 1, "endingVersion": 0}, "DELTA_INVALID_CDC_RANGE"),
        ({"startingVersion": "abc"}, "DELTA_VERSION_INVALID"),
        ({"startingVersion": -1}, "DELTA_VERSION_INVALID"),
        ({"startingTimestamp": "then"}, "DELTA_TIMESTAMP_INVALID"),
        ({"startingTimestamp": "2999-01-01"}, "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"),
        (
            {"startingVersion": 0, "endingTimestamp": "2001-01-01"},
            "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
        ),
        ({"startingVersion": 0, "versionAsOf": 1}, "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS"),
    ],
)
def test_ranges_that_are_none_are_refused(spark, path, options, condition):
    made(spark, path)

    with pytest.raises((DeltaAnalysisError, DeltaIllegalArgumentError)) as raised:
        feed(spark, path, **options)

    assert raised.value.getCondition() == condition


def test_ranges_behind_the_newest_version_are_empty_where_that_is_asked_for(spark, path):
    made(spark, path)
    key = "spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled"
    spark.conf.set(key, "true")
    try:
        assert feed(spark, path, startingVersion=9).count() == 0
        assert feed(spark, path, startingTimestamp="2999-01-01").count() == 0
        assert feed(spark, path, startingVersion=0, endingTimestamp="2999-01-01").count() == 6
    finally:
        spark.conf.unset(key)


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("table_changes_by_path('{p}')", "INCORRECT_NUMBER_OF_ARGUMENTS"),
        ("table_changes_by_path('{p}', 0, 1, 2)", "INCORRECT_NUMBER_OF_ARGUMENTS"),
        ("table_changes_by_path('{p}', NULL)", "DELTA_CDC_READ_NULL_RANGE_BOUNDARY"),
        ("table_changes_by_path('{p}', 1.5)", "DELTA_UNSUPPORTED_EXPRESSION"),
        ("table_changes_by_path('{p}', rand())", "DELTA_CDC_NON_CONSTANT_ARGUMENT"),
        ("table_changes_by_path('{p}', (SELECT 1))", "DELTA_CDC_NON_CONSTANT_ARGUMENT"),
        ("table_changes_by_path('{p}_nowhere', 0)", "DELTA_MISSING_DELTA_TABLE"),
        ("table_changes('nowhere', 0)", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
)
def test_calls_that_cannot_be_are_refused(spark, path, call, condition):
    made(spark, path)

    with pytest.raises(Exception) as raised:  # Spark's own, and ours
        spark.sql(f"SELECT * FROM {call.format(p=path)}")

    assert raised.value.getCondition() == condition


def test_versions_without_the_feed_are_named_when_they_are_read(spark, path):
    made(spark, path, "'delta.appendOnly' = 'false'")
    spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ({FEED})")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (8, 'later', 'x')")

    assert [row[2] for row in told(spark, path, 2)] == [8]
    frame = feed(spark, path, startingVersion=0)
    with pytest.raises(DeltaAnalysisError, match="version 0 did not record"):
        frame.collect()


def test_columns_that_were_renamed_are_read_up_to_then(spark, path):
    made(spark, path, MAPPED)
    spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN v TO w")

    assert feed(spark, path, startingVersion=0, endingVersion=1).columns[1] == "v"
    assert feed(spark, path, startingVersion=0, endingVersion=1).count() == 6
    with pytest.raises(DeltaUnsupportedOperationError, match="version 0 has columns"):
        feed(spark, path, startingVersion=0).count()


def test_columns_that_came_later_are_null_before(spark, path):
    made(spark, path)
    spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMNS (z INT)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (8, 'later', 'x', 5)")

    assert feed(spark, path, startingVersion=0).where(F.col("z").isNull()).count() == 6


def test_names_of_the_feed_are_reserved(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, _change_type STRING) USING delta")
    with pytest.raises(DeltaIllegalStateError, match="_change_type"):
        spark.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ({FEED})")

    made(spark, f"{path}2")
    with pytest.raises(DeltaIllegalStateError, match="_commit_version"):
        spark.sql(f"ALTER TABLE delta.`{path}2` ADD COLUMNS (_commit_version INT)")
