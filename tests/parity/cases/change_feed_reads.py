"""Reading the change data feed: table_changes, readChangeFeed, and where the range ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import FEED, MAPPED, THREE_AND_TWO, VECTORS, make, put

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


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
