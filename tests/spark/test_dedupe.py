"""`DeltaTable.dedupe`: of rows with one key, one stays."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.api import Deduped
from puredelta.engine.exceptions import DeltaUnsupportedOperationException
from puredelta.testing import assert_history, history_of

ROWS = [(1, "a", 1), (1, "a", 1), (1, "b", 2), (2, "c", 3), (None, "d", 4), (None, "e", None)]


def made(spark, path, **properties):
    """Six rows in two files."""
    told = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    clause = f"TBLPROPERTIES ({told})" if told else ""
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, name STRING, n INT) USING delta {clause}")
    for half in (ROWS[:3], ROWS[3:]):
        rows = spark.createDataFrame(half, "id INT, name STRING, n INT").coalesce(1)
        rows.write.format("delta").mode("append").save(path)
    return DeltaTable.forPath(spark, path)


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    return made(spark, str(tmp_path / "t"))


def kept(table):
    return sorted(tuple(row) for row in table.toDF().select("name", "n").collect())


def test_rows_that_are_there_twice_in_all_columns_are_there_once(table):
    done = table.dedupe()

    assert done == Deduped(version=3, deleted=1, files=1, removed_files=1, changed=True)
    assert kept(table) == [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", None)]
    assert_history(table, [("DELETE", {"numDeletedRows": 1})], after=2)
    [last] = history_of(table, after=2)
    assert "PARTITION BY id, name, n" in last.parameters["predicate"]


def test_no_doubles_make_no_version(table):
    table.dedupe()

    again = table.dedupe()

    assert again == Deduped(version=3, deleted=0, files=0, removed_files=0, changed=False)


@pytest.mark.parametrize("as_column", [False, True])
def test_greatest_row_of_a_key_stays(table, as_column):
    done = table.dedupe("ID", orderBy=F.col("n") if as_column else "n")

    assert done.deleted == 3
    assert kept(table) == [("b", 2), ("c", 3), ("d", 4)]


def test_key_of_several_columns_and_any_order(table):
    done = table.dedupe(["id", "name"])

    assert done.deleted == 1


def test_least_row_stays_with_the_order_turned_round(table):
    table.dedupe("id", orderBy="-n")

    assert kept(table) == [("a", 1), ("c", 3), ("d", 4)]


def test_deletion_vectors_mark_the_rows_where_the_table_has_them(spark, tmp_path):
    table = made(spark, str(tmp_path / "v"), enableDeletionVectors="true")

    done = table.dedupe("id", orderBy="n")

    assert (done.deleted, done.files, done.removed_files) == (3, 0, 0)
    assert kept(table) == [("b", 2), ("c", 3), ("d", 4)]
    assert table.dedupe("id").deleted == 0


def test_change_feed_tells_what_went(spark, tmp_path):
    path = str(tmp_path / "f")
    table = made(spark, path, enableChangeDataFeed="true")

    table.dedupe()

    reader = spark.read.format("delta").option("readChangeFeed", "true")
    changes = reader.option("startingVersion", 3).load(path)
    assert [(row["_change_type"], row["name"]) for row in changes.collect()] == [("delete", "a")]


def test_empty_table_has_nothing_to_lose(spark, tmp_path):
    path = str(tmp_path / "e")
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT) USING delta")

    assert not DeltaTable.forPath(spark, path).dedupe().changed


def test_table_that_only_grows_keeps_its_doubles(spark, tmp_path):
    table = made(spark, str(tmp_path / "a"), appendOnly="true")

    with pytest.raises(DeltaUnsupportedOperationException):
        table.dedupe()


def test_arguments_are_checked(table):
    with pytest.raises(ValueError, match="key"):
        table.dedupe([])
    with pytest.raises(TypeError, match="orderBy"):
        table.dedupe("id", orderBy=5)
    with pytest.raises(AnalysisException, match="nowhere"):
        table.dedupe("nowhere")


def test_run_of_an_application_happens_once(spark, table):
    spark.conf.set("spark.databricks.delta.write.txnAppId", "cleaner")
    spark.conf.set("spark.databricks.delta.write.txnVersion", "1")
    assert table.dedupe().deleted == 1

    assert not table.dedupe(key="id").changed

    spark.conf.set("spark.databricks.delta.write.txnVersion", "2")
    assert table.dedupe(key="id").changed
