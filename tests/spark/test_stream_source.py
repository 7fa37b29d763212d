"""Streams over tables on Spark: what batches hold, triggers, state, joins, changes, columns."""

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812

from puredelta import DeltaTable
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)


def test_table_then_commits(streams):
    streams.add(1, 2)
    streams.add(3)
    query = streams.run()
    assert [p["numInputRows"] for p in query.recentProgress] == [3]
    streams.add(4)
    streams.run()

    assert streams.ids() == [1, 2, 3, 4]
    assert streams.offsets() == [(2, -1, False), (3, -1, False)]


def test_limit_applies_to_each_batch(streams):
    for number in range(3):
        streams.add(number)
    query = streams.run(maxFilesPerTrigger="1")

    assert streams.ids() == [0, 1, 2]
    assert streams.offsets() == [(2, 0, True), (2, 1, True), (3, -1, False)]
    assert [p["numInputRows"] for p in query.recentProgress] == [1, 1, 1]


def test_table_by_name_and_by_path(streams, spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} (id LONG) USING delta")
    spark.sql(f"INSERT INTO {table_name} VALUES (1), (2)")
    frame = spark.readStream.option("maxBytesPerTrigger", "1g").table(table_name)
    query = frame.writeStream.format("memory").queryName("by_name").trigger(once=True).start()
    query.awaitTermination()
    streams.add(7)
    by_path = spark.readStream.table(f"delta.`{streams.path}`")
    other = by_path.writeStream.format("memory").queryName("by_path").trigger(once=True).start()
    other.awaitTermination()

    assert sorted(row.id for row in spark.table("by_name").collect()) == [1, 2]
    assert [row.id for row in spark.table("by_path").collect()] == [7]


def test_running_query_sees_new_commits(streams, spark):
    streams.add(1)
    query = streams.read().writeStream.format("memory").queryName("running")
    query = query.trigger(processingTime="0 seconds").start()
    try:
        query.processAllAvailable()
        streams.add(2)
        query.processAllAvailable()
        assert sorted(row.id for row in spark.table("running").collect()) == [1, 2]
    finally:
        query.stop()
    assert query.exception() is None


def test_deleted_rows_stop_stream_with_what_it_is(streams):
    streams.made(properties="'delta.enableDeletionVectors' = 'true'")
    streams.add(1, 2, 3)
    streams.run()
    streams.sql("DELETE FROM T! WHERE id = 2")

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        streams.run()
    assert raised.value.getCondition() == "DELTA_SOURCE_TABLE_IGNORE_CHANGES"
    assert isinstance(raised.value, StreamingQueryException)
    assert "Version 2" in str(raised.value)
    assert "skipChangeCommits" in str(raised.value)
    kept = streams.query.exception()
    assert isinstance(kept, DeltaUnsupportedOperationError)
    assert isinstance(kept, StreamingQueryException)
    assert str(kept) == str(raised.value)
    streams.add(4)
    streams.run(skipChangeCommits="true")
    assert streams.ids() == [1, 2, 3, 4]


def test_vectors_hide_rows_of_initial_table(streams):
    streams.made(properties="'delta.enableDeletionVectors' = 'true'")
    streams.add(*range(20))
    streams.sql("DELETE FROM T! WHERE id % 4 = 0")
    streams.run()

    assert streams.ids() == [n for n in range(20) if n % 4]


@pytest.mark.parametrize("feature", ["mapped", "tracked", "clustered"])
def test_features_and_partitions(streams, feature):
    properties = {
        "mapped": "'delta.columnMapping.mode' = 'name'",
        "tracked": "'delta.enableRowTracking' = 'true'",
        "clustered": "'delta.enableDeletionVectors' = 'true'",
    }[feature]
    layout = "CLUSTER BY (p)" if feature == "clustered" else "PARTITIONED BY (p)"
    streams.made("id LONG, `a b` STRING, p INT".replace("`a b`", "ab"), properties, layout)
    if feature == "mapped":
        streams.sql("ALTER TABLE T! RENAME COLUMN ab TO `a b`")
    streams.sql("INSERT INTO T! VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', NULL)")
    streams.run(change=lambda frame: frame.where("p IS NULL OR p > 1"))

    name = "a b" if feature == "mapped" else "ab"
    assert streams.rows() == [{"id": 2, name: "y", "p": 2}, {"id": 3, name: "z"}]


