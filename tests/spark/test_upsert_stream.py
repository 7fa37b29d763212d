"""`DeltaTable.upsert_stream`: a stream that is merged by a key, each batch once."""

import pytest
from pyspark.errors import StreamingQueryException

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException, DeltaIllegalArgumentException
from tests.spark.streams import Feed, finish, history, rows

SCHEMA = "id BIGINT, v STRING, at INT"


@pytest.fixture
def feed(spark, tmp_path):
    return Feed(spark, tmp_path, SCHEMA)


@pytest.fixture
def table(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` ({SCHEMA}) USING delta")
    return DeltaTable.forPath(spark, path)


def start(feed, table, frame=None, **given):
    stream = feed.read() if frame is None else frame
    writer = feed.given(table.upsert_stream(stream, **{"key": "id", **given}))
    return writer if frame is not None else writer.start()


def test_newest_row_of_a_key_stays_whatever_comes_late(spark, feed, table, path):
    feed.add({"id": 1, "v": "first", "at": 10}, {"id": 2, "v": "old", "at": 1})
    feed.add({"id": 2, "v": "newer", "at": 5}, {"id": 2, "v": "new", "at": 7}, {"id": 3})
    feed.add({"id": 1, "v": "late", "at": 9}, {"id": 2, "v": "late", "at": 6})
    feed.add({"id": 1, "v": "again", "at": 10}, {"id": 3, "v": "known", "at": 1})

    finish(start(feed, table, sequence_by="at"))

    assert rows(spark, path) == [(1, "first", 10), (2, "new", 7), (3, "known", 1)]


def test_batch_repeated_after_a_crash_is_left_out(spark, feed, table, path):
    feed.add({"id": 1, "v": "a", "at": 1})
    query = finish(start(feed, table, sequence_by="at"))
    spark.sql(f"DELETE FROM delta.`{path}`")
    feed.forget_last_batch()

    finish(start(feed, table, sequence_by="at"))

    assert rows(spark, path) == []
    assert [shown["operation"] for shown in history(spark, path)] == [
        "CREATE TABLE",
        "MERGE",
        "DELETE",
    ]
    assert query.exception() is None


def test_later_batches_win_without_a_sequence(spark, feed, table, path):
    feed.add({"id": 1, "v": "a", "at": 9}).add({"id": 1, "v": "b", "at": 1})

    finish(start(feed, table))

    assert rows(spark, path) == [(1, "b", 1)]


def test_changed_groups_of_an_aggregation_are_updated(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (v STRING, count BIGINT) USING delta")
    table = DeltaTable.forPath(spark, path)
    feed.add({"id": 1, "v": "a"}, {"id": 2, "v": "b"}).add({"id": 3, "v": "b"})

    finish(
        start(feed, table, feed.read().groupBy("v").count(), key="v").outputMode("update").start()
    )

    assert rows(spark, path, "v") == [("a", 1), ("b", 2)]
    assert history(spark, path)[-1]["operationMetrics"]["numTargetRowsUpdated"] == "1"


def test_several_rows_of_a_key_need_a_sequence(feed, table):
    feed.add({"id": 1, "v": "a"}, {"id": 1, "v": "b"})

    with pytest.raises(StreamingQueryException) as caught:
        finish(start(feed, table))

    assert caught.value.getCondition() == "PUREDELTA_DUPLICATE_KEYS"


def test_table_may_grow(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")
    feed.add({"id": 1, "v": "a", "at": 1})

    writer = DeltaTable.forPath(spark, path).upsert_stream(feed.read(), "id", sequence_by="at")
    finish(feed.given(writer).option("mergeSchema", "true").start())

    assert spark.read.format("delta").load(path).select("id", "v").collect() == [(1, "a")]


def test_unknown_columns_and_batches_are_refused_at_once(spark, feed, table):
    with pytest.raises(DeltaAnalysisException) as caught:
        start(feed, table, key=["id", "nowhere"])
    assert caught.value.getMessageParameters()["columnName"] == "nowhere"

    with pytest.raises(DeltaIllegalArgumentException) as caught:
        table.upsert_stream(spark.range(1), key="id")
    assert caught.value.getMessageParameters()["name"] == "df"
