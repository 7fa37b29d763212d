"""readStream of Delta tables: batches, offsets, where they start and how much they take."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tests.parity.streaming import Reading, insert, properties, table_of

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

A, B, C = "(1, 'a')", "(2, 'b')", "(3, 'c')"


def case_snapshot_then_commits(t: Recorder) -> None:
    table_of(t, A, B)
    query = Reading(t)
    query.run("snapshot")
    insert(t, C, "(4, 'd')")
    query.run("commits")
    query.run("nothing new")


def case_empty_table(t: Recorder) -> None:
    table_of(t)
    query = Reading(t)
    query.run("empty")
    insert(t, A)
    query.run("filled")


def case_files_of_a_trigger(t: Recorder) -> None:
    table_of(t, A, B, C)
    query = Reading(t)
    query.run("two files a batch", maxFilesPerTrigger=2)
    insert(t, "(4, 'd')", "(5, 'e')", "(6, 'f')")
    query.run("one file a batch", maxFilesPerTrigger=1)


def case_bytes_of_a_trigger(t: Recorder) -> None:
    table_of(t, A, B, C)
    query = Reading(t)
    query.run("a byte a batch", maxBytesPerTrigger="1b")
    insert(t, "(4, 'd')", "(5, 'e')")
    query.run("both limits", maxBytesPerTrigger="10g", maxFilesPerTrigger=1)


def case_starting_version(t: Recorder) -> None:
    table_of(t, A, B, C)
    Reading(t, "two").run("from 2", startingVersion=2)
    Reading(t, "zero").run("from 0", startingVersion=0)
    Reading(t, "last").run("from 3", startingVersion="3")
    Reading(t, "beyond").run("from 4", startingVersion=4)
    latest = Reading(t, "latest")
    latest.run("from the latest", startingVersion="latest")
    insert(t, "(4, 'd')")
    latest.run("more", startingVersion="latest")


def case_starting_version_counts_once(t: Recorder) -> None:
    table_of(t, A, B)
    query = Reading(t)
    query.run("from 2", startingVersion=2)
    insert(t, C)
    query.run("another start", startingVersion=0)


def case_starting_timestamp(t: Recorder) -> None:
    table_of(t, A, B, C)
    for version in range(4):
        t.date_commit("t", version, dt.datetime(2024, 1, 1 + version, tzinfo=dt.timezone.utc))
    for name, time in (
        ("before", "2023-12-31"),
        ("equal", "2024-01-03 00:00:00"),
        ("between", "2024-01-03 12:00:00"),
        ("after", "2024-01-05"),
        ("odd", "yesterday or so"),
    ):
        Reading(t, name).run(name, startingTimestamp=time)


def case_timestamp_after_the_last_commit_is_allowed(t: Recorder) -> None:
    table_of(t, A)
    t.conf("spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled", "true")
    t.date_commit("t", 0, dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc))
    t.date_commit("t", 1, dt.datetime(2024, 1, 2, tzinfo=dt.timezone.utc))
    query = Reading(t)
    query.run("later", startingTimestamp="2024-01-05")
    insert(t, B)
    query.run("more", startingTimestamp="2024-01-05")
    Reading(t, "version").run("version", startingVersion=9)


def case_refused_options(t: Recorder) -> None:
    table_of(t, A)
    for number, options in enumerate(
        (
            {"startingVersion": "0", "startingTimestamp": "2024-01-01"},
            {"startingVersion": "-1"},
            {"startingVersion": "first"},
            {"maxFilesPerTrigger": "0"},
            {"maxFilesPerTrigger": "some"},
            {"maxBytesPerTrigger": "-1"},
            {"maxBytesPerTrigger": "much"},
            {"ignoreDeletes": "perhaps"},
            {"ignoreChanges": "1"},
            {"skipChangeCommits": "yes"},
            {"failOnDataLoss": "no"},
            {"readChangeFeed": "maybe"},
            {"excludeRegex": "("},
            {"versionAsOf": "0"},
            {"timestampAsOf": "2024-01-01"},
            {"withEventTimeOrder": "perhaps"},
        )
    ):
        text = ", ".join(f"{name}={value}" for name, value in options.items())
        Reading(t, str(number)).run(text, **options)


def case_refused_tables(t: Recorder) -> None:
    table_of(t, A)
    t.sql("CREATE TABLE none USING delta")
    stream = t.spark.readStream.format("delta")
    t.attempt("no path", lambda: t.spark.readStream.format("delta").load())
    t.attempt("missing", lambda: t.spark.readStream.format("delta").load(t.path))
    t.attempt("no columns", lambda: stream.load(str(t.place("none"))))
    t.attempt("version in the path", lambda: stream.load(f"{t.place('t')}@v0"))
    other = t.spark.readStream.format("delta").schema("id STRING")
    t.attempt("another schema", lambda: other.load(str(t.place("t"))))
    t.attempt("missing name", lambda: t.spark.readStream.table("missing"))
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.attempt("view", lambda: t.spark.readStream.table("w"))


def case_excluded_files(t: Recorder) -> None:
    table_of(t, "(1, 'a')", "(2, 'b')", "(3, 'b')", more="PARTITIONED BY (v)")
    Reading(t, "start").run("one partition", excludeRegex="v=a/", maxFilesPerTrigger=1)
    Reading(t, "set").run("a set", excludeRegex="v=[^b]/", startingVersion=1)
    Reading(t, "all").run("all", excludeRegex="parquet$")


def case_commits_without_files(t: Recorder) -> None:
    table_of(t, A, B)
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('mine' = '1')")
    query.run("properties")
    t.spark.sql("OPTIMIZE t")
    query.run("compacted")
    insert(t, C)
    query.run("rows again")


def case_partitions_and_defaults(t: Recorder) -> None:
    table_of(
        t,
        "(1, DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00')",
        "(2, NULL, NULL)",
        columns="id INT, d DATE, s TIMESTAMP",
        more="PARTITIONED BY (d, s)",
    )
    Reading(t).run("partitions")
    Reading(t, "commits").run("partitions of commits", startingVersion=1)


def case_mapped_columns(t: Recorder) -> None:
    table_of(t, A, more=properties("columnMapping.mode=name"))
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    insert(t, B)
    query = Reading(t)
    query.run("snapshot")
    insert(t, C)
    query.run("commit")


def case_vectors_in_the_snapshot(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id BIGINT) USING delta {properties('enableDeletionVectors=true')}")
    t.spark.range(0, 10, 1, 1).write.format("delta").mode("append").saveAsTable("t")
    t.sql("DELETE FROM t WHERE id > 3")
    query = Reading(t)
    query.run("snapshot")
    t.spark.range(10, 12, 1, 1).write.format("delta").mode("append").saveAsTable("t")
    query.run("commit")


def case_tracked_and_clustered(t: Recorder) -> None:
    table_of(t, A, more=f"CLUSTER BY (id) {properties('enableRowTracking=true')}")
    query = Reading(t)
    query.run("snapshot")
    insert(t, B)
    t.spark.sql("OPTIMIZE t FULL")
    insert(t, C)
    query.run("commits")


def case_view_of_a_stream(t: Recorder) -> None:
    table_of(t, A)
    t.spark.readStream.table("t").createOrReplaceTempView("s")
    t.value("streams", lambda: t.spark.table("s").isStreaming)
    t.value("query", lambda: t.spark.sql("SELECT id + 1 AS n FROM s").isStreaming)
    t.attempt("collect", lambda: t.spark.table("s").collect())
