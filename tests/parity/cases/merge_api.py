"""DeltaTable.merge: the builder, what it takes and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tests.parity.changing import THREE_AND_TWO, make, source, versions

if TYPE_CHECKING:
    from typing import Any

    from tests.parity.recorder import Recorder


def _builder(t: Recorder, rows: str = "(2, 'two'), (4, 'four'), (9, 'nine')") -> Any:
    """The builder of a merge of the view `s` into the table `t`."""
    make(t, *THREE_AND_TWO)
    source(t, rows)
    target = t.tables.DeltaTable.forName(t.spark, "t").alias("t")
    return target.merge(t.spark.table("s").alias("s"), "t.id = s.id")


def _done(t: Recorder) -> None:
    t.sql("SELECT * FROM t")
    t.log("t", 3)


def case_builder_upserts(t: Recorder) -> None:
    merge = _builder(t)
    t.show("all", lambda: merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute())
    _done(t)


def case_builder_sets_texts_and_columns(t: Recorder) -> None:
    merge = _builder(t)
    merge = (
        merge.whenMatchedUpdate(condition="s.id = 2", set={"v": "upper(s.v)"})
        .whenMatchedUpdate(set={"t.v": f.concat("s.v", f.lit("!"))})
        .whenNotMatchedInsert(values={"id": "s.id", "v": f.col("s.v")})
    )
    t.show("done", merge.execute)
    _done(t)


def case_builder_deletes(t: Recorder) -> None:
    merge = _builder(t)
    merge = merge.whenMatchedDelete("s.id = 2").whenNotMatchedBySourceDelete(f.col("t.id") == 5)
    t.show("done", merge.execute)
    _done(t)


def case_builder_by_source_updates(t: Recorder) -> None:
    merge = _builder(t)
    merge = merge.whenNotMatchedBySourceUpdate(
        condition="t.id > 2", set={"v": "concat('gone', t.id)"}
    ).whenNotMatchedBySourceUpdate(set={"v": f.lit("rest")})
    t.show("done", merge.execute)
    _done(t)


def case_builder_with_conditions_on_alls(t: Recorder) -> None:
    merge = _builder(t)
    merge = merge.whenMatchedUpdateAll("s.v = 'two'").whenNotMatchedInsertAll("s.id < 5")
    t.show("done", merge.execute)
    _done(t)


def case_builder_is_not_changed_by_its_methods(t: Recorder) -> None:
    merge = _builder(t)
    t.value("another", lambda: merge.whenMatchedDelete() is merge)
    t.show("no clause", merge.execute)
    once = merge.whenMatchedUpdate(set={"v": "'once'"})
    once.whenNotMatchedInsertAll()
    t.show("one clause", once.execute)
    t.show("again", once.execute)
    t.sql("SELECT * FROM t")


def case_builder_with_a_column_as_condition(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    source(t, "(2, 'two')")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    rows = t.spark.table("s")
    on = f.col("a.id") == f.col("b.id")
    merge = table.alias("a").merge(rows.alias("b"), on).whenMatchedDelete()
    t.show("aliases", merge.execute)
    frame = table.toDF()
    by_frames = table.merge(rows, frame["id"] - 1 == rows["id"]).whenMatchedDelete()
    t.show("frames", by_frames.execute)
    t.show("ambiguous", lambda: table.merge(rows, "id = id").whenMatchedDelete().execute())
    t.sql("SELECT * FROM t")


def case_builder_of_wrong_types(t: Recorder) -> None:
    merge = _builder(t)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    rows = t.spark.table("s")
    t.attempt("no source", lambda: table.merge(None, "true"))
    t.attempt("a name for a source", lambda: table.merge("s", "true"))
    t.attempt("no condition", lambda: table.merge(rows, None))
    t.attempt("a number for a condition", lambda: table.merge(rows, 1))
    t.attempt("no set", merge.whenMatchedUpdate)
    t.attempt("no set, a condition", lambda: merge.whenMatchedUpdate("true"))
    t.attempt("a list", lambda: merge.whenMatchedUpdate(set=["v"]))
    t.attempt("a number for a name", lambda: merge.whenMatchedUpdate(set={1: "v"}))
    t.attempt("a number for a value", lambda: merge.whenMatchedUpdate(set={"v": 1}))
    t.attempt("no values", merge.whenNotMatchedInsert)
    t.attempt("a text for values", lambda: merge.whenNotMatchedInsert(values="v"))
    t.attempt("a number for a clause", lambda: merge.whenMatchedDelete(1))
    t.attempt("no set by source", merge.whenNotMatchedBySourceUpdate)
    t.attempt("unparsable", lambda: merge.whenMatchedDelete("= 1"))
    t.attempt("empty set", lambda: merge.whenMatchedUpdate(set={}).execute())
    t.attempt("empty values", lambda: merge.whenNotMatchedInsert(values={}).execute())


def case_builder_of_wrong_order_and_names(t: Recorder) -> None:
    merge = _builder(t)
    t.attempt("matched", lambda: merge.whenMatchedDelete().whenMatchedDelete().execute())
    t.attempt(
        "not matched",
        lambda: merge.whenNotMatchedInsertAll().whenNotMatchedInsertAll("s.id = 1").execute(),
    )
    t.attempt(
        "by source",
        lambda: merge.whenNotMatchedBySourceDelete().whenNotMatchedBySourceDelete().execute(),
    )
    t.attempt("unknown", lambda: merge.whenMatchedDelete("nope = 1").execute())
    t.attempt("unknown set", lambda: merge.whenMatchedUpdate(set={"nope": "1"}).execute())
    t.attempt("unknown value", lambda: merge.whenMatchedUpdate(set={"v": "nope"}).execute())
    t.attempt("ambiguous", lambda: merge.whenMatchedUpdate(set={"v": "id"}).execute())
    t.attempt("nested insert", lambda: merge.whenNotMatchedInsert(values={"a.b": "1"}).execute())
    versions(t)


def case_builder_of_a_path(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, table=f"delta.`{t.path}`")
    table = t.tables.DeltaTable.forPath(t.spark, t.path)
    rows = t.spark.sql("SELECT id + 2 AS id, 'new' AS v FROM range(5)").alias("s")
    merge = table.alias("t").merge(rows, "t.id = s.id AND t.id < 4")
    t.show("done", lambda: merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute())
    t.show("rows", lambda: t.spark.read.format("delta").load(t.path))
