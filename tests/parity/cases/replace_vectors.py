"""Overwrites of some rows where deletion vectors, row ids or a change feed are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import FEED, THREE_AND_TWO, TRACKED, VECTORS, feed, make

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

PARTED = "id INT, v STRING, p STRING"
PARTED_ROWS = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'y')"
IDS = "id, v, least(_metadata.row_id, 5) AS i, _metadata.row_commit_version AS c"


def _replace(t: Recorder, where: str, rows: str, shown: str = "*") -> None:
    """Replace rows, then show what the table holds and what was committed."""
    t.sql(f"INSERT INTO t REPLACE WHERE {where} SELECT * FROM VALUES {rows}")
    t.sql(f"SELECT {shown} FROM t")
    t.log("t", _last(t))


def _last(t: Recorder) -> int:
    return int(t.spark.sql("DESCRIBE HISTORY t LIMIT 1").first()["version"])


def case_where_data_columns_with_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    _replace(t, "id = 2", "(2, 'new')")
    _replace(t, "id >= 4", "(4, 'new')")
    _replace(t, "id = 3", "(3, 'new'), (3, 'more')")
    t.sql("SELECT * FROM t WHERE id = 100")
    _replace(t, "id = 100", "(100, 'new')")
    _replace(t, "v IS NULL", "(7, NULL)")
    t.history("t")


def case_where_no_new_rows_with_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.sql("INSERT INTO t REPLACE WHERE id = 2 SELECT 2, 'x' WHERE false")
    t.sql("SELECT * FROM t")
    t.log("t", 3)
    t.sql("INSERT INTO t REPLACE WHERE id > 3 SELECT 4, 'x' WHERE false")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_where_partitions_with_vectors(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    _replace(t, "p = 'x'", "(9, 'new', 'x')")
    _replace(t, "p = 'y' AND id = 3", "(3, 'new', 'y')")
    t.history("t")


def case_where_rows_are_marked_already(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 1")
    _replace(t, "id = 2", "(2, 'new')")
    _replace(t, "id = 3", "(3, 'new')")
    t.history("t")


def case_where_vectors_are_off_by_settings(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.conf("spark.databricks.delta.delete.deletionVectors.persistent", "false")
    _replace(t, "id = 2", "(2, 'new')")


def case_where_vectors_and_feed(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**VECTORS, **FEED})
    _replace(t, "id = 2", "(2, 'new')")
    feed(t, 3)
    _replace(t, "id > 3", "(4, 'new')")
    feed(t, 4)
    t.history("t")


def case_where_vectors_and_row_ids(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**VECTORS, **TRACKED})
    _replace(t, "id = 2", "(2, 'new')", IDS)
    _replace(t, "id > 3", "(4, 'new')", IDS)
    t.history("t")


def case_where_row_ids(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=TRACKED)
    _replace(t, "id = 2", "(2, 'new')", IDS)
    _replace(t, "id > 3", "(4, 'new')", IDS)
    t.history("t")


def case_where_row_ids_and_feed(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**TRACKED, **FEED})
    _replace(t, "id = 2", "(2, 'new')", IDS)
    feed(t, 3)


def case_where_partitions_with_row_ids(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=TRACKED)
    _replace(t, "p = 'x'", "(1, 'new', 'x'), (9, 'new', 'x')", IDS)
    _replace(t, "p = 'y' AND id = 3", "(3, 'new', 'y')", IDS)
    t.history("t")