def test_aggregate_has_state(streams, spark):
    streams.add(1, 2, 3)

    def count():
        frame = streams.read().agg(F.count("*").alias("n"), F.max("id").alias("most"))
        writer = frame.writeStream.format("memory").queryName("counted").outputMode("complete")
        writer = writer.option("checkpointLocation", str(streams.checkpoint("counted")))
        writer.trigger(availableNow=True).start().awaitTermination()
        return tuple(spark.table("counted").collect()[0])

    assert count() == (3, 3)
    streams.add(9)
    assert count() == (4, 9)


def test_watermark_and_joins(streams, spark, tmp_path):
    streams.made("id LONG, at TIMESTAMP")
    streams.sql("INSERT INTO T! VALUES (1, '2024-01-01 10:00:00'), (2, '2024-01-01 10:01:00')")
    streams.sql("INSERT INTO T! VALUES (3, '2024-01-01 12:00:00')")
    names = str(tmp_path / "names")
    spark.sql(f"CREATE TABLE delta.`{names}` USING delta AS SELECT 1L AS id, 'one' AS name")

    def windows(frame):
        frame = frame.withWatermark("at", "10 minutes")
        grouped = frame.groupBy(F.window("at", "1 hour")).count()
        return grouped.select("count")

    streams.run("windows", windows)
    streams.run("static", lambda frame: frame.join(spark.read.format("delta").load(names), "id"))

    def with_itself(frame):
        other = frame.select(F.col("id").alias("other"))
        return frame.join(other, F.expr("other = id")).select("id", "other")

    streams.run("itself", with_itself)

    assert streams.rows("windows") == [{"count": 2}]
    assert [row["name"] for row in streams.rows("static")] == ["one"]
    assert streams.rows("itself") == [{"id": n, "other": n} for n in (1, 2, 3)]


def test_starting_points(streams, spark):
    for number in range(4):
        streams.add(number)
    history = spark.sql(f"DESCRIBE HISTORY delta.`{streams.path}`").collect()
    at = {row.version: str(row.timestamp) for row in history}
    streams.run("version", startingVersion="2")
    streams.run("time", startingTimestamp=at[3])
    streams.run("early", startingTimestamp="2001-01-01")
    streams.run("latest", startingVersion="latest")
    streams.add(9)
    streams.run("version", startingVersion="2")

    assert streams.ids("version") == [2, 3, 9]
    assert streams.ids("time") == [3]
    assert streams.ids("early") == [0, 1, 2, 3]
    assert streams.rows("latest") == []


@pytest.mark.parametrize(
    ("options", "kind", "condition"),
    [
        ({"maxFilesPerTrigger": "0"}, DeltaIllegalArgumentError, "DELTA_ILLEGAL_OPTION"),
        ({"ignoreDeletes": "maybe"}, DeltaIllegalArgumentError, "DELTA_ILLEGAL_OPTION"),
        ({"excludeRegex": "("}, DeltaIllegalArgumentError, "DELTA_REGEX_OPT_SYNTAX_ERROR"),
        ({"startingVersion": "7"}, DeltaAnalysisError, "DELTA_VERSION_NOT_FOUND"),
        (
            {"startingTimestamp": "2200-01-01"},
            DeltaAnalysisError,
            "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
        ),
        ({"readChangeFeed": "true"}, DeltaAnalysisError, "DELTA_MISSING_CHANGE_DATA"),
    ],
)
def test_bad_option_fails_query(streams, options, kind, condition):
    streams.add(1)

    with pytest.raises(kind) as raised:
        streams.run(**options)
    assert raised.value.getCondition() == condition


