"""REORG TABLE ... APPLY (PURGE) of clustered tables: what becomes of the tags of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.cases.clustering import CUBES, clustered
from tests.parity.cases.clustering import tags_of_last_commit as tags
from tests.parity.changing import put

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _purged(t: Recorder) -> None:
    t.attempt("purge", lambda: t.spark.sql("REORG TABLE t APPLY (PURGE)").first())
    t.sql("SELECT * FROM t")
    t.rows("tags", lambda: tags(t))


def _clustered(t: Recorder) -> None:
    clustered(t, properties="TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    t.spark.sql("OPTIMIZE t")


def case_purge_of_a_cube(t: Recorder) -> None:
    _clustered(t)
    t.spark.sql("DELETE FROM t WHERE a = 1")
    _purged(t)
    put(t, "(6, 'f', NULL, 6)")
    t.spark.sql("OPTIMIZE t")
    t.rows("tags", lambda: tags(t))
    t.history("t")


def case_purge_of_two_cubes_and_a_new_file(t: Recorder) -> None:
    t.conf(f"{CUBES}.threshold", "1")
    _clustered(t)
    put(t, "(6, 'f', NULL, 6), (7, 'g', NULL, 7)")
    t.spark.sql("OPTIMIZE t")
    put(t, "(8, 'h', NULL, 8), (9, 'i', NULL, 9)")
    t.spark.sql("DELETE FROM t WHERE a IN (1, 6, 8)")
    t.rows("tags", lambda: tags(t))
    _purged(t)
    t.spark.sql("OPTIMIZE t")
    t.rows("tags", lambda: tags(t))
    t.history("t")
