"""Streams over a table that other statements change meanwhile, beside other streams."""

import threading
import time
import uuid
from pathlib import Path

import pytest
from pyspark.sql import functions as F  # noqa: N812

from puredelta.errors import DeltaError
from tests.parts import rest

ROUNDS = 6


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


def wait_for(file: Path, seconds=60):
    limit = time.monotonic() + seconds
    while not file.exists() and time.monotonic() < limit:
        time.sleep(0.05)


def follow(streams, thread, target):
    """Run a query while a thread works, again after each addition of columns; return how often."""
    times = 0
    while True:
        frame = streams.read(skipChangeCommits="true", maxFilesPerTrigger="2")
        writer = frame.writeStream.format("delta").option("mergeSchema", "true")
        writer = writer.option("checkpointLocation", str(streams.checkpoint()))
        query = writer.trigger(processingTime="0 seconds").start(target)
        try:
            while thread.is_alive():
                query.awaitTermination(0.1)
            query.processAllAvailable()
        except DeltaError as error:
            if error.getCondition() != "DELTA_SCHEMA_CHANGED_WITH_VERSION":
                raise
            times += 1
        else:
            return times
        finally:
            query.stop()


@pytest.mark.rest
def test_stream_goes_on_after_columns_are_added(streams, spark, tmp_path):
    streams.made()
    added, target = (2, 4), tmp_path / "target"

    def work():
        for number in range(ROUNDS):
            if number in added:
                wait_for(target / "_delta_log" / f"{0:020}.json")
                streams.sql(f"ALTER TABLE T! ADD COLUMN c{number} STRING")
            streams.add(number)
            streams.sql("OPTIMIZE T!")
            if number >= added[0]:
                streams.sql(f"INSERT INTO T! (id, c2) VALUES ({100 + number}, 'c')")

    thread = threading.Thread(target=work)
    thread.start()
    times = follow(streams, thread, str(target))
    thread.join()

    # Additions that a new start finds together stop it once.
    assert 1 <= times <= len(added)
    found = spark.read.format("delta").load(str(target))
    assert found.columns == ["id", "c2", "c4"]
    late = [(100 + number, "c", None) for number in range(added[0], ROUNDS)]
    expected = [(number, None, None) for number in range(ROUNDS)] + late
    assert sorted(map(tuple, found.collect())) == expected


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


class Events:
    """A table of events with their times, of which a stream reads one file a batch."""

    def __init__(self, spark, path):
        self.spark, self.path = spark, path
        spark.sql(f"CREATE TABLE delta.`{path}` (id LONG, at TIMESTAMP) USING delta")

    def add(self, *events):
        values = ", ".join(f"({number}, TIMESTAMP '2024-01-01 {time}')" for number, time in events)
        self.spark.sql(f"INSERT INTO delta.`{self.path}` VALUES {values}")
        return self

    def read(self, name):
        frame = self.spark.readStream.format("delta").load(self.path)
        return frame.selectExpr(f"id AS {name}", f"at AS {name}_at").withWatermark(
            f"{name}_at", "10 minutes"
        )


@pytest.mark.rest
def test_two_streams_are_joined_within_a_time(spark, tmp_path):
    shown, clicked = (Events(spark, str(tmp_path / name)) for name in ("shown", "clicked"))
    joined = shown.read("shown").join(
        clicked.read("clicked"),
        F.expr("shown = clicked AND clicked_at BETWEEN shown_at AND shown_at + INTERVAL 5 MINUTES"),
        "leftOuter",
    )
    target, checkpoint = str(tmp_path / "joined"), str(tmp_path / "checkpoint")

    def run():
        """Run to the end of both tables; what waits for its like is kept between the runs."""
        writer = joined.select("shown", "clicked").writeStream.format("delta")
        writer = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        writer.start(target).awaitTermination()
        found = spark.read.format("delta").load(target).collect()
        return sorted(((row.shown, row.clicked) for row in found), key=str)

    shown.add((1, "10:00:00"), (2, "10:01:00"), (3, "10:02:00"))
    clicked.add((1, "10:03:00"))
    assert run() == [(1, 1)]
    # One in time, in another run than its like, and one too late.
    clicked.add((2, "10:05:00"), (3, "10:08:00"))
    assert run() == [(1, 1), (2, 2)]
    # Times so late that nobody waits any longer for the like of 3.
    shown.add((4, "12:00:00"))
    clicked.add((9, "12:00:00"))
    assert run() == [(1, 1), (2, 2), (3, None)]


@pytest.mark.rest
def test_streams_of_a_session_run_beside_each_other(streams, spark, tmp_path):
    streams.made()
    targets = [str(tmp_path / f"target_{number}") for number in range(3)]
    queries = []
    for number, target in enumerate([*targets, targets[0]]):
        # The last one writes into the table of the first.
        frame = streams.read(maxFilesPerTrigger="1").selectExpr("id", f"{number} AS query")
        writer = frame.writeStream.format("delta").trigger(processingTime="0 seconds")
        writer = writer.option("checkpointLocation", str(tmp_path / f"checkpoint_{number}"))
        queries.append(writer.start(target))
    try:
        for number in range(ROUNDS):
            streams.add(number)
        for query in queries:
            query.processAllAvailable()
            assert query.exception() is None
    finally:
        for query in queries:
            query.stop()

    found = [
        sorted((row["query"], row.id) for row in spark.read.format("delta").load(target).collect())
        for target in targets
    ]
    each = [[(number, row) for row in range(ROUNDS)] for number in range(4)]
    assert found == [each[0] + each[3], each[1], each[2]]
