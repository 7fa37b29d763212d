"""DeltaTable.update, and UPDATE of columns that have rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tests.parity.changing import THREE_AND_TWO, change, make, versions
from tests.parity.generating import query, summed
from tests.parity.numbering import numbered_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_update_by_the_api(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("texts", lambda: table.update("id = 1", {"v": "'one'"}))
    t.attempt("columns", lambda: table.update(f.col("id") == 2, {"v": f.lit("two")}))
    t.attempt("by name", lambda: table.update(set={"v": "upper(v)"}, condition="id = 4"))
    t.attempt("alias", lambda: table.alias("x").update("x.id = 5", {"x.v": "x.id"}))
    t.attempt("quoted", lambda: table.update("id = 3", {"`v`": "'three'"}))
    t.sql("SELECT * FROM t")
    t.attempt("no condition", lambda: table.update(set={"id": f.col("id") + 1}))
    t.sql("SELECT * FROM t")
    t.log("t", 3)


def case_update_by_the_api_wrongly(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("nothing", table.update)
    t.attempt("no set", lambda: table.update("id = 1"))
    t.attempt("empty set", lambda: table.update(set={}))
    t.attempt("a list", lambda: table.update(set=["v"]))
    t.attempt("a number for a name", lambda: table.update(set={1: "v"}))
    t.attempt("a number for a value", lambda: table.update(set={"v": 1}))
    t.attempt("None for a value", lambda: table.update(set={"v": None}))
    t.attempt("a number for a condition", lambda: table.update(1, {"v": "v"}))
    t.attempt("unknown column", lambda: table.update(set={"nope": "v"}))
    t.attempt("unknown value", lambda: table.update(set={"v": "nope"}))
    t.attempt("unparsable", lambda: table.update(set={"v": "= 1"}))
    versions(t)


def case_update_of_generated_columns(t: Recorder) -> None:
    summed(t)
    query(t, "1 AS a, 2 AS b").write.format("delta").mode("append").saveAsTable("t")
    change(t, "UPDATE t SET a = 5")
    t.sql("UPDATE t SET c = 9")
    change(t, "UPDATE t SET c = 9, b = 4")
    t.sql("UPDATE t SET c = DEFAULT")
    t.sql("CREATE TEMPORARY VIEW w AS SELECT * FROM t")
    t.sql("UPDATE w SET a = 6")
    change(t, "UPDATE t SET b = NULL")


def case_update_of_identity_columns(t: Recorder) -> None:
    numbered_table(t, "v STRING")
    t.spark.sql("INSERT INTO t (v) SELECT /*+ COALESCE(1) */ * FROM VALUES ('a'), ('b')")
    change(t, "UPDATE t SET v = 'x' WHERE id = 1")
    t.sql("UPDATE t SET id = 9 WHERE id = 1")
    t.sql("UPDATE t SET id = DEFAULT WHERE id = 1")
    t.sql("UPDATE t SET id = id")
    numbered_table(t, "v STRING", default=True, table="u")
    t.spark.sql("INSERT INTO u (v) VALUES ('a')")
    t.sql("UPDATE u SET id = 9")
    change(t, "INSERT INTO t (v) VALUES ('c')")


def case_update_of_a_partition_by_a_generated_column(t: Recorder) -> None:
    summed(t, by="c")
    for n in (1, 2):
        frame = query(t, f"{n} AS a, 2 AS b")
        frame.write.format("delta").mode("append").saveAsTable("t")
    change(t, "UPDATE t SET a = 5 WHERE c = 3")
    t.log("t", 3)
