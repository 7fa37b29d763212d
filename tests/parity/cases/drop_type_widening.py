"""DROP FEATURE typeWidening where columns have had other types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import FEED, MAPPED, THREE_AND_TWO, TRACKED, VECTORS, make, put

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.parity.recorder import Recorder

WIDENING = {"delta.enableTypeWidening": "true"}
DROP = "ALTER TABLE t DROP FEATURE typeWidening"


def _widened(t: Recorder, properties: Mapping[str, str] | None = None) -> None:
    make(t, *THREE_AND_TWO, properties={**WIDENING, **(properties or {})})
    t.spark.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")


def _dropped(t: Recorder, first: int, text: str = DROP) -> None:
    """Drop the feature, then show the rows, and what was committed from a version on."""
    t.sql(text)
    t.sql("SELECT * FROM t")
    t.log("t", first)
    t.history("t")


def case_widened_column(t: Recorder) -> None:
    _widened(t)
    _dropped(t, 4)


def case_files_of_the_new_type_stay(t: Recorder) -> None:
    _widened(t)
    put(t, "(6L, 'new')")
    _dropped(t, 5)


def case_files_are_of_the_new_type_alone(t: Recorder) -> None:
    make(t, properties=WIDENING)
    t.spark.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    put(t, "(6L, 'new')")
    _dropped(t, 3)


def case_table_without_rows(t: Recorder) -> None:
    make(t, properties=WIDENING)
    t.spark.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    _dropped(t, 2)


def case_nested_fields(t: Recorder) -> None:
    make(
        t,
        "(1, named_struct('x', CAST(1 AS SMALLINT)), array(1), map(1, 1))",
        columns="id INT, s STRUCT<x: SMALLINT>, l ARRAY<INT>, m MAP<INT, INT>",
        properties=WIDENING,
    )
    for column in ("s.x TYPE INT", "l.element TYPE BIGINT", "m.key TYPE BIGINT"):
        t.spark.sql(f"ALTER TABLE t ALTER COLUMN {column}")
    _dropped(t, 5)


def case_partition_column(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", columns="id INT, v STRING", by="id", properties=WIDENING)
    t.spark.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    _dropped(t, 3)


def case_property_is_unset_already(t: Recorder) -> None:
    _widened(t)
    t.spark.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableTypeWidening')")
    _dropped(t, 5)


def case_with_vectors_and_feed(t: Recorder) -> None:
    _widened(t, {**VECTORS, **FEED, **MAPPED})
    t.spark.sql("DELETE FROM t WHERE id = 2")
    _dropped(t, 5)


def case_with_row_ids(t: Recorder) -> None:
    _widened(t, TRACKED)
    _dropped(t, 4)
    t.sql("SELECT id, _metadata.row_id AS r, _metadata.row_commit_version AS c FROM t")


def case_truncating_history(t: Recorder) -> None:
    _widened(t)
    _dropped(t, 4, f"{DROP} TRUNCATE HISTORY")
    t.sql(f"{DROP} TRUNCATE HISTORY")
    t.history("t")


def case_dropped_twice(t: Recorder) -> None:
    _widened(t)
    t.spark.sql(DROP)
    t.sql(DROP)
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE DOUBLE")
    t.sql("SELECT * FROM t")
