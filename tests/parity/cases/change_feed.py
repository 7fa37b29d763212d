"""The change data feed: what is written for it, and what each kind of commit shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import (
    FEED,
    MAPPED,
    THREE_AND_TWO,
    VECTORS,
    change,
    feed,
    make,
    merge,
    put,
    source,
)

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

PARTED = "id INT, v STRING, p STRING"
PARTED_ROWS = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"


def _table(t: Recorder, **properties: str) -> None:
    make(t, *THREE_AND_TWO, properties={**FEED, **properties})


def _written(t: Recorder, first: int = 3) -> None:
    feed(t, first)
    t.log("t", first)


def case_feed_of_inserts(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t VALUES (6, 'f')")
    feed(t, 0)
    feed(t, 3)
    t.log("t", 3)


def case_feed_of_deletes(t: Recorder) -> None:
    _table(t)
    change(t, "DELETE FROM t WHERE id = 2")
    _written(t)


def case_feed_of_deletes_of_whole_files(t: Recorder) -> None:
    _table(t)
    change(t, "DELETE FROM t WHERE id > 2")
    change(t, "DELETE FROM t WHERE id < 3")
    _written(t)


def case_feed_of_deletes_of_everything(t: Recorder) -> None:
    _table(t)
    t.sql("DELETE FROM t")
    put(t, "(7, 'g')")
    t.sql("TRUNCATE TABLE t")
    _written(t)


def case_feed_of_updates(t: Recorder) -> None:
    _table(t)
    change(t, "UPDATE t SET v = 'new' WHERE id IN (2, 4)")
    _written(t)


def case_feed_of_updates_of_all_rows(t: Recorder) -> None:
    _table(t)
    change(t, "UPDATE t SET id = id * 10, v = NULL")
    _written(t)


def case_feed_of_merges(t: Recorder) -> None:
    _table(t)
    source(t, "(1, 'one'), (2, NULL), (9, 'nine')")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE",
        "NOT MATCHED BY SOURCE AND t.id = 5 THEN UPDATE SET v = 'gone'",
    )
    _written(t)


def case_feed_of_merges_that_only_insert(t: Recorder) -> None:
    _table(t)
    source(t, "(1, 'one'), (9, 'nine')")
    merge(t, "NOT MATCHED THEN INSERT *")
    _written(t)
    merge(t, "MATCHED AND s.id > 100 THEN DELETE", "NOT MATCHED THEN INSERT *", on="t.id = s.id+9")
    _written(t, 4)


def case_feed_of_merges_with_several_matches(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two'), (2, 'deux'), (9, 'nine'), (9, 'neuf')")
    merge(t, "MATCHED THEN DELETE", "NOT MATCHED THEN INSERT *")
    _written(t)


def case_feed_of_merges_that_evolve(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two', 20), (9, 'nine', 90)", "id, v, n")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *", evolve=True)
    _written(t)
    feed(t, 0)


def case_feed_of_partitions(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=FEED)
    t.sql("DELETE FROM t WHERE p = 'y'")
    t.sql("UPDATE t SET p = 'z' WHERE id = 1")
    t.sql("UPDATE t SET v = 'none' WHERE p IS NULL")
    change(t, "DELETE FROM t WHERE p = 'x' AND id = 2")
    _written(t, 2)


def case_feed_of_replace_where(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=FEED)
    for text, values in (("p = 'x'", "1, 'new', 'x'"), ("id = 3", "3, 'new', 'y'")):
        t.sql(f"INSERT INTO t REPLACE WHERE {text} VALUES ({values})")
    t.sql("SELECT * FROM t")
    _written(t, 2)


def case_feed_of_overwrites(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=FEED)
    t.sql("INSERT OVERWRITE t PARTITION (p = 'x') VALUES (7, 'g')")
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    t.sql("INSERT OVERWRITE t VALUES (8, 'h', 'y')")
    t.conf("spark.sql.sources.partitionOverwriteMode", "static")
    t.sql("INSERT OVERWRITE t VALUES (9, 'i', 'q')")
    _written(t, 2)


def case_feed_of_replaced_tables(t: Recorder) -> None:
    _table(t)
    t.sql(
        "CREATE OR REPLACE TABLE t USING delta TBLPROPERTIES"
        " ('delta.enableChangeDataFeed' = 'true') AS SELECT 9 AS id, 'i' AS v"
    )
    feed(t, 3)
    feed(t, 1)


def case_feed_of_commits_that_change_no_data(t: Recorder) -> None:
    _table(t)
    t.attempt(
        "rearranged",
        lambda: (
            t.spark.table("t")
            .coalesce(1)
            .write.format("delta")
            .mode("overwrite")
            .option("dataChange", "false")
            .saveAsTable("t")
        ),
    )
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('k' = 'v')")
    feed(t, 3)


def case_feed_with_vectors_deletes(t: Recorder) -> None:
    _table(t, **VECTORS)
    t.sql("DELETE FROM t WHERE id = 2")
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("DELETE FROM t WHERE id = 3")
    change(t, "DELETE FROM t")
    _written(t)


def case_feed_with_vectors_updates(t: Recorder) -> None:
    _table(t, **VECTORS)
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("UPDATE t SET v = 'new' WHERE id = 2")
    change(t, "UPDATE t SET v = 'all'")
    _written(t)


def case_feed_with_vectors_merges(t: Recorder) -> None:
    _table(t, **VECTORS)
    source(t, "(1, 'one'), (2, NULL), (9, 'nine')")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE",
    )
    _written(t)


def case_feed_with_column_mapping(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties={**FEED, **MAPPED})
    t.sql("UPDATE t SET v = 'new' WHERE id = 2")
    t.sql("DELETE FROM t WHERE id = 1")
    feed(t, 1)
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    feed(t, 2, 3)
    feed(t, 2)
    t.sql("UPDATE t SET w = 'renamed' WHERE id = 3")
    feed(t, 5)


def case_feed_when_columns_are_added(t: Recorder) -> None:
    _table(t)
    t.sql("UPDATE t SET v = 'new' WHERE id = 2")
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    t.sql("UPDATE t SET n = 1 WHERE id = 1")
    feed(t, 2)
    feed(t, 2, 3)


def case_feed_of_values_of_types(t: Recorder) -> None:
    make(
        t,
        "(1, named_struct('a', 1, 'b', array(1)), map('k', 1.50), TIMESTAMP'2024-01-01 10:00:00')",
        columns="id INT, s STRUCT<a: INT, b: ARRAY<INT>>, m MAP<STRING, DECIMAL(5, 2)>,"
        " ts TIMESTAMP",
        properties=FEED,
    )
    t.sql("UPDATE t SET s.a = 2, m = NULL")
    feed(t, 1)


def case_feed_put_on_later(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    t.sql("DELETE FROM t WHERE id = 1")
    feed(t, 3)
    feed(t, 2)
    feed(t, 0)
    t.log("t", 3)
    t.detail("t")


def case_feed_put_off_and_on_again(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')")
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    t.sql("DELETE FROM t WHERE id = 2")
    feed(t, 1, 2)
    feed(t, 2, 4)
    feed(t, 4)
    feed(t, 5)
    feed(t, 1)


def case_feed_and_reserved_columns(t: Recorder) -> None:
    told = "USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
    t.sql(f"CREATE TABLE a (id INT, _change_type STRING) {told}")
    t.sql("CREATE TABLE b (id INT, _commit_version INT) USING delta")
    t.sql("ALTER TABLE b SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    make(t, *THREE_AND_TWO, properties=FEED)
    t.sql("ALTER TABLE t ADD COLUMN _commit_timestamp TIMESTAMP")
    frame = t.spark.sql("SELECT 1 AS id, 'x' AS v, 'insert' AS _change_type")
    t.attempt(
        "written",
        lambda: (
            frame.write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )


def case_feed_of_a_table_that_is_made_with_rows(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
        " AS SELECT 1 AS id"
    )
    feed(t, 0)
    t.log("t")
