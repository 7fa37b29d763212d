"""RESTORE: an older version becomes the newest; what it says, leaves in history and refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.parity.changing import FEED, MAPPED, TRACKED, VECTORS, feed, make, put, versions

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

SIZES = ("table_size_after_restore", "removed_files_size", "restored_files_size")


def restore(t: Recorder, version: object, table: str = "t") -> None:
    """Restore a version, and show how many files came and went."""
    text = f"RESTORE TABLE {table} TO VERSION AS OF {version}"
    t.rows(text, lambda: [_counts(row.asDict()) for row in t.spark.sql(text).collect()])


def _counts(row: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in row.items() if key not in SIZES)


def _content(t: Recorder, table: str = "t") -> None:
    t.sql(f"SELECT * FROM {table}")
    versions(t, table)


def _actions(t: Recorder, version: int, kind: str, table: str = "t") -> list[dict[str, Any]]:
    path = t.place(table) / "_delta_log" / f"{version:020}.json"
    lines = map(json.loads, path.read_text().splitlines())
    return [line[kind] for line in lines if kind in line]


def case_restore_of_a_version(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    restore(t, 2)
    _content(t)
    t.history("t")
    restore(t, 0)
    _content(t)
    restore(t, 4)
    _content(t)


def case_restore_tells_its_columns(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')")
    text = "RESTORE TABLE t TO VERSION AS OF 1"
    t.rows("schema", lambda: t.spark.sql(text).schema.simpleString().split(","))


def case_restore_in_other_words(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')")
    for clauses in (
        "t VERSION AS OF 1",
        "t TO VERSION AS OF 2",
        "TABLE t VERSION AS OF 1",
        "TABLE t FOR VERSION AS OF 2",
        "t FOR SYSTEM_VERSION AS OF 1",
        "t TO SYSTEM_VERSION AS OF 2",
        "t TO VERSION AS OF '1'",
        "t TO VERSION AS OF -1",
        "t TO VERSION AS OF",
        "t",
        "t TO 1",
        "t TO TIMESTAMP AS OF",
        "t TO TIMESTAMP AS OF current_timestamp()",
    ):
        t.spark.catalog.clearCache()
        t.rows(f"RESTORE {clauses}", lambda clauses=clauses: _ran(t, clauses))
    _content(t)


def _ran(t: Recorder, clauses: str) -> list[str]:
    return [_counts(row.asDict()) for row in t.spark.sql(f"RESTORE {clauses}").collect()]


def case_restore_of_the_newest_version(t: Recorder) -> None:
    make(t, "(1, 'a')")
    restore(t, 1)
    _content(t)


def case_restore_of_what_is_not_there(t: Recorder) -> None:
    make(t, "(1, 'a')")
    restore(t, 7)
    t.sql("RESTORE TABLE t TO TIMESTAMP AS OF '2001-01-01'")
    t.sql("RESTORE TABLE t TO TIMESTAMP AS OF '2101-01-01'")
    t.sql("RESTORE TABLE t TO TIMESTAMP AS OF 'no time'")
    restore(t, 0, "nope")
    t.spark.sql("CREATE TABLE other (id INT) USING parquet")
    restore(t, 0, "other")
    t.spark.sql("CREATE TEMPORARY VIEW v AS SELECT 1 AS id")
    restore(t, 0, "v")
    restore(t, 0, f"delta.`{t.path}`")
    _content(t)


def case_restore_by_path(t: Recorder) -> None:
    table = f"delta.`{t.path}`"
    make(t, "(1, 'a')", "(2, 'b')", table=table)
    restore(t, 1, table)
    _content(t, table)


def case_restore_of_partitions(t: Recorder) -> None:
    make(t, "(1, 'x'), (2, 'y'), (3, NULL)", by="v")
    t.spark.sql("INSERT OVERWRITE t VALUES (9, 'z')")
    restore(t, 1)
    _content(t)
    t.value("removed", lambda: [r["partitionValues"] for r in _actions(t, 3, "remove")])


def case_restore_of_other_columns(t: Recorder) -> None:
    make(t, "(1, 'a')", by="v")
    other = t.spark.sql("SELECT 1.5D AS x, 'new' AS y")
    other.write.format("delta").mode("overwrite").option("overwriteSchema", "true").saveAsTable("t")
    restore(t, 1)
    _content(t)
    restore(t, 2)
    _content(t)


def case_restore_of_vectors(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.spark.sql("DELETE FROM t WHERE id = 2")
    restore(t, 2)
    _content(t)
    restore(t, 1)
    _content(t)
    restore(t, 3)
    _content(t)


def case_restore_with_vectors_that_are_disabled(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    t.spark.sql("DELETE FROM t WHERE id = 2")
    restore(t, 3)
    _content(t)


def case_restore_seen_in_the_feed(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", "(3, 'c')", properties=FEED | VECTORS)
    t.spark.sql("UPDATE t SET v = 'new' WHERE id = 1")
    t.spark.sql("DELETE FROM t WHERE id = 3")
    restore(t, 2)
    _content(t)
    feed(t, 5)
    restore(t, 1)
    feed(t, 6)


def case_restore_of_a_protocol(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    restore(t, 1)
    _content(t)
    t.sql("SHOW TBLPROPERTIES t")
    restore(t, 3)
    t.conf("spark.databricks.delta.restore.protocolDowngradeAllowed", "true")
    restore(t, 1)
    _content(t)
    t.sql("SHOW TBLPROPERTIES t")


def case_restore_of_properties(t: Recorder) -> None:
    make(t, "(1, 'a')", properties={"a": "1", "b": "2"})
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('a' = '5', 'c' = '3')")
    t.spark.sql("COMMENT ON TABLE t IS 'new'")
    restore(t, 1)
    t.sql("SHOW TBLPROPERTIES t")
    t.value("comment", lambda: t.spark.sql("DESCRIBE DETAIL t").first()["description"])


def case_restore_of_renamed_columns(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", properties=MAPPED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    t.spark.sql("ALTER TABLE t ADD COLUMN x INT")
    t.spark.sql("INSERT INTO t VALUES (3, 'c', 5)")
    restore(t, 2)
    _content(t)
    t.spark.sql("INSERT INTO t VALUES (4, 'd')")
    restore(t, 5)
    _content(t)


def case_restore_of_columns_before_they_were_mapped(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    restore(t, 1)
    _content(t)
    restore(t, 3)
    _content(t)


def case_restore_of_mapped_columns_with_feed(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", properties=MAPPED | FEED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    restore(t, 1)
    _content(t)
    feed(t, 4)


def case_restore_of_tracked_rows(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", "(3, 'c')", properties=TRACKED)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    restore(t, 2)
    ids = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t"
    t.sql(ids)
    put(t, "(4, 'd')")
    t.sql(ids)


def case_restore_of_constraints(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0)")
    t.spark.sql("INSERT INTO t VALUES (2, 'b')")
    t.spark.sql("ALTER TABLE t DROP CONSTRAINT positive")
    restore(t, 2)
    t.sql("INSERT INTO t VALUES (-1, 'c')")
    restore(t, 1)
    t.sql("INSERT INTO t VALUES (-1, 'c')")
    _content(t)


def case_restore_of_clustering(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, v STRING) USING delta CLUSTER BY (id)")
    put(t, "(1, 'a')")
    t.spark.sql("ALTER TABLE t CLUSTER BY (v)")
    restore(t, 1)
    clustered = "clusteringColumns"
    t.value("clustered", lambda: t.spark.sql("DESCRIBE DETAIL t").first()[clustered])
    t.spark.sql("ALTER TABLE t CLUSTER BY NONE")
    restore(t, 2)
    t.value("clustered again", lambda: t.spark.sql("DESCRIBE DETAIL t").first()[clustered])


def case_restore_of_missing_files(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')")
    t.spark.sql("DELETE FROM t WHERE id = 1")
    for add in _actions(t, 1, "add"):
        (t.place("t") / add["path"]).unlink()
    t.value("refused", lambda: _refused(t))
    versions(t)
    t.conf("spark.sql.files.ignoreMissingFiles", "true")
    restore(t, 2)
    _content(t)


def _refused(t: Recorder) -> str:
    try:
        t.spark.sql("RESTORE TABLE t TO VERSION AS OF 2").collect()
    except Exception as error:  # noqa: BLE001  # theirs has no condition
        return type(error).__name__.removeprefix("Delta").replace("Error", "Exception")
    return "restored"


def case_restore_of_appends_only(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", properties={"delta.appendOnly": "true"})
    restore(t, 1)
    _content(t)


def case_restore_by_python(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.rows("to 1", lambda: [_counts(r.asDict()) for r in table.restoreToVersion(1).collect()])
    t.rows("again", lambda: [_counts(r.asDict()) for r in table.restoreToVersion(3).collect()])
    for wrong in ("1", None, 77, -1):
        t.rows(f"to {wrong!r}", lambda wrong=wrong: table.restoreToVersion(wrong).collect())
    for wrong in (5, None, "no time", "2001-01-01", "2101-01-01"):
        t.rows(f"at {wrong!r}", lambda wrong=wrong: table.restoreToTimestamp(wrong).collect())
    _content(t)
