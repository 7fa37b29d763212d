"""DataFrame.writeTo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f
from pyspark.sql.functions import partitioning

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _rows(t: Recorder, *rows: str) -> DataFrame:
    values = ", ".join(rows or ("(1, 'a')", "(2, 'b')"))
    return t.spark.sql(f"SELECT * FROM VALUES {values} AS v(id, p)")


def case_v2_create(t: Recorder) -> None:
    t.attempt(
        "create",
        lambda: (
            _rows(t)
            .writeTo("t")
            .using("delta")
            .tableProperty("a", "b")
            .tableProperty("delta.appendOnly", "false")
            .partitionedBy(f.col("p"))
            .create()
        ),
    )
    t.attempt("again", lambda: _rows(t).writeTo("t").using("delta").create())
    t.sql("SELECT * FROM t")
    t.log("t")
    t.attempt(
        "by years",
        lambda: (
            t.spark.sql("SELECT DATE'2020-01-01' AS d, 1 AS id")
            .writeTo("u")
            .using("delta")
            .partitionedBy(partitioning.years("d"))
            .create()
        ),
    )
    t.attempt("no provider", lambda: _rows(t).writeTo("v").create())
    t.attempt(
        "unknown column",
        lambda: _rows(t).writeTo("w").using("delta").partitionedBy(f.col("nope")).create(),
    )


def case_v2_replace(t: Recorder) -> None:
    t.attempt("missing", lambda: _rows(t).writeTo("t").using("delta").replace())
    t.attempt(
        "createOrReplace new",
        lambda: _rows(t).writeTo("t").using("delta").partitionedBy("p").createOrReplace(),
    )
    t.attempt(
        "replace",
        lambda: (
            t.spark.sql("SELECT 'x' AS only")
            .writeTo("t")
            .using("delta")
            .tableProperty("k", "v")
            .replace()
        ),
    )
    t.sql("SELECT * FROM t")
    t.attempt("createOrReplace", lambda: _rows(t).writeTo("t").using("delta").createOrReplace())
    t.attempt("without using", lambda: _rows(t).writeTo("t").replace())
    t.sql("SELECT * FROM t")
    t.log("t")
    t.history("t")


def case_v2_append(t: Recorder) -> None:
    t.attempt("create", lambda: _rows(t).writeTo("t").using("delta").create())
    t.attempt("append", lambda: t.spark.sql("SELECT 'x' AS p, 3 AS id").writeTo("t").append())
    t.attempt("missing column", lambda: t.spark.sql("SELECT 4 AS id").writeTo("t").append())
    t.attempt(
        "extra", lambda: t.spark.sql("SELECT 5 AS id, 'p' AS p, 6 AS e").writeTo("t").append()
    )
    t.attempt(
        "extra merged",
        lambda: (
            t.spark.sql("SELECT 5 AS id, 'p' AS p, 6 AS e")
            .writeTo("t")
            .option("mergeSchema", "true")
            .append()
        ),
    )
    t.attempt("cast", lambda: t.spark.sql("SELECT 7L AS id, 8 AS p").writeTo("t").append())
    t.attempt("missing table", lambda: _rows(t).writeTo("nope").append())
    t.sql("SELECT * FROM t")
    t.history("t")


def case_v2_overwrite_condition(t: Recorder) -> None:
    t.attempt(
        "create",
        lambda: (
            _rows(t, "(1, 'a')", "(2, 'b')", "(3, 'c')")
            .writeTo("t")
            .using("delta")
            .partitionedBy("p")
            .create()
        ),
    )
    t.attempt("partition", lambda: _rows(t, "(10, 'b')").writeTo("t").overwrite(f.col("p") == "b"))
    t.sql("SELECT * FROM t")
    t.attempt("mismatch", lambda: _rows(t, "(9, 'z')").writeTo("t").overwrite(f.col("p") == "b"))
    t.attempt("unknown", lambda: _rows(t).writeTo("t").overwrite(f.col("nope") == "b"))
    t.attempt("all", lambda: _rows(t, "(11, 'q')").writeTo("t").overwrite(f.lit(True)))
    t.sql("SELECT * FROM t")
    t.attempt("none", lambda: _rows(t, "(12, 'r')").writeTo("t").overwrite(f.lit(False)))
    t.sql("SELECT * FROM t")
    t.history("t")
    t.log("t", 1)


def case_v2_overwrite_partitions(t: Recorder) -> None:
    t.attempt(
        "create",
        lambda: (
            _rows(t, "(1, 'a')", "(2, 'b')", "(3, 'c')")
            .writeTo("t")
            .using("delta")
            .partitionedBy("p")
            .create()
        ),
    )
    t.attempt(
        "overwrite", lambda: _rows(t, "(10, 'b')", "(11, 'z')").writeTo("t").overwritePartitions()
    )
    t.sql("SELECT * FROM t")
    t.attempt("plain", lambda: _rows(t).writeTo("u").using("delta").create())
    t.attempt("unpartitioned", lambda: _rows(t, "(5, 'y')").writeTo("u").overwritePartitions())
    t.sql("SELECT * FROM u")
    t.history("t")
    t.history("u")


def case_v2_path_identifier(t: Recorder) -> None:
    name = f"delta.`{t.path}`"
    t.attempt("create", lambda: _rows(t).writeTo(name).using("delta").create())
    t.attempt("append", lambda: _rows(t).writeTo(name).append())
    t.attempt("overwrite", lambda: _rows(t, "(3, 'c')").writeTo(name).overwrite(f.lit(True)))
    t.sql(f"SELECT * FROM {name}")
    t.attempt("replace", lambda: _rows(t).writeTo(name).using("delta").replace())
    t.history(name)


def case_v2_tables_of_other_formats(t: Recorder) -> None:
    t.attempt("parquet", lambda: _rows(t).writeTo("t").using("parquet").create())
    t.attempt("replace by delta", lambda: _rows(t).writeTo("t").using("delta").createOrReplace())
    t.attempt("append", lambda: _rows(t).writeTo("t").append())
    t.sql("SELECT * FROM t")
