"""Rows written to tables with identity columns: the numbers they get, and those they may bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.numbering import MAPPED, data, numbered_table, put, shown

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_numbers_go_on_from_write_to_write(t: Recorder) -> None:
    numbered_table(t, start=10, step=5)
    put(t, "a", "b")
    t.sql("INSERT INTO t (v) SELECT /*+ COALESCE(1) */ * FROM VALUES ('c'), ('d'), ('e')")
    shown(t)
    t.history("t")


def case_numbers_go_down(t: Recorder) -> None:
    numbered_table(t, start=-1, step=-1)
    put(t, "a")
    t.sql("INSERT INTO t (v) SELECT /*+ COALESCE(1) */ * FROM VALUES ('c'), ('d'), ('e')")
    shown(t)


def case_many_tasks_give_each_number_once(t: Recorder) -> None:
    numbered_table(t, "v BIGINT", start=3, step=4)
    frame = t.spark.range(0, 1000, 1, 7).selectExpr("id AS v")
    t.attempt("seven tasks", lambda: frame.write.format("delta").mode("append").saveAsTable("t"))
    t.attempt("and again", lambda: frame.write.format("delta").mode("append").saveAsTable("t"))
    t.sql(
        "SELECT count(*), count(DISTINCT id), min(id), count_if((id - 3) % 4 <> 0), "
        "count_if(id IS NULL) FROM t"
    )


def case_always_takes_no_values(t: Recorder) -> None:
    numbered_table(t)
    put(t, "a")
    t.sql("INSERT INTO t VALUES (7, 'b')")
    t.sql("INSERT INTO t (v, id) VALUES ('b', 7)")
    t.sql("INSERT INTO t VALUES (DEFAULT, 'b')")
    t.sql("INSERT INTO t VALUES (NULL, 'b')")
    t.sql("INSERT INTO t VALUES ('b')")
    t.sql("INSERT OVERWRITE t VALUES (7, 'b')")
    with_id = data(t, "SELECT 7L AS id, 'b' AS v")
    for mode in ("append", "overwrite"):
        t.attempt(
            f"saveAsTable {mode}",
            lambda mode=mode: with_id.write.format("delta").mode(mode).saveAsTable("t"),
        )
    t.attempt("append", lambda: with_id.writeTo("t").append())
    t.attempt("none of them", lambda: with_id.where("false").writeTo("t").append())
    t.attempt("insertInto", lambda: with_id.write.insertInto("t"))
    shown(t)


def case_by_default_takes_values(t: Recorder) -> None:
    numbered_table(t, default=True)
    t.sql("INSERT INTO t VALUES (2, 'given')")
    t.sql("INSERT INTO t VALUES (NULL, 'null')")
    t.sql("INSERT INTO t VALUES (DEFAULT, 'default')")
    shown(t)
    put(t, "a", "b")
    t.history("t")


def case_frames(t: Recorder) -> None:
    numbered_table(t)
    for number, write in enumerate(
        (
            lambda frame: frame.write.format("delta").mode("append").saveAsTable("t"),
            lambda frame: frame.writeTo("t").append(),
            lambda frame: frame.write.format("delta").mode("overwrite").saveAsTable("t"),
            lambda frame: frame.writeTo("t").overwritePartitions(),
        )
    ):
        frame = data(t, f"SELECT 'v{number}' AS v")
        t.attempt(f"write {number}", lambda write=write, frame=frame: write(frame))
    shown(t)
    t.history("t")


def case_overwrites_go_on(t: Recorder) -> None:
    numbered_table(t, "v STRING", "p INT", by="p")
    t.sql("INSERT INTO t (v, p) VALUES ('a', 1)")
    t.sql("INSERT INTO t (v, p) VALUES ('b', 2)")
    t.sql("INSERT OVERWRITE t (v, p) VALUES ('c', 1)")
    shown(t)
    frame = data(t, "SELECT 'd' AS v, 1 AS p")
    writer = frame.write.format("delta").mode("overwrite")
    t.attempt("replaceWhere", lambda: writer.option("replaceWhere", "p = 1").saveAsTable("t"))
    shown(t)


def case_another_schema(t: Recorder) -> None:
    numbered_table(t)
    put(t, "a")
    frame = data(t, "SELECT 'b' AS v, 1 AS w")
    writer = frame.write.format("delta")
    t.attempt(
        "mergeSchema",
        lambda: writer.mode("append").option("mergeSchema", "true").saveAsTable("t"),
    )
    shown(t)
    with_id = data(t, "SELECT 9L AS id, 'b' AS v").write.format("delta").mode("overwrite")
    t.attempt(
        "overwriteSchema with it",
        lambda: with_id.option("overwriteSchema", "true").saveAsTable("t"),
    )
    t.attempt(
        "overwriteSchema without it",
        lambda: writer.mode("overwrite").option("overwriteSchema", "true").saveAsTable("t"),
    )
    shown(t)


def case_without_statistics_and_mapped(t: Recorder) -> None:
    numbered_table(t, properties={**MAPPED, "delta.dataSkippingNumIndexedCols": "0"})
    put(t, "a", "b")


def case_no_number_is_left(t: Recorder) -> None:
    numbered_table(t, start=2**63 - 2)
    put(t, "a")
    t.attempt(
        "two more",
        lambda: data(t, "SELECT explode(array('b', 'c')) AS v").writeTo("t").append(),
    )
    put(t, "d")
    t.attempt("one more", lambda: data(t, "SELECT 'e' AS v").writeTo("t").append())
    shown(t)


def case_a_check_over_the_number(t: Recorder) -> None:
    numbered_table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT few CHECK (id < 3)")
    put(t, "a", "b", "c")
