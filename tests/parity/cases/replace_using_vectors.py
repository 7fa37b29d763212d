"""The options replaceUsing and replaceOn where deletion vectors or row ids are on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import FEED, THREE_AND_TWO, TRACKED, VECTORS, feed, make
from tests.parity.saving import rows, save_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

IDS = "id, v, least(_metadata.row_id, 5) AS i, _metadata.row_commit_version AS c"


def case_using_with_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    two = rows(t, "(2, 'new'), (9, 'new')", "id, v")
    save_table(t, "one of a file", two.coalesce(1), replaceUsing="id")
    t.sql("SELECT * FROM t")
    t.log("t", 3)
    both = rows(t, "(4, 'new'), (5, 'new')", "id, v")
    save_table(t, "a file", both.coalesce(1), replaceUsing="id")
    t.sql("SELECT * FROM t")
    t.log("t", 4)
    t.history("t")


def case_using_with_row_ids(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=TRACKED)
    save_table(t, "one", rows(t, "(2, 'new')", "id, v"), replaceUsing="id")
    t.sql(f"SELECT {IDS} FROM t")
    t.log("t", 3)


def case_on_with_vectors_and_feed(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**VECTORS, **FEED})
    one = rows(t, "(2, 'new')", "id, v").alias("s")
    save_table(t, "one", one, replaceOn="t.id = s.id", targetAlias="t")
    t.sql("SELECT * FROM t")
    t.log("t", 3)
    feed(t, 3)
    t.history("t")
