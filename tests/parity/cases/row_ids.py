"""Row tracking: the identifiers of rows, and what keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import (
    FEED,
    MAPPED,
    THREE_AND_TWO,
    TRACKED,
    VECTORS,
    make,
    merge,
    put,
    source,
)

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

# The tables begin with five rows at most: how later ones are numbered is up to the writer's files.
IDS = "id, least(_metadata.row_id, 5) AS i, _metadata.row_commit_version AS c"
BASE = "_metadata.base_row_id AS b, _metadata.default_row_commit_version AS d"


def _table(t: Recorder, **properties: str) -> None:
    make(t, *THREE_AND_TWO, properties={**TRACKED, **properties})


def _ids(t: Recorder, *texts: str) -> None:
    """Run statements and show the identifiers after each."""
    for text in texts:
        t.sql(text)
        t.sql(f"SELECT {IDS} FROM t")


def case_ids_of_inserted_rows(t: Recorder) -> None:
    _table(t)
    t.sql(f"SELECT {IDS} FROM t")
    t.sql(f"SELECT DISTINCT {BASE} FROM t")
    put(t, "(6, 'f')")
    t.sql(f"SELECT {IDS} FROM t WHERE _metadata.row_id >= 4")
    t.log("t", 3)


def case_ids_in_queries(t: Recorder) -> None:
    _table(t)
    t.sql("SELECT max(_metadata.row_id) AS m FROM t")
    t.sql("SELECT _metadata.row_id FROM t WHERE _metadata.row_commit_version = 2")
    t.sql(f"SELECT {IDS} FROM t VERSION AS OF 1")
    t.sql("SELECT a.id FROM t a JOIN t b ON a._metadata.row_id = b._metadata.row_id + 1")
    t.sql("SELECT row_id FROM t")
    t.show("type", lambda: t.spark.sql("SELECT _metadata.* FROM t LIMIT 0"))


def case_ids_of_a_table_without_them(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("SELECT _metadata.row_id FROM t")
    t.sql("SELECT _metadata.base_row_id FROM t")
    make(t, "(1, 'a')", properties={"delta.feature.rowTracking": "supported"}, table="u")
    t.sql("SELECT _metadata.row_id FROM u")
    t.log("u", 1)


def case_ids_after_deletes(t: Recorder) -> None:
    _table(t)
    _ids(t, "DELETE FROM t WHERE id = 2", "DELETE FROM t WHERE id = 4")
    t.log("t", 3)


def case_ids_after_updates(t: Recorder) -> None:
    _table(t)
    _ids(t, "UPDATE t SET v = 'new' WHERE id = 2", "UPDATE t SET id = id + 10")
    t.log("t", 3)


def case_ids_after_several_rewrites(t: Recorder) -> None:
    _table(t)
    _ids(
        t,
        "UPDATE t SET v = 'new' WHERE id = 2",
        "DELETE FROM t WHERE id = 1",
        "UPDATE t SET v = 'newer' WHERE id = 3",
        "INSERT INTO t VALUES (6, 'f')",
    )


def case_ids_after_merges(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two'), (4, NULL), (9, 'nine')")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 1 THEN UPDATE SET v = 'gone'",
    )
    t.sql(f"SELECT {IDS} FROM t")
    t.log("t", 3)


def case_ids_after_merges_that_only_insert(t: Recorder) -> None:
    _table(t)
    source(t, "(2, 'two'), (9, 'nine')")
    merge(t, "NOT MATCHED THEN INSERT *")
    t.sql(f"SELECT {IDS} FROM t")
    t.log("t", 3)


def case_ids_with_vectors(t: Recorder) -> None:
    _table(t, **VECTORS)
    _ids(t, "DELETE FROM t WHERE id = 2", "UPDATE t SET v = 'new' WHERE id = 3")
    source(t, "(5, 'five'), (9, 'nine')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    t.sql(f"SELECT {IDS} FROM t")
    t.log("t", 3)


def case_ids_of_partitions(t: Recorder) -> None:
    make(
        t,
        "(1, 'a', 'x'), (2, 'b', 'x')",
        "(3, 'c', 'y')",
        columns="id INT, v STRING, p STRING",
        by="p",
        properties={**TRACKED, **MAPPED},
    )
    _ids(t, "UPDATE t SET p = 'y' WHERE id = 1", "DELETE FROM t WHERE p = 'x'")


def case_ids_after_other_writes(t: Recorder) -> None:
    _table(t)
    _ids(t, "INSERT INTO t REPLACE WHERE id = 2 VALUES (2, 'new')")
    t.log("t", 3)
    _ids(t, "INSERT OVERWRITE t VALUES (7, 'g')")


def case_ids_with_a_change_feed(t: Recorder) -> None:
    _table(t, **FEED)
    _ids(t, "UPDATE t SET v = 'new' WHERE id = 2", "DELETE FROM t WHERE id = 1")
    t.sql("SELECT id, v, _change_type FROM table_changes('t', 3)")
    t.log("t", 3)


def case_ids_put_on_later(t: Recorder) -> None:
    # One file: which of two is numbered first depends on their random names.
    make(t, ", ".join(THREE_AND_TWO))
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    t.sql(f"SELECT {IDS} FROM t")
    _ids(t, "UPDATE t SET v = 'new' WHERE id = 4")


def case_ids_put_off(t: Recorder) -> None:
    _table(t)
    t.sql("UPDATE t SET v = 'new' WHERE id = 2")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false')")
    t.sql("UPDATE t SET v = 'newer' WHERE id = 2")
    t.sql("SELECT _metadata.row_id FROM t")
    t.log("t", 4)


def case_ids_in_conditions_of_changes(t: Recorder) -> None:
    _table(t)
    _ids(t, "DELETE FROM t WHERE _metadata.row_id = 1")
    _ids(t, "UPDATE t SET v = 'by id' WHERE _metadata.row_id = 3")
