"""Lengths of CHAR and VARCHAR inside structs, arrays and maps, and how ALTER TABLE changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

COLUMNS = (
    "id INT, s STRUCT<v: VARCHAR(3), c: CHAR(3)>, l ARRAY<VARCHAR(3)>, m MAP<STRING, VARCHAR(3)>"
)
TOO_LONG = {
    "struct": "named_struct('v', 'abcd', 'c', 'a'), array('b'), map('k', 'x')",
    "array": "named_struct('v', 'a', 'c', 'a'), array('abcd'), map('k', 'x')",
    "map": "named_struct('v', 'a', 'c', 'a'), array('b'), map('k', 'abcd')",
}


def _table(t: Recorder) -> None:
    t.spark.sql(f"CREATE TABLE t ({COLUMNS}) USING delta")
    t.spark.sql(
        "INSERT INTO t SELECT 1, named_struct('v', 'a', 'c', 'b'), array('d'), map('k', 'x')"
    )


def _texts_of_four(t: Recorder) -> None:
    """Write texts of four letters, one place at a time, and show how many rows there are."""
    for place, values in TOO_LONG.items():
        t.attempt(place, lambda values=values: t.spark.sql(f"INSERT INTO t SELECT 2, {values}"))
    t.sql("SELECT count(*) AS n FROM t")


def case_nested_lengths_removed(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s.v TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN l.element TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN m.value TYPE STRING")
    _texts_of_four(t)


def case_nested_lengths_changed(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s.v TYPE VARCHAR(10)")
    t.sql("ALTER TABLE t ALTER COLUMN l.element TYPE VARCHAR(10)")
    t.sql("ALTER TABLE t ALTER COLUMN m.value TYPE VARCHAR(10)")
    t.sql("ALTER TABLE t ALTER COLUMN s.v TYPE VARCHAR(2)")
    t.sql("ALTER TABLE t ALTER COLUMN l.element TYPE CHAR(3)")
    t.sql("ALTER TABLE t ALTER COLUMN m.value TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN s.nope TYPE VARCHAR(10)")
    _texts_of_four(t)
