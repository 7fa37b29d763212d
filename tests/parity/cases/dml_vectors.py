"""DELETE, UPDATE and MERGE on tables with deletion vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import (
    MAPPED,
    THREE_AND_TWO,
    VECTORS,
    change,
    make,
    merge,
    put,
    source,
    versions,
)

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

PARTED = "id INT, v STRING, p STRING"
PARTED_ROWS = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
ALL = ("MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")


def _table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)


def _marked(t: Recorder) -> None:
    """A table whose row 2 is marked already, at version 3."""
    _table(t)
    t.spark.sql("DELETE FROM t WHERE id = 2")


def case_vectors_delete(t: Recorder) -> None:
    _table(t)
    change(t, "DELETE FROM t WHERE id = 2")
    t.log("t", 3)
    t.history("t")


def case_vectors_delete_more_of_a_file(t: Recorder) -> None:
    _table(t)
    change(t, "DELETE FROM t WHERE id = 2", "DELETE FROM t WHERE id IN (1, 5)")
    t.log("t", 3)
    t.sql("DELETE FROM t WHERE id = 2")
    versions(t)


def case_vectors_delete_a_whole_file(t: Recorder) -> None:
    _table(t)
    change(t, "DELETE FROM t WHERE id > 3")
    change(t, "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id < 4")
    t.log("t", 3)


def case_vectors_delete_everything(t: Recorder) -> None:
    _marked(t)
    change(t, "DELETE FROM t")
    t.log("t", 4)


def case_vectors_delete_partitions(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=VECTORS)
    change(t, "DELETE FROM t WHERE p = 'x' AND id = 1")
    change(t, "DELETE FROM t WHERE p = 'x'")
    change(t, "DELETE FROM t WHERE p IS NULL OR id = 99")
    t.log("t", 2)


def case_vectors_update(t: Recorder) -> None:
    _table(t)
    change(t, "UPDATE t SET v = 'new' WHERE id = 2")
    change(t, "UPDATE t SET v = 'newer' WHERE id = 2")
    t.log("t", 3)
    t.history("t")


def case_vectors_update_whole_files(t: Recorder) -> None:
    _marked(t)
    change(t, "UPDATE t SET v = 'x' WHERE id > 2")
    change(t, "UPDATE t SET id = id + 1")
    t.log("t", 4)


def case_vectors_update_partitions(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=VECTORS)
    change(t, "UPDATE t SET v = 'all' WHERE p = 'x'")
    change(t, "UPDATE t SET p = 'moved' WHERE id = 1")
    t.log("t", 2)


def case_vectors_merge(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two'), (4, 'four'), (9, 'nine')")
    merge(t, *ALL)
    t.log("t", 3)
    t.history("t")


def case_vectors_merge_deletes(t: Recorder) -> None:
    _marked(t)
    source(t, "(1, 'one'), (2, 'two'), (4, 'four'), (5, 'five')")
    merge(t, "MATCHED THEN DELETE")
    t.log("t", 4)


def case_vectors_merge_all_kinds(t: Recorder) -> None:
    _marked(t)
    source(t, "(1, 'one'), (2, 'two'), (4, NULL)")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 3 THEN UPDATE SET v = 'gone'",
        "NOT MATCHED BY SOURCE THEN DELETE",
    )
    t.log("t", 4)


def case_vectors_merge_inserts_only(t: Recorder) -> None:
    _marked(t)
    source(t, "(1, 'one'), (2, 'two')")
    merge(t, "NOT MATCHED THEN INSERT *")
    t.log("t", 4)


def case_vectors_merge_of_several_matches(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two'), (2, 'deux')")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "MATCHED THEN DELETE")
    t.log("t", 3)


def case_vectors_merge_evolves(t: Recorder) -> None:
    _marked(t)
    source(t, "(1, 'one', 10), (2, 'two', 20)", "id, v, n")
    merge(t, *ALL, evolve=True)
    t.log("t", 4)


def case_vectors_with_column_mapping(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties={**VECTORS, **MAPPED})
    change(t, "DELETE FROM t WHERE id = 1")
    change(t, "UPDATE t SET v = 'new' WHERE id = 2")
    source(t, "(2, 'two', 'z'), (9, 'nine', 'x')", "id, v, p")
    merge(t, *ALL)


def case_vectors_when_put_on_and_off(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    change(t, "DELETE FROM t WHERE id = 2")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    change(t, "DELETE FROM t WHERE id = 4")
    change(t, "DELETE FROM t WHERE id = 1")
    t.log("t", 4)


def case_vectors_put_off_by_the_session(t: Recorder) -> None:
    _table(t)
    t.conf("spark.databricks.delta.delete.deletionVectors.persistent", "false")
    t.conf("spark.databricks.delta.update.deletionVectors.persistent", "false")
    t.conf("spark.databricks.delta.merge.deletionVectors.persistent", "false")
    source(t, "(4, 'four')")
    t.sql("DELETE FROM t WHERE id = 2")
    t.sql("UPDATE t SET v = 'x' WHERE id = 1")
    merge(t, "MATCHED THEN UPDATE SET *")
    t.log("t", 3)


def case_vectors_in_queries(t: Recorder) -> None:
    _marked(t)
    t.sql("SELECT count(*) AS n, min(id) AS a, max(id) AS b FROM t")
    t.sql("SELECT count(*) AS n FROM t WHERE id > 1")
    t.sql("SELECT id, _metadata.row_index AS i FROM t")
    t.sql("SELECT count(*) AS n FROM t VERSION AS OF 2")
    t.sql("SELECT v FROM t WHERE id = 2")
    t.detail("t")


def case_vectors_and_writes(t: Recorder) -> None:
    _marked(t)
    put(t, "(2, 'again')")
    t.sql("SELECT * FROM t")
    t.attempt(
        "replaced",
        lambda: (
            t.spark.sql("SELECT 3 AS id, 'c' AS v")
            .write.format("delta")
            .mode("overwrite")
            .option("replaceWhere", "id = 3")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 5)
    change(t, "INSERT OVERWRITE t VALUES (7, 'g')")


def case_vectors_of_files_without_counts(t: Recorder) -> None:
    t.conf("spark.databricks.delta.stats.collect", "false")
    _table(t)
    change(t, "DELETE FROM t WHERE id = 2")
    t.log("t", 3)
    change(t, "DELETE FROM t")


def case_vectors_purged(t: Recorder) -> None:
    _marked(t)
    for label in ("once", "again"):
        t.attempt(label, lambda: t.spark.sql("REORG TABLE t APPLY (PURGE)"))
        t.sql("SELECT * FROM t")
        versions(t)
