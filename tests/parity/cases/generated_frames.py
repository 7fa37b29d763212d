"""DataFrames written into tables with generated columns, and what becomes of the generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from tests.parity.generating import LATER, NOON, after, dated, generated_table, query, summed
from tests.parity.saving import load, save, save_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.parity.recorder import Recorder


def case_frames_by_path(t: Recorder) -> None:
    dated(t, table=t.path)
    save(t, "without", query(t, f"1 AS id, {NOON} AS ts"), "append")
    save(t, "with", query(t, f"2 AS id, {NOON} AS ts, DATE'2024-03-01' AS d"), "append")
    save(t, "wrong", query(t, f"3 AS id, {NOON} AS ts, DATE'2024-03-04' AS d"), "append")
    save(t, "null", query(t, f"4 AS id, {NOON} AS ts, CAST(NULL AS DATE) AS d"), "append")
    save(t, "a text", query(t, f"5 AS id, {NOON} AS ts, '2024-03-01' AS d"), "append")
    save(t, "a void", query(t, "6 AS id, CAST(NULL AS TIMESTAMP) AS ts, NULL AS d"), "append")
    save(t, "without base", query(t, "7 AS id"), "append")
    load(t)
    save(t, "overwritten", query(t, f"{LATER} AS ts, 8 AS id"))
    load(t)
    save(t, "overwritten wrongly", query(t, f"{LATER} AS ts, 9 AS id, DATE'2024-03-04' AS d"))
    load(t)


def case_frames_by_name(t: Recorder) -> None:
    dated(t)
    save_table(t, "without", query(t, f"1 AS id, {NOON} AS ts"), "append")
    save_table(t, "wrong", query(t, f"{NOON} AS ts, DATE'2024-03-04' AS d, 2 AS id"), "append")
    save_table(t, "text", query(t, "3 AS id, '2024-03-04 01:02:03' AS ts"), "append")
    t.sql("SELECT * FROM t")
    save_table(t, "overwritten", query(t, f"{LATER} AS ts, 4 AS id"))
    t.sql("SELECT * FROM t")

    def insert(label: str, text: str, **told: Any) -> None:
        t.attempt(label, lambda: query(t, text).write.insertInto("t", **told))

    insert("inserted without", f"5 AS id, {NOON} AS ts")
    insert("inserted with", f"6 AS x, {NOON} AS y, DATE'2024-03-01' AS z")
    insert("inserted wrongly", f"7 AS x, {NOON} AS y, DATE'2024-03-02' AS z")
    t.sql("SELECT * FROM t")
    insert("inserted over", f"8 AS id, {NOON} AS ts", overwrite=True)
    t.sql("SELECT * FROM t")


def case_frames_by_write_to(t: Recorder) -> None:
    dated(t, by="d")

    def write(label: str, text: str, end: Callable[[Any], object]) -> None:
        t.attempt(label, lambda: end(query(t, text).writeTo("t")))
        t.sql("SELECT * FROM t")

    write("append", f"{NOON} AS ts, 1 AS id", lambda w: w.append())
    write("append wrong", f"2 AS id, {NOON} AS ts, DATE'2024-03-02' AS d", lambda w: w.append())
    write("partitions", f"3 AS id, {LATER} AS ts", lambda w: w.overwritePartitions())
    write("partitions again", f"{NOON} AS ts, 4 AS id", lambda w: w.overwritePartitions())
    first = "d = DATE'2024-03-01'"

    write("condition", f"5 AS id, {NOON} AS ts", lambda w: w.overwrite(f.expr(first)))
    write("other rows", f"6 AS id, {LATER} AS ts", lambda w: w.overwrite(f.expr(first)))


def case_replace_where_on_a_generated_partition(t: Recorder) -> None:
    dated(t, table=t.path, by="d")
    save(t, "rows", query(t, f"1 AS id, {NOON} AS ts UNION ALL SELECT 2, {LATER}"), "append")
    where = {"replaceWhere": "d = '2024-03-01'"}
    save(t, "without", query(t, f"3 AS id, {NOON} AS ts"), **where)
    save(t, "out of it", query(t, f"4 AS id, {LATER} AS ts"), **where)
    save(t, "with", query(t, f"5 AS id, {NOON} AS ts, DATE'2024-03-01' AS d"), **where)
    save(t, "wrong", query(t, f"6 AS id, {LATER} AS ts, DATE'2024-03-01' AS d"), **where)
    save(t, "both wrong", query(t, f"7 AS id, {LATER} AS ts, DATE'2024-03-07' AS d"), **where)
    load(t)
    base = {"replaceWhere": f"ts >= {LATER}"}
    save(t, "by the base", query(t, f"8 AS id, {LATER} AS ts"), **base)
    load(t)
    dynamic = {"partitionOverwriteMode": "dynamic"}
    save(t, "dynamic", query(t, f"9 AS id, {NOON} AS ts"), **dynamic)
    save(t, "dynamic wrong", query(t, f"9 AS id, {NOON} AS ts, DATE'2020-01-01' AS d"), **dynamic)
    load(t)


def case_partition_by_a_generated_column(t: Recorder) -> None:
    dated(t, by="d")

    def write(label: str, place: str, mode: str = "append") -> None:
        frame = query(t, f"1 AS id, {NOON} AS ts").write.format("delta").mode(mode)
        by = frame.partitionBy("d")
        t.attempt(label, lambda: by.save(place) if "/" in place else by.saveAsTable(place))

    write("by name", "t")
    write("by path", str(t.place("t")))
    write("overwritten", str(t.place("t")), "overwrite")
    t.sql("SELECT * FROM t")


def case_schema_merged_beside(t: Recorder) -> None:
    summed(t, properties={"delta.enableTypeWidening": "true"})
    merge = {"mergeSchema": "true"}
    save_table(t, "new column", query(t, "1 AS a, 2 AS b, 'x' AS n"), "append", **merge)
    save_table(t, "new and given", query(t, "1 AS a, 2 AS b, 4 AS c, 'x' AS m"), "append", **merge)
    save_table(t, "wider base", query(t, "1L AS a, 2 AS b"), "append", **merge)
    save_table(t, "wider generated", query(t, "1 AS a, 2 AS b, 3L AS c"), "append", **merge)
    save_table(t, "narrower", query(t, "1S AS a, 2Y AS b, 3S AS c"), "append", **merge)
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t VALUES (5, 6)")
    t.sql("INSERT INTO t (a, b) VALUES (5, 6)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_wider_small_integers(t: Recorder) -> None:
    generated_table(t, "a SMALLINT", "b INT := CAST(a AS INT)", "c SMALLINT := a", table=t.path)
    merge = {"mergeSchema": "true"}
    save(t, "wider base", query(t, "70000 AS a"), "append", **merge)
    save(t, "wider base without", query(t, "7 AS a"), "append")
    save(t, "wider generated", query(t, "7S AS a, 7 AS c"), "append", **merge)
    save(t, "narrower generated", query(t, "7S AS a, 7S AS b"), "append", **merge)
    load(t)


def case_schema_overwritten(t: Recorder) -> None:
    dated(t)
    over = {"overwriteSchema": "true"}
    save_table(t, "same columns", query(t, f"1 AS id, {NOON} AS ts, DATE'2024-03-01' AS d"), **over)
    t.log("t", 1)
    t.sql(f"INSERT INTO t VALUES (2, {NOON}, DATE'2024-03-09')")
    t.sql("SELECT * FROM t")
    dated(t, table="u")
    t.attempt(
        "without",
        lambda: (
            query(t, f"1 AS id, {NOON} AS ts")
            .write.format("delta")
            .mode("overwrite")
            .option("overwriteSchema", "true")
            .saveAsTable("u")
        ),
    )
    t.sql("SELECT * FROM u")
    t.detail("u")


def case_replaced_by_a_query(t: Recorder) -> None:
    dated(t)
    t.sql(f"REPLACE TABLE t USING delta AS SELECT 1 AS id, {NOON} AS ts, DATE'2020-01-01' AS d")
    t.sql("SELECT * FROM t")
    dated(t, table="u")
    after(t, f"CREATE OR REPLACE TABLE u USING delta AS SELECT 1 AS id, {NOON} AS ts", table="u")
    dated(t, table="v")
    t.attempt("replace", lambda: query(t, f"1 AS id, {NOON} AS ts").writeTo("v").replace())
    t.sql("SELECT * FROM v")
    t.log("v", 1)
    dated(t, table="w")
    t.attempt(
        "replaced by itself",
        lambda: t.spark.table("w").writeTo("w").using("delta").createOrReplace(),
    )
    t.sql(f"INSERT INTO w VALUES (2, {NOON}, DATE'2024-03-09')")


def case_generation_is_not_carried_by_frames(t: Recorder) -> None:
    dated(t)
    t.sql(f"INSERT INTO t (id, ts) VALUES (1, {NOON})")
    t.value("schema", t.spark.table("t").schema.json)
    save(t, "elsewhere", t.spark.table("t"))
    save(t, "other value", query(t, f"2 AS id, {NOON} AS ts, DATE'2000-01-01' AS d"), "append")
    load(t)
    after(
        t,
        "CREATE TABLE u USING delta AS SELECT * FROM t",
        "INSERT INTO u VALUES (3, NULL, DATE'2000-01-01')",
        table="u",
    )
    t.log("u", 0)
    merged = query(t, "1 AS id")
    save(t, "a table to grow", merged, "overwrite", overwriteSchema="true")
    save(t, "grown", t.spark.table("t"), "append", mergeSchema="true")
    t.log(t.path, 3)


def case_columns_that_a_table_grew_by_metadata(t: Recorder) -> None:
    meta = {"delta.generationExpression": "id + 1"}

    told = query(t, "1 AS id, 5 AS c").select("id", f.col("c").alias("c", metadata=meta))
    save(t, "made", told)
    load(t)
    t.log(t.path)
    t.sql(f"CREATE TABLE u USING delta AS SELECT * FROM delta.`{t.path}`")
    t.attempt("appended", lambda: told.write.format("delta").mode("append").saveAsTable("u"))
    t.sql("SELECT * FROM u")
    t.sql("CREATE TABLE v (id INT) USING delta")
    t.sql("INSERT INTO v VALUES (7)")
    t.attempt(
        "merged",
        lambda: (
            told.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable("v")
        ),
    )
    t.sql("SELECT * FROM v")
    bad = query(t, "1 AS id, 5 AS c").select(
        "id", f.col("c").alias("c", metadata={"delta.generationExpression": "nope"})
    )
    t.attempt(
        "overwritten",
        lambda: (
            bad.write.format("delta")
            .mode("overwrite")
            .option("overwriteSchema", "true")
            .save(str(t.place("v")))
        ),
    )