@pytest.mark.parametrize("pattern", [r"p=\p{Upper}/", "p=[A-Z&&[^B]]/"])
def test_files_are_excluded_by_a_pattern_in_the_syntax_of_java(streams, pattern):
    streams.made("id LONG, p STRING", layout="PARTITIONED BY (p)")
    for number, name in enumerate(["A", "b", "A", "B c"]):
        streams.sql(f"INSERT INTO T! VALUES ({number}, '{name}')")

    streams.run(excludeRegex=pattern)

    assert streams.ids() == [1, 3]


def test_load_is_refused(streams, spark):
    with pytest.raises(DeltaAnalysisError) as missing:
        streams.read()
    streams.add(1)
    with pytest.raises(DeltaAnalysisError) as old:
        streams.read(versionAsOf="0")
    with pytest.raises(DeltaAnalysisError) as given:
        spark.readStream.format("delta").schema("x INT").load(streams.path)

    assert missing.value.getCondition() == "DELTA_SCHEMA_NOT_SET"
    assert old.value.getCondition() == "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS"
    assert given.value.getCondition() == "DELTA_READ_SOURCE_SCHEMA_CONFLICT"


def test_added_column_fails_once(streams):
    streams.add(1)
    streams.run()
    query = streams.read().writeStream.format("memory").queryName("widened")
    query = query.option("checkpointLocation", str(streams.checkpoint("m"))).start()
    query.processAllAvailable()
    streams.sql("ALTER TABLE T! ADD COLUMN v STRING")
    streams.sql("INSERT INTO T! VALUES (2, 'b')")

    with pytest.raises(DeltaIllegalStateError, match="v: added") as raised:
        query.awaitTermination(60)
    assert raised.value.getCondition() == "DELTA_SCHEMA_CHANGED_WITH_VERSION"
    streams.run()
    assert streams.rows() == [{"id": 1}, {"id": 2, "v": "b"}]


def test_changes_of_rows(streams):
    streams.made("id LONG, v STRING", "'delta.enableChangeDataFeed' = 'true'")
    streams.sql("INSERT INTO T! VALUES (1, 'a'), (2, 'b')")
    streams.run(readChangeFeed="true")
    streams.sql("UPDATE T! SET v = 'c' WHERE id = 2")
    streams.sql("DELETE FROM T! WHERE id = 1")
    streams.sql("INSERT INTO T! VALUES (3, 'd')")
    streams.run(readChangeFeed="true", maxFilesPerTrigger="1")

    found = [(r["_commit_version"], r["_change_type"], r["id"], r["v"]) for r in streams.rows()]
    assert sorted(found) == [
        (1, "insert", 1, "a"),
        (1, "insert", 2, "b"),
        (2, "update_postimage", 2, "c"),
        (2, "update_preimage", 2, "b"),
        (3, "delete", 1, "a"),
        (4, "insert", 3, "d"),
    ]
    assert all(row["_commit_timestamp"] for row in streams.rows())


def test_changes_between_vectors(streams):
    properties = "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true'"
    streams.made("id LONG", properties)
    streams.add(*range(10))
    streams.run(readChangeFeed="true")
    streams.sql("DELETE FROM T! WHERE id = 4")
    streams.sql("RESTORE TABLE T! TO VERSION AS OF 1")
    streams.run(readChangeFeed="true")

    found = [(r["_commit_version"], r["_change_type"], r["id"]) for r in streams.rows()]
    assert sorted(found)[10:] == [(2, "delete", 4), (3, "insert", 4)]


def test_columns_are_tracked_through_rename(streams):
    streams.made("id LONG, v STRING", "'delta.columnMapping.mode' = 'name'")
    streams.sql("INSERT INTO T! VALUES (1, 'a')")
    options = {"schemaTrackingLocation": str(streams.checkpoint() / "columns")}
    streams.run(**options)
    streams.sql("ALTER TABLE T! RENAME COLUMN v TO w")
    streams.sql("INSERT INTO T! VALUES (2, 'b')")

    with pytest.raises(DeltaRuntimeError) as evolved:
        streams.run(**options)
    with pytest.raises(DeltaRuntimeError) as blocked:
        streams.run(**options)
    streams.run(**options, allowSourceColumnRename="always")

    assert evolved.value.getCondition() == "DELTA_STREAMING_METADATA_EVOLUTION"
    condition = "DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION"
    assert blocked.value.getCondition() == condition
    assert "'v' -> 'w'" in str(blocked.value)
    assert streams.rows() == [{"id": 1, "v": "a"}, {"id": 2, "w": "b"}]
    assert [offset[:2] for offset in streams.offsets()] == [(2, -1), (2, -20), (2, -19), (4, -1)]


