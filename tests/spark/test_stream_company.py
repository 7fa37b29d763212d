"""Streams over a table that other statements change meanwhile, beside other streams."""

import threading
import uuid

import pytest

from tests.parts import rest
from tests.spark.test_stream_source import Streams

ROUNDS = 6


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "t")


@pytest.fixture
def streams(spark, tmp_path, path):
    return Streams(spark, tmp_path, path)


def work_on(streams):
    """Append, and in between optimize, vacuum and merge; merged rows have ids over 1000.

    Returns:
        The changes that a change feed shows, each with how often.
    """
    for number in range(ROUNDS):
        streams.add(number)
        streams.sql("OPTIMIZE T!")
        streams.sql(
            f"MERGE INTO T! t USING (SELECT {number} AS id UNION ALL SELECT {1000 + number}) s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = s.id + 100 "
            "WHEN NOT MATCHED THEN INSERT *"
        )
        streams.sql("VACUUM T!")
    return sorted(
        change
        for number in range(ROUNDS)
        for change in (
            ("insert", number),
            ("update_preimage", number),
            ("update_postimage", number + 100),
            ("insert", number + 1000),
        )
    )


def beside(streams, frame):
    """Run a query while a thread works on the table, and return the rows and its result."""
    name = f"beside_{uuid.uuid4().hex}"
    query = frame.writeStream.format("memory").queryName(name)
    query = query.trigger(processingTime="0 seconds").start()
    worked = []
    thread = threading.Thread(target=lambda: worked.append(work_on(streams)))
    try:
        thread.start()
        thread.join()
        query.processAllAvailable()
        assert query.exception() is None
        return streams.spark.table(name).collect(), *worked
    finally:
        query.stop()


@pytest.mark.parametrize("way", [rest("rows"), rest("changes")])
def test_stream_goes_on_while_the_table_is_worked_on(streams, way):
    streams.made(properties="delta.enableChangeDataFeed = true")
    if way == "rows":
        rows, _ = beside(streams, streams.read(skipChangeCommits="true"))
        # Commits that change rows are left out with what they insert.
        assert sorted(row.id for row in rows) == list(range(ROUNDS))
        return
    frame = streams.read(readChangeFeed="true", startingVersion="0")
    rows, expected = beside(streams, frame)
    assert sorted((row["_change_type"], row.id) for row in rows) == expected


def test_bytes_limit_each_batch(streams):
    for number in range(3):
        streams.add(number)
    query = streams.run(maxBytesPerTrigger="1b")

    assert [shown["numInputRows"] for shown in query.recentProgress] == [1, 1, 1]
    assert streams.ids() == [0, 1, 2]


def test_static_side_of_a_join_is_the_newest_for_each_batch(streams, spark, tmp_path):
    names = str(tmp_path / "names")
    spark.sql(f"CREATE TABLE delta.`{names}` (id LONG, name STRING) USING delta")
    spark.sql(f"INSERT INTO delta.`{names}` VALUES (1, 'old'), (2, 'old')")
    streams.add(1)
    static = spark.read.format("delta").load(names)
    frame = streams.read().join(static, "id")
    query = frame.writeStream.format("memory").queryName("static_side")
    query = query.trigger(processingTime="0 seconds").start()
    try:
        query.processAllAvailable()
        spark.sql(f"UPDATE delta.`{names}` SET name = 'new'")
        streams.add(2)
        query.processAllAvailable()
    finally:
        query.stop()

    found = {(row.id, row.name) for row in spark.table("static_side").collect()}
    assert found == {(1, "old"), (2, "new")}
