"""Everyday verbs: `append_new` and `replace_where`, and what they say they did."""

import deltalake
import pyarrow as pa
import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.api import Appended
from puredelta.commands.write.write import Write
from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    DeltaAnalysisException,
    DeltaInvariantViolationException,
)


@pytest.fixture
def place(spark, tmp_path) -> str:
    """A table of ids 0 to 4, partitioned by parity."""
    path = str(tmp_path / "t")
    frame = spark.range(5).selectExpr("id", "id % 2 AS half", "'old' AS what")
    frame.coalesce(1).write.format("delta").partitionBy("half").save(path)
    return path


@pytest.fixture
def table(spark, place) -> DeltaTable:
    return DeltaTable.forPath(spark, place)


def rows(spark, ids, what="new"):
    return spark.createDataFrame(
        [(n, n % 2, what) for n in ids], "id BIGINT, half BIGINT, what STRING"
    )


def kept(table):
    return sorted((row["id"], row["what"]) for row in table.toDF().collect())


# -------------------------------------------------------------------------- append_new


def test_only_rows_of_new_keys_are_appended(spark, table):
    done = table.append_new(rows(spark, [3, 4, 5, 6]), key="id")

    assert (done.version, done.rows, done.changed) == (1, 2, True)
    assert done.files == 2
    files = table.files().where("modification_time IS NOT NULL").collect()
    assert done.bytes < sum(row["size"] for row in files)
    assert kept(table)[3:] == [(3, "old"), (4, "old"), (5, "new"), (6, "new")]
    assert table.history(1).first()["operation"] == "WRITE"


def test_nothing_new_makes_no_version(spark, table):
    done = table.append_new(rows(spark, [1, 2]), key="id")

    assert done == Appended(version=0, rows=0, files=0, bytes=0, changed=False)
    assert table.history().count() == 1


def test_key_of_several_columns_and_columns_in_another_order(spark, table):
    frame = rows(spark, [1, 2], "old").unionByName(rows(spark, [1], "new"))

    done = table.append_new(frame.select("what", "half", "id"), key=["id", "WHAT"])

    assert done.rows == 1
    assert kept(table).count((1, "new")) == 1


def test_null_keys_equal_each_other(spark, table):
    nothing = spark.createDataFrame([(None, 0, "n")], "id BIGINT, half BIGINT, what STRING")

    assert table.append_new(nothing, key="id").rows == 1
    assert table.append_new(nothing, key="id").rows == 0


def test_rows_with_the_same_new_key_all_come(spark, table):
    frame = rows(spark, [9, 9])

    assert table.append_new(frame.dropDuplicates(["id"]), key="id").rows == 1
    assert table.append_new(rows(spark, [10, 10]), key="id").rows == 2


def test_rows_made_from_the_table_itself(spark, table):
    frame = table.toDF().withColumn("id", F.col("id") + 3)

    assert table.append_new(frame, key="id").rows == 3
    assert [key for key, _ in kept(table)] == list(range(8))


def test_cached_rows_of_the_table_hide_nothing_that_others_wrote(spark, table, place):
    cached = spark.read.format("delta").load(place).cache()
    assert cached.count() == 5
    other = pa.table({"id": [7], "half": [1], "what": ["other"]})
    deltalake.write_deltalake(place, other, mode="append")

    done = table.append_new(rows(spark, [7, 8]), key="id")

    cached.unpersist()
    assert done.rows == 1
    assert (7, "new") not in kept(table)


@pytest.fixture
def overtaken(spark, place, monkeypatch):
    """The next append meets another writer's row of key 8."""
    real = Write.run

    def run(write, context):
        monkeypatch.undo()
        spark.sql(f"INSERT INTO delta.`{place}` VALUES (8, 0, 'other')")
        return real(write, context)

    monkeypatch.setattr(Write, "run", run)


@pytest.mark.usefixtures("overtaken")
def test_rows_that_another_writer_added_meanwhile_are_a_conflict(spark, table):
    with pytest.raises(ConcurrentAppendException):
        table.append_new(rows(spark, [8]), key="id")

    assert table.append_new(rows(spark, [8]), key="id").rows == 0
    assert [what for key, what in kept(table) if key == 8] == ["other"]


@pytest.mark.usefixtures("overtaken")
def test_append_runs_again_where_others_were_first(spark, table):
    done = table.append_new(rows(spark, [8, 9]), key="id", retry=1)

    assert (done.version, done.rows) == (2, 1)
    assert kept(table)[5:] == [(8, "other"), (9, "new")]


def test_key_must_be_named_and_there(spark, table):
    with pytest.raises(ValueError, match="key"):
        table.append_new(rows(spark, [1]), key=[])
    with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
        table.append_new(rows(spark, [1]), key="nowhere")


def test_columns_that_the_table_does_not_have_are_refused(spark, table):
    with pytest.raises(DeltaAnalysisException):
        table.append_new(rows(spark, [9]).withColumn("more", F.lit(1)), key="id")

    assert table.history().count() == 1


# ----------------------------------------------------------------------- replace_where


@pytest.mark.parametrize("as_column", [False, True])
def test_rows_of_the_condition_are_replaced(spark, table, as_column):
    condition = F.col("half").isin(1, 7) if as_column else "half IN (1, 7)"

    done = table.replace_where(rows(spark, [11, 13, 15]).coalesce(1), condition)

    assert (done.version, done.rows, done.files, done.removed_files) == (1, 3, 1, 1)
    assert done.bytes > 0
    assert done.removed_bytes > 0
    assert kept(table) == [
        (0, "old"),
        (2, "old"),
        (4, "old"),
        (11, "new"),
        (13, "new"),
        (15, "new"),
    ]


def test_rows_of_any_condition_are_replaced_and_others_stay(spark, table):
    old = (F.col("what") == "old") & (F.col("id") >= 3)

    done = table.replace_where(rows(spark, [30], "old"), old)

    assert (done.version, done.rows, done.changed) == (1, 1, True)
    assert kept(table) == [(0, "old"), (1, "old"), (2, "old"), (30, "old")]


def test_rows_that_do_not_match_the_condition_are_refused(spark, table):
    with pytest.raises((DeltaAnalysisException, DeltaInvariantViolationException)):
        table.replace_where(rows(spark, [2]), "half = 1")

    assert table.history().count() == 1


def test_rows_are_counted_without_metrics_and_not_without_anything(spark, table):
    spark.conf.set("spark.databricks.delta.history.metricsEnabled", "false")
    try:
        counted = table.append_new(rows(spark, [20]), key="id")
        spark.conf.set("spark.databricks.delta.stats.collect", "false")
        unknown = table.append_new(rows(spark, [21]), key="id")
    finally:
        spark.conf.unset("spark.databricks.delta.history.metricsEnabled")
        spark.conf.unset("spark.databricks.delta.stats.collect")

    assert (counted.rows, unknown.rows) == (1, None)


def test_rows_that_moved_are_not_counted_without_metrics(spark, table):
    spark.conf.set("spark.databricks.delta.history.metricsEnabled", "false")
    try:
        replaced = table.replace_where(rows(spark, [2]), "id = 2")
    finally:
        spark.conf.unset("spark.databricks.delta.history.metricsEnabled")

    # The file of 0, 2 and 4 is written anew, and no statistics tell which of its rows came.
    assert (replaced.changed, replaced.rows) == (True, None)