def test_rename_without_tracking_names_option(streams):
    streams.made("id LONG, v STRING", "'delta.columnMapping.mode' = 'name'")
    streams.sql("INSERT INTO T! VALUES (1, 'a')")
    streams.run()
    streams.sql("ALTER TABLE T! RENAME COLUMN v TO w")
    streams.sql("INSERT INTO T! VALUES (2, 'b')")

    with pytest.raises(DeltaError, match="schemaTrackingLocation") as raised:
        streams.run()
    condition = "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG"
    assert raised.value.getCondition() == condition


def test_place_for_columns_outside_of_the_checkpoint_is_refused_at_start(streams):
    streams.made()
    place = str(streams.folder / "elsewhere")
    writer = streams.read(schemaTrackingLocation=place).writeStream.format("noop")

    with pytest.raises(DeltaError) as refused:
        writer.option("checkpointLocation", str(streams.checkpoint())).start()

    condition = "DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT"
    assert refused.value.getCondition() == condition


def test_one_place_for_the_columns_of_two_sources_is_refused_at_start(streams):
    streams.made()
    place = {"schemaTrackingLocation": str(streams.checkpoint() / "columns")}
    both = streams.read(**place).union(streams.read(**place))
    apart = streams.read(**place).union(streams.read(**place, streamingSourceTrackingId="b"))

    def start(frame):
        writer = frame.writeStream.format("noop").trigger(availableNow=True)
        return writer.option("checkpointLocation", str(streams.checkpoint())).start()

    with pytest.raises(DeltaError) as refused:
        start(both)
    start(apart).awaitTermination()

    assert refused.value.getCondition() == "DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT"


def test_stream_by_name_has_the_columns_of_the_table_not_those_of_the_catalog(streams, spark):
    streams.made("id LONG, v STRING")
    name = f"stale_{streams.folder.name}"
    spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{streams.path}'")
    old = spark.range(1).schema
    catalog = spark._jsparkSession.sharedState().externalCatalog()
    java_schema = spark._jvm.org.apache.spark.sql.types.DataType.fromJson(old.json())
    catalog.alterTableDataSchema("default", name, java_schema)

    try:
        assert spark.readStream.table(name).columns == ["id", "v"]
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_columns_that_a_user_gives_must_be_those_of_the_table(streams, spark):
    streams.made("id LONG, v STRING")

    with pytest.raises(DeltaError) as refused:
        spark.readStream.format("delta").schema("id INT").load(streams.path)

    assert refused.value.getCondition() == "DELTA_READ_SOURCE_SCHEMA_CONFLICT"


def test_next_batches_are_explained(streams, spark):
    for number in range(3):
        streams.add(number)
    table = DeltaTable.forPath(spark, streams.path)
    fresh = table.explain_stream(maxFilesPerTrigger=2)
    streams.run()
    streams.add(3)
    streams.sql("DELETE FROM T! WHERE id = 0")
    known = table.explain_stream(checkpointLocation=str(streams.checkpoint()), ignoreDeletes=True)
    stopped = table.explain_stream(checkpointLocation=str(streams.checkpoint()))

    assert [batch.files for batch in fresh.batches] == [2, 1]
    assert [batch.versions for batch in known.batches] == ["version 3"]
    assert [(stop.version, stop.condition) for stop in stopped.stops] == [
        (4, "DELTA_SOURCE_IGNORE_DELETE")
    ]
    with pytest.raises(DeltaIllegalArgumentError):
        table.explain_stream(maxFilesPerTrigger=0)
