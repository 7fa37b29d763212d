"""Reading the change data feed: table_changes, readChangeFeed, and where the range ends."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tests.parity.changing import FEED, MAPPED, THREE_AND_TWO, VECTORS, make, put

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder

DAY = dt.datetime(2024, 3, 1, 12, tzinfo=dt.timezone.utc)


def _table(t: Recorder, table: str = "t") -> None:
    """Four versions after the first: two inserts, a delete, an update."""
    make(t, *THREE_AND_TWO, properties=FEED, table=table)
    t.spark.sql(f"DELETE FROM {table} WHERE id = 2")
    t.spark.sql(f"UPDATE {table} SET v = 'new' WHERE id = 4")


def _dated(t: Recorder) -> None:
    _table(t)
    for version in range(5):
        t.date_commit("t", version, DAY + dt.timedelta(days=version))


def _read(t: Recorder, label: str, **options: str) -> None:
    def frame() -> DataFrame:
        reader = t.spark.read.format("delta").option("readChangeFeed", "true")
        return reader.options(**options).table("t").drop("_commit_timestamp")

    t.show(label, frame)


def case_changes_of_ranges(t: Recorder) -> None:
    _table(t)
    t.sql("SELECT id, _change_type, _commit_version FROM table_changes('t', 3)")
    t.sql("SELECT id, _change_type, _commit_version FROM table_changes('t', 1, 2)")
    t.sql("SELECT id, _change_type, _commit_version FROM table_changes('t', 3, 3)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 3L, 3L)")
    t.sql("SELECT count(*) AS n FROM table_changes('t', 0, 0)")
    t.sql("SELECT count(*) AS n FROM table_changes('t', 0, 100)")
    t.sql("SELECT * FROM table_changes('t', 5)")
    t.sql("SELECT * FROM table_changes('t', 3, 2)")
    t.sql("SELECT * FROM table_changes('t', -1)")


def case_changes_of_types_of_bounds(t: Recorder) -> None:
    _table(t)
    t.sql("SELECT id FROM table_changes('t', 2 + 1, 3)")
    t.sql("SELECT id FROM table_changes('t', CAST(3 AS SMALLINT))")
    t.sql("SELECT id FROM table_changes('t', 3.5)")
    t.sql("SELECT id FROM table_changes('t', NULL)")
    t.sql("SELECT id FROM table_changes('t', 1, NULL)")
    t.sql("SELECT id FROM table_changes('t', rand())")
    t.sql("SELECT id FROM table_changes('t', '3')")
    t.sql("SELECT id FROM table_changes('t')")
    t.sql("SELECT id FROM table_changes('t', 1, 2, 3)")
    t.sql("SELECT id FROM table_changes(t, 1)")
    t.sql("SELECT id FROM table_changes('t', true)")


def case_changes_of_what_is_no_table(t: Recorder) -> None:
    _table(t)
    t.sql("SELECT * FROM table_changes('nope', 1)")
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.sql("SELECT * FROM table_changes('w', 1)")
    t.sql("CREATE TEMPORARY VIEW x AS SELECT * FROM t")
    t.sql("SELECT * FROM table_changes('x', 1)")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("SELECT * FROM table_changes('p', 1)")
    make(t, "(1, 'a')", table="plain")
    t.sql("SELECT * FROM table_changes('plain', 0)")
    t.sql("SELECT id FROM table_changes('p_changes_of_what_is_no_table.t', 3)")
    t.sql("SELECT id FROM table_changes('spark_catalog.p_changes_of_what_is_no_table.t', 3)")


def case_changes_by_path(t: Recorder) -> None:
    place = f"delta.`{t.path}`"
    _table(t, place)
    t.sql(f"SELECT id, _change_type FROM table_changes_by_path('{t.path}', 3)")
    t.sql(f"SELECT id, _change_type FROM table_changes_by_path('{t.path}', 3, 3)")
    t.sql(f"SELECT id FROM table_changes('{place}', 3)")
    t.sql(f"SELECT id FROM table_changes_by_path('{t.folder('none')}', 3)")
    t.sql(f"SELECT id FROM table_changes_by_path('{t.path}')")


def case_changes_in_queries(t: Recorder) -> None:
    _table(t)
    changes = "table_changes('t', 1)"
    t.sql(f"SELECT _change_type AS c, count(*) AS n FROM {changes} GROUP BY 1")
    t.sql(f"SELECT id FROM {changes} WHERE _change_type = 'delete' AND _commit_version = 3")
    t.sql(f"SELECT c.id FROM {changes} AS c JOIN t ON t.id = c.id AND c._change_type = 'insert'")
    t.sql(f"SELECT count(*) AS n FROM {changes} WHERE _commit_timestamp > '2024-01-01'")
    t.sql(f"CREATE TEMPORARY VIEW w AS SELECT id, _change_type FROM {changes}")
    t.sql("SELECT * FROM w WHERE id = 4")
    t.sql(f"SELECT * FROM {changes} LIMIT 0")


def case_changes_by_options(t: Recorder) -> None:
    _table(t)
    _read(t, "from", startingVersion="3")
    _read(t, "to", startingVersion="1", endingVersion="2")
    _read(t, "no start")
    _read(t, "an end alone", endingVersion="2")
    _read(t, "the wrong way round", startingVersion="3", endingVersion="1")
    _read(t, "past the end", startingVersion="9")
    _read(t, "no number", startingVersion="x")
    _read(t, "negative", startingVersion="-1")
    _read(t, "latest", startingVersion="latest")
    _read(t, "two starts", startingVersion="1", startingTimestamp="2024-01-01")
    _read(t, "two ends", startingVersion="1", endingVersion="2", endingTimestamp="2024-01-01")
    _read(t, "time travel", startingVersion="1", versionAsOf="1")


def case_changes_by_other_names_of_options(t: Recorder) -> None:
    _table(t)

    def read(**options: str) -> DataFrame:
        frame = t.spark.read.format("delta").options(**options).load(str(t.place("t")))
        return frame.drop("_commit_timestamp")

    t.show("by path", lambda: read(readChangeFeed="true", startingVersion="4"))
    t.show("the old name", lambda: read(readChangeData="true", startingVersion="4"))
    t.show("off", lambda: read(readChangeFeed="false", startingVersion="4"))
    t.show("no word", lambda: read(readChangeFeed="maybe", startingVersion="4"))
    t.show("in capitals", lambda: read(READCHANGEFEED="TRUE", STARTINGVERSION="4"))


def case_changes_by_times(t: Recorder) -> None:
    _dated(t)
    columns = "id, _change_type AS c, _commit_version AS v, _commit_timestamp AS ts"
    read = f"SELECT {columns} FROM table_changes"
    t.sql(f"{read}('t', '2024-03-04 12:00:00')")
    t.sql(f"{read}('t', '2024-03-03 12:00:01')")
    t.sql(f"{read}('t', '2024-03-02', '2024-03-04')")
    t.sql(f"{read}('t', TIMESTAMP'2024-03-04 00:00:00', TIMESTAMP'2024-03-04 23:00:00')")
    t.sql(f"{read}('t', '2024-03-04', 3)")
    t.sql(f"{read}('t', '2024-03-02 13:00:00', '2024-03-03 11:00:00')")


def case_changes_at_the_edges_of_times(t: Recorder) -> None:
    _dated(t)
    read = "SELECT count(*) AS n FROM table_changes"
    t.sql(f"{read}('t', '2020-01-01')")
    t.sql(f"{read}('t', '2030-01-01')")
    t.sql(f"{read}('t', '2024-03-05 12:00:00')")
    t.sql(f"{read}('t', '2024-03-05 12:00:01')")
    t.sql(f"{read}('t', '2024-03-02', '2030-01-01')")
    t.sql(f"{read}('t', '2020-01-01', '2020-02-01')")
    t.sql(f"{read}('t', 'no time')")
    t.conf("spark.databricks.delta.changeDataFeed.timestampOutOfRange.enabled", "true")
    t.sql(f"{read}('t', '2030-01-01')")
    t.sql(f"{read}('t', '2024-03-02', '2030-01-01')")
    t.sql(f"{read}('t', 9)")


def case_changes_by_times_as_options(t: Recorder) -> None:
    _dated(t)
    _read(t, "from", startingTimestamp="2024-03-04")
    _read(t, "to", startingTimestamp="2024-03-02", endingTimestamp="2024-03-02 13:00:00")
    _read(t, "mixed", startingVersion="3", endingTimestamp="2024-03-04 13:00:00")
    _read(t, "past the end", startingTimestamp="2030-01-01")
    _read(t, "no time", startingTimestamp="x")


def case_changes_after_incompatible_changes(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, **MAPPED})
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.sql("ALTER TABLE t DROP COLUMN v")
    t.sql("SELECT id, _change_type FROM table_changes('t', 3)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 3, 3)")
    put(t, "(9)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 5)")
    t.sql("ALTER TABLE t ADD COLUMN v INT")
    t.sql("SELECT id, _change_type FROM table_changes('t', 5)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 1, 2)")


def case_changes_of_a_type_that_widened(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, "delta.enableTypeWidening": "true"})
    t.sql("UPDATE t SET v = 'new' WHERE id = 1")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    t.sql("UPDATE t SET id = 5000000000 WHERE id = 2")
    t.sql("SELECT id, _change_type FROM table_changes('t', 5)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 1)")
    t.sql("SELECT id, _change_type FROM table_changes('t', 1, 3)")


def case_changes_with_vectors_and_ranges(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, **VECTORS})
    for n in (1, 2, 4):
        t.spark.sql(f"DELETE FROM t WHERE id = {n}")
    t.spark.sql("INSERT OVERWRITE t VALUES (9, 'i')")
    for first, last in ((3, 3), (4, 5), (6, 6), (1, 6)):
        t.sql(f"SELECT id, _change_type, _commit_version FROM table_changes('t', {first}, {last})")


def case_changes_of_a_table_that_has_only_a_schema(t: Recorder) -> None:
    make(t, properties=FEED)
    t.show("type", lambda: t.spark.sql("SELECT * FROM table_changes('t', 0)"))
    t.sql("SELECT * FROM table_changes('t', 1)")
