"""DataFrameWriter.save at a path, and load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _rows(t: Recorder, text: str = "VALUES (1, 'a'), (2, 'b') AS v(id, p)") -> DataFrame:
    return t.spark.sql(f"SELECT * FROM {text}")


def _save(
    t: Recorder,
    label: str,
    frame: DataFrame,
    mode: str | None = None,
    *partition: str,
    **options: object,
) -> None:
    def save() -> None:
        writer = frame.write.format("delta").options(**options)
        writer = writer.mode(mode) if mode else writer
        writer = writer.partitionBy(*partition) if partition else writer
        writer.save(t.path)

    t.attempt(label, save)


def _load(t: Recorder) -> None:
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))


def case_save_modes_on_nothing(t: Recorder) -> None:
    for mode in ("error", "append", "overwrite", "ignore"):
        path = t.folder(mode)
        t.attempt(mode, lambda m=mode, p=path: _rows(t).write.format("delta").mode(m).save(p))
        t.log(path)


def case_save_modes_on_a_table(t: Recorder) -> None:
    _save(t, "create", _rows(t))
    _save(t, "error again", _rows(t))
    _save(t, "errorifexists", _rows(t), "errorifexists")
    _save(t, "ignore", _rows(t), "ignore")
    _load(t)
    _save(t, "append", _rows(t, "VALUES (3, 'c') AS v(id, p)"), "append")
    _load(t)
    _save(t, "overwrite", _rows(t, "VALUES (4, 'd') AS v(id, p)"), "overwrite")
    _load(t)
    _save(t, "nonsense", _rows(t), "nonsense")
    t.log(t.path, 1)
    t.history(f"delta.`{t.path}`")


def case_save_partitioned(t: Recorder) -> None:
    _save(t, "create", _rows(t), None, "p")
    _save(t, "same partitioning", _rows(t), "append", "p")
    _save(t, "none given", _rows(t), "append")
    _save(t, "other partitioning", _rows(t), "append", "id")
    _save(t, "overwrite, other partitioning", _rows(t), "overwrite", "id")
    _save(t, "in other case", _rows(t), "append", "P")
    _save(t, "unknown column", _rows(t), "append", "nope")
    _load(t)
    _save(t, "overwriteSchema", _rows(t), "overwrite", "id", overwriteSchema="true")
    _load(t)
    t.log(t.path)
    t.history(f"delta.`{t.path}`")


def case_save_partition_errors_on_nothing(t: Recorder) -> None:
    _save(t, "unknown column", _rows(t), None, "nope")
    _save(t, "every column", _rows(t), None, "id", "p")
    _save(t, "one twice", _rows(t), None, "p", "p")
    _save(t, "by a struct", t.spark.sql("SELECT 1 AS id, struct(1 AS a) AS s"), None, "s")
    t.value("left behind", lambda: Path(t.path).exists())


def case_save_schema_by_name(t: Recorder) -> None:
    _save(t, "create", _rows(t))
    _save(t, "columns swapped", t.spark.sql("SELECT 'x' AS p, 3 AS id"), "append")
    _save(t, "column missing", t.spark.sql("SELECT 4 AS id"), "append")
    _save(t, "other case", t.spark.sql("SELECT 5 AS ID, 'y' AS P"), "append")
    _save(t, "extra column", t.spark.sql("SELECT 6 AS id, 'z' AS p, 1 AS extra"), "append")
    _save(t, "only unknown column", t.spark.sql("SELECT 1 AS extra"), "append")
    _save(t, "long into int", t.spark.sql("SELECT 7L AS id, 'q' AS p"), "append")
    _save(t, "text into int", t.spark.sql("SELECT 'x' AS id, 'q' AS p"), "append")
    _save(t, "number text into int", t.spark.sql("SELECT '8' AS id, 'q' AS p"), "append")
    _save(t, "array into int", t.spark.sql("SELECT array(1) AS id, 'q' AS p"), "append")
    _save(t, "int into text", t.spark.sql("SELECT 9 AS id, 10 AS p"), "append")
    _save(t, "overflow", t.spark.sql("SELECT 3000000000 AS id, 'q' AS p"), "append")
    _save(t, "extra on overwrite", t.spark.sql("SELECT 6 AS id, 'z' AS p, 1 AS e"), "overwrite")
    _save(t, "duplicate", t.spark.sql("SELECT 1 AS id, 2 AS ID, 'p' AS p"), "append")
    _load(t)
    t.history(f"delta.`{t.path}`")


def case_save_merge_schema(t: Recorder) -> None:
    _save(t, "create", _rows(t))
    extra = t.spark.sql("SELECT 3 AS id, 'c' AS p, 1.5D AS extra, struct(1 AS a) AS s")
    _save(t, "merge", extra, "append", mergeSchema="true")
    nested = t.spark.sql("SELECT 4 AS id, struct(2 AS a, 'n' AS b) AS s")
    _save(t, "merge nested", nested, "append", mergeSchema="true")
    _save(t, "merge a clash", t.spark.sql("SELECT array(1) AS id"), "append", mergeSchema="true")
    _save(
        t,
        "merge and overwrite",
        t.spark.sql("SELECT 5 AS id, 1 AS more"),
        "overwrite",
        mergeSchema="true",
    )
    _save(t, "odd option", _rows(t), "append", mergeSchema="perhaps")
    _load(t)
    t.log(t.path, 1)


def case_save_auto_merge_setting(t: Recorder) -> None:
    t.conf("spark.databricks.delta.schema.autoMerge.enabled", "true")
    _save(t, "create", _rows(t))
    _save(t, "append more", t.spark.sql("SELECT 3 AS id, 1 AS extra"), "append")
    _save(
        t, "off by option", t.spark.sql("SELECT 3 AS id, 1 AS other"), "append", mergeSchema="false"
    )
    _load(t)


def case_save_overwrite_schema(t: Recorder) -> None:
    _save(t, "create", _rows(t), None, "p")
    _save(t, "overwrite", t.spark.sql("SELECT 'x' AS id, 1 AS n"), "overwrite")
    _save(t, "append", t.spark.sql("SELECT 'x' AS id, 1 AS n"), "append", overwriteSchema="true")
    _save(
        t,
        "overwriteSchema",
        t.spark.sql("SELECT 'x' AS id, 1 AS n"),
        "overwrite",
        overwriteSchema="true",
    )
    _load(t)
    t.log(t.path, 1)
    t.detail(f"delta.`{t.path}`")


def case_save_replace_where(t: Recorder) -> None:
    _save(t, "create", _rows(t, "VALUES (1, 'a'), (2, 'b'), (3, 'b') AS v(id, p)"), None, "p")
    one = t.spark.sql("SELECT 10 AS id, 'b' AS p")
    _save(t, "matching", one, "overwrite", replaceWhere="p = 'b'")
    _load(t)
    _save(t, "not matching", one, "overwrite", replaceWhere="p = 'a'")
    _save(t, "unknown column", one, "overwrite", replaceWhere="nope = 'a'")
    _save(t, "not an expression", one, "overwrite", replaceWhere="p = = 'a'")
    _save(t, "not a condition", one, "overwrite", replaceWhere="p")
    _save(t, "ignored on append", one, "append", replaceWhere="p = 'zz'")
    _save(
        t, "with overwriteSchema", one, "overwrite", replaceWhere="p = 'b'", overwriteSchema="true"
    )
    _save(
        t,
        "no row matches",
        t.spark.sql("SELECT 11 AS id, 'q' AS p"),
        "overwrite",
        replaceWhere="p = 'q'",
    )
    _save(t, "nothing in", one.where("false"), "overwrite", replaceWhere="p = 'a'")
    _save(
        t,
        "in and or",
        t.spark.sql("SELECT 12 AS id, 'q' AS p"),
        "overwrite",
        replaceWhere="p IN ('q', 'r') OR p > 'x'",
    )
    _load(t)
    t.log(t.path, 1)
    t.history(f"delta.`{t.path}`")


def case_save_dynamic_partitions(t: Recorder) -> None:
    _save(t, "create", _rows(t, "VALUES (1, 'a'), (2, 'b'), (3, NULL) AS v(id, p)"), None, "p")
    one = t.spark.sql("SELECT 10 AS id, 'b' AS p")
    _save(t, "dynamic", one, "overwrite", partitionOverwriteMode="dynamic")
    _load(t)
    _save(
        t,
        "dynamic null",
        t.spark.sql("SELECT 11 AS id, CAST(NULL AS STRING) AS p"),
        "overwrite",
        partitionOverwriteMode="dynamic",
    )
    _save(
        t,
        "dynamic and replaceWhere",
        one,
        "overwrite",
        partitionOverwriteMode="dynamic",
        replaceWhere="p = 'b'",
    )
    _save(
        t,
        "dynamic and overwriteSchema",
        one,
        "overwrite",
        partitionOverwriteMode="dynamic",
        overwriteSchema="true",
    )
    _save(t, "sometimes", one, "overwrite", partitionOverwriteMode="sometimes")
    _load(t)
    t.history(f"delta.`{t.path}`")


def case_save_into_foreign_files(t: Recorder) -> None:
    t.spark.range(2).write.parquet(t.path)
    for mode in ("error", "append", "overwrite", "ignore"):
        _save(t, mode, t.spark.range(3), mode)
    _load(t)
    t.show("as parquet", lambda: t.spark.read.parquet(t.path))


def case_save_columns_it_cannot_store(t: Recorder) -> None:
    _save(t, "no columns", t.spark.range(1).select())
    _save(t, "interval", t.spark.sql("SELECT INTERVAL '1' DAY AS i"))
    _save(t, "bad name", t.spark.sql("SELECT 1 AS `a b`"))
    _save(t, "twice", t.spark.sql("SELECT 1 AS a, 2 AS a"))
    _save(t, "void", t.spark.sql("SELECT 1 AS id, NULL AS v"))
    _load(t)
    t.log(t.path)


def case_save_empty_frame(t: Recorder) -> None:
    _save(t, "create", _rows(t).where("false"), None, "p")
    _save(t, "append", _rows(t).where("false"), "append")
    _save(t, "overwrite", _rows(t).where("false"), "overwrite")
    _load(t)
    t.log(t.path)


def case_save_writer_options(t: Recorder) -> None:
    _save(t, "metadata", _rows(t), None, userMetadata="noted")
    _save(t, "txn", _rows(t), "append", txnAppId="app", txnVersion=1)
    _save(t, "txn again", _rows(t), "append", txnAppId="app", txnVersion=1)
    _save(t, "txn later", _rows(t), "append", txnAppId="app", txnVersion=2)
    _save(t, "txn half", _rows(t), "append", txnAppId="app")
    _save(t, "dataChange", _rows(t), "append", dataChange="false")
    _save(
        t,
        "records per file",
        t.spark.range(0, 10, 1, 1).selectExpr("CAST(id AS INT) AS id"),
        "append",
        maxRecordsPerFile=4,
    )
    _save(t, "unknown option", _rows(t), "append", nope="1")
    t.log(t.path)
    t.history(f"delta.`{t.path}`")


def case_save_needs_a_path(t: Recorder) -> None:
    t.attempt("no path", lambda: _rows(t).write.format("delta").save())
    t.attempt("load without", lambda: t.spark.read.format("delta").load())
    t.attempt("two paths", lambda: t.spark.read.format("delta").load([t.path, t.folder("u")]))
    t.attempt("load missing", lambda: t.spark.read.format("delta").load(t.path))
    t.attempt("file url", lambda: _rows(t).write.format("delta").save(f"file://{t.path}"))
    _load(t)
    t.attempt(
        "path with options",
        lambda: _rows(t).write.format("delta").mode("append").option("path", t.path).save(),
    )
    _load(t)


def case_load_forms(t: Recorder) -> None:
    _save(t, "create", _rows(t), None, "p")
    reader = t.spark.read.format("delta")
    t.show("option", lambda: t.spark.read.format("delta").option("path", t.path).load())
    t.show("trailing slash", lambda: t.spark.read.format("delta").load(t.path + "/"))
    t.show("partition folder", lambda: t.spark.read.format("delta").load(t.path + "/p=a"))
    t.show("not a partition", lambda: t.spark.read.format("delta").load(t.path + "/q=a"))
    t.show("missing partition", lambda: t.spark.read.format("delta").load(t.path + "/p=zz"))
    t.show("schema given", lambda: reader.schema("id INT").load(t.path))
    t.show("log folder", lambda: t.spark.read.format("delta").load(t.path + "/_delta_log"))
    t.show("foreign folder", lambda: t.spark.read.format("delta").load(str(Path(t.path).parent)))
    t.show("table by path", lambda: t.spark.read.table(f"delta.`{t.path}`"))
    t.show("upper case format", lambda: t.spark.read.format("DELTA").load(t.path))
