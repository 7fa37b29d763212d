"""Statements and writes say what they committed."""

import threading

import pytest
from pyspark.sql import DataFrame

import puredelta
from puredelta import DeltaTable
from puredelta.api import CommitReport


@pytest.fixture
def table(spark, path):
    """Ids 0 to 3, in one file."""
    spark.range(4).coalesce(1).write.format("delta").save(path)
    return DeltaTable.forPath(spark, path)


def test_delete_says_what_it_committed(table):
    done = table.delete("id = 3")

    assert (done.commit.operation, done.commit.version) == ("DELETE", 1)
    assert done.commit.metrics["numDeletedRows"] == "1"
    assert (done.commit.files, done.commit.removed_files) == (1, 1)
    assert str(done).startswith(f"DELETE on delta.`{table.detail().first().location}`: version 1\n")
    assert "rows: 1 deleted\n  files: 1 added (" in str(done)


def test_answer_is_the_dataframe_that_delta_spark_returns(table):
    done = table.update("id = 3", {"id": "30"})

    assert isinstance(done, DataFrame)
    assert done.collect() == [(1,)]
    assert done.select("num_affected_rows").columns == ["num_affected_rows"]
    assert type(done.limit(1)) is not type(done)


def test_merge_counts_each_kind_of_row(table, spark):
    rows = spark.range(2, 6)

    done = (
        table.alias("t")
        .merge(rows.alias("s"), "t.id = s.id")
        .whenMatchedDelete("s.id = 2")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute()
    )

    assert "rows: 2 inserted, 1 updated, 1 deleted\n" in str(done.commit)


def test_statement_without_effect_has_no_commit(table):
    done = table.delete("id = 99")

    assert done.commit is None
    assert done.collect() == [(0,)]
    assert str(done) == "DataFrame[num_affected_rows: bigint]"


def test_statement_that_compaction_follows_reports_its_own_commit(table, setting):
    setting("spark.databricks.delta.autoCompact.enabled", "true")
    setting("spark.databricks.delta.autoCompact.minNumFiles", "2")
    table.toDF().write.format("delta").mode("append").save(table.detail().first().location)

    done = table.delete("id = 0")

    assert done.commit.operation == "DELETE"


def test_last_commit_of_a_write(spark, path):
    spark.range(3).coalesce(1).write.format("delta").save(path)

    last = puredelta.last_commit(spark)

    assert isinstance(last, CommitReport)
    assert (last.operation, last.version, last.rows, last.files) == ("WRITE", 0, 3, 1)
    assert "rows: 3 written" in str(last)
    assert "rows" in last._repr_html_()


def test_last_commit_of_a_statement_in_sql(spark, table):
    spark.sql(f"DELETE FROM delta.`{table.detail().first().location}` WHERE id < 2")

    assert puredelta.last_commit().metrics["numDeletedRows"] == "2"


def test_sessions_do_not_see_the_commits_of_others(spark, table):
    other = spark.newSession()

    assert puredelta.last_commit(other) is None

    other.range(1).write.format("delta").mode("append").save(table.detail().first().location)
    assert puredelta.last_commit(other).version == 1
    assert puredelta.last_commit(spark).version == 0


def test_commits_of_other_threads_count_for_their_session(spark, table):
    thread = threading.Thread(target=lambda: table.delete("id = 1"))
    thread.start()
    thread.join()

    assert puredelta.last_commit(spark).operation == "DELETE"
