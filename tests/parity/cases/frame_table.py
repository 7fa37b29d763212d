"""saveAsTable and insertInto."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _rows(t: Recorder, *rows: str) -> DataFrame:
    values = ", ".join(rows or ("(1, 'a')", "(2, 'b')"))
    return t.spark.sql(f"SELECT * FROM VALUES {values} AS v(id, p)")


def _save(
    t: Recorder,
    label: str,
    frame: DataFrame,
    mode: str = "error",
    *partition: str,
    **options: object,
) -> None:
    def save() -> None:
        writer = frame.write.format("delta").mode(mode).options(**options)
        writer = writer.partitionBy(*partition) if partition else writer
        writer.saveAsTable("t")

    t.attempt(label, save)


def case_table_modes_on_nothing(t: Recorder) -> None:
    for mode in ("error", "append", "overwrite", "ignore"):
        t.attempt(mode, lambda m=mode: _rows(t).write.format("delta").mode(m).saveAsTable(m + "_t"))
        t.log(mode + "_t")
        t.sql(f"SELECT * FROM {mode}_t")


def case_table_modes_on_a_table(t: Recorder) -> None:
    _save(t, "create", _rows(t))
    _save(t, "error", _rows(t))
    _save(t, "ignore", _rows(t), "ignore")
    _save(t, "append", _rows(t, "(3, 'c')"), "append")
    t.sql("SELECT * FROM t")
    _save(t, "overwrite", _rows(t, "(4, 'd')"), "overwrite")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")


def case_table_partitioned(t: Recorder) -> None:
    _save(t, "create", _rows(t), "error", "p")
    _save(t, "append none given", _rows(t), "append")
    _save(t, "append same", _rows(t), "append", "p")
    _save(t, "append other", _rows(t), "append", "id")
    _save(t, "overwrite none given", _rows(t), "overwrite")
    t.detail("t")
    _save(t, "overwrite other", _rows(t), "overwrite", "id")
    _save(
        t,
        "overwrite other with overwriteSchema",
        _rows(t),
        "overwrite",
        "id",
        overwriteSchema="true",
    )
    t.detail("t")
    t.history("t")


def case_table_schemas(t: Recorder) -> None:
    _save(t, "create", _rows(t))
    _save(t, "swapped", t.spark.sql("SELECT 'x' AS p, 3 AS id"), "append")
    _save(t, "missing", t.spark.sql("SELECT 4 AS id"), "append")
    _save(t, "extra", t.spark.sql("SELECT 5 AS id, 'p' AS p, 1 AS e"), "append")
    _save(
        t,
        "extra merged",
        t.spark.sql("SELECT 5 AS id, 'p' AS p, 1 AS e"),
        "append",
        mergeSchema="true",
    )
    _save(t, "type", t.spark.sql("SELECT 6L AS id, 7 AS p"), "append")
    _save(t, "overwrite other schema", t.spark.sql("SELECT 1 AS only"), "overwrite")
    _save(
        t, "overwriteSchema", t.spark.sql("SELECT 1 AS only"), "overwrite", overwriteSchema="true"
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_table_replace_where(t: Recorder) -> None:
    _save(t, "create", _rows(t, "(1, 'a')", "(2, 'b')"), "error", "p")
    _save(t, "matching", _rows(t, "(10, 'b')"), "overwrite", replaceWhere="p = 'b'")
    _save(t, "not matching", _rows(t, "(10, 'b')"), "overwrite", replaceWhere="p = 'a'")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_table_external(t: Recorder) -> None:
    _save(t, "create", _rows(t), "error", path=t.path)
    t.detail("t")
    _save(t, "append", _rows(t), "append", path=t.path)
    _save(t, "append elsewhere", _rows(t), "append", path=t.folder("u"))
    t.attempt(
        "over an existing path",
        lambda: _rows(t).write.format("delta").option("path", t.path).saveAsTable("u"),
    )
    t.attempt(
        "append over an existing path",
        lambda: (
            _rows(t).write.format("delta").mode("append").option("path", t.path).saveAsTable("v")
        ),
    )
    t.sql("SELECT * FROM v")


def case_table_of_other_format(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING parquet")
    _save(t, "append", _rows(t), "append")
    _save(t, "overwrite", _rows(t), "overwrite")
    t.sql("CREATE TABLE d (id INT, p STRING) USING delta")
    t.attempt(
        "parquet into delta",
        lambda: _rows(t).write.format("parquet").mode("append").saveAsTable("d"),
    )
    t.attempt("no format", lambda: _rows(t).write.mode("append").saveAsTable("d"))
    t.sql("SELECT * FROM d")


def case_table_into_view_or_missing_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE d (id INT, p STRING) USING delta")
    t.sql("CREATE VIEW t AS SELECT * FROM d")
    _save(t, "append to a view", _rows(t), "append")
    _save(t, "overwrite a view", _rows(t), "overwrite")
    t.attempt(
        "no such schema", lambda: _rows(t).write.format("delta").saveAsTable("no_such_schema.t")
    )
    t.attempt(
        "path as a name", lambda: _rows(t).write.format("delta").saveAsTable(f"delta.`{t.path}`")
    )
    t.show("written", lambda: t.spark.read.format("delta").load(t.path))
    t.attempt(
        "append to it",
        lambda: _rows(t).write.format("delta").mode("append").saveAsTable(f"delta.`{t.path}`"),
    )
    t.log(t.path)


def case_insert_into_by_position(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.attempt("append", lambda: _rows(t).write.insertInto("t"))
    t.attempt("by position", lambda: t.spark.sql("SELECT 3 AS p, 'x' AS id").write.insertInto("t"))
    t.attempt("too few", lambda: t.spark.sql("SELECT 3 AS id").write.insertInto("t"))
    t.attempt("too many", lambda: t.spark.sql("SELECT 3, 'a', 4").write.insertInto("t"))
    t.attempt("partitionBy", lambda: _rows(t).write.partitionBy("p").insertInto("t"))
    t.attempt("format", lambda: _rows(t).write.format("delta").insertInto("t"))
    t.attempt("missing", lambda: _rows(t).write.insertInto("nope"))
    t.sql("SELECT * FROM t")
    t.history("t")


def case_insert_into_overwrite(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.attempt("append", lambda: _rows(t).write.insertInto("t"))
    t.attempt("overwrite", lambda: _rows(t, "(3, 'b')").write.insertInto("t", overwrite=True))
    t.sql("SELECT * FROM t")
    t.attempt("append again", lambda: _rows(t).write.insertInto("t"))
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    t.attempt("dynamic", lambda: _rows(t, "(4, 'b')").write.insertInto("t", overwrite=True))
    t.attempt(
        "static by option",
        lambda: (
            _rows(t, "(5, 'z')")
            .write.mode("overwrite")
            .option("partitionOverwriteMode", "static")
            .insertInto("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.attempt(
        "replaceWhere",
        lambda: (
            _rows(t, "(6, 'z')")
            .write.mode("overwrite")
            .option("replaceWhere", "p = 'z'")
            .insertInto("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.history("t")


def case_insert_into_path_and_modes(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, p STRING) USING delta")
    t.attempt("path", lambda: _rows(t).write.insertInto(f"delta.`{t.path}`"))
    t.attempt("error mode", lambda: _rows(t).write.mode("error").insertInto(f"delta.`{t.path}`"))
    t.attempt("ignore mode", lambda: _rows(t).write.mode("ignore").insertInto(f"delta.`{t.path}`"))
    t.show("rows", lambda: t.spark.read.format("delta").load(t.path))
    t.sql("CREATE TEMP VIEW v AS SELECT 1 AS id, 'a' AS p")
    t.attempt("view", lambda: _rows(t).write.insertInto("v"))
