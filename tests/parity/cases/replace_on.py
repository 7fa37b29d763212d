"""The option replaceOn: rows for which a new row fulfils a condition are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tests.parity.saving import by_partition, load, no_rows, rows, save, save_table, three_files

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

ONE = "(5, 'new', 'x')"


def _commits(t: Recorder, first: int = 4) -> None:
    t.log(t.path, first)
    t.history(f"delta.`{t.path}`")


def case_on_aliases(t: Recorder) -> None:
    three_files(t)
    new = rows(t, "(5, 'new', 'x'), (100, 'newer', 'y')").alias("s")
    save(t, "equal", new, replaceOn="t.id = s.id", targetAlias="t")
    load(t)
    save(t, "range", rows(t, "(2, 'r', 'x')").alias("s"), replaceOn="t.id <= s.id", targetAlias="t")
    load(t)
    _commits(t)


def case_on_nulls_do_not_match(t: Recorder) -> None:
    three_files(t)
    new = rows(t, "(CAST(NULL AS INT), 'new', 'x')").alias("s")
    save(t, "equal", new, replaceOn="t.id = s.id", targetAlias="t")
    save(t, "null-safe", new, replaceOn="t.id <=> s.id", targetAlias="t")
    load(t)
    _commits(t)


def case_on_whole_files(t: Recorder) -> None:
    three_files(t)
    save(t, "a file", rows(t, ONE).alias("s"), replaceOn="t.id >= 4 AND t.id <= 6", targetAlias="t")
    save(t, "true", rows(t, "(7, 'n', 'x'), (8, 'n', 'x')"), replaceOn="true")
    save(t, "false", rows(t, "(9, 'n', 'x')"), replaceOn="false")
    save(t, "no rows", no_rows(t), replaceOn="true")
    load(t)
    _commits(t)


def case_on_partitions(t: Recorder) -> None:
    by_partition(t)
    save(
        t,
        "partition",
        rows(t, "(10, 'new', 'x')").alias("s"),
        replaceOn="t.p = s.p",
        targetAlias="t",
    )
    save(
        t,
        "both",
        rows(t, "(3, 'new', 'y')").alias("s"),
        replaceOn="t.p = s.p AND t.id = s.id",
        targetAlias="t",
    )
    save(
        t,
        "null-safe",
        rows(t, "(9, 'n', CAST(NULL AS STRING))").alias("s"),
        replaceOn="t.p <=> s.p",
        targetAlias="t",
    )
    load(t)
    _commits(t, 3)


def case_on_names_without_alias(t: Recorder) -> None:
    three_files(t)
    one = rows(t, ONE)
    save(t, "in both", one, replaceOn="id = 5")
    save(t, "in both, target alias", one, replaceOn="t.id = id", targetAlias="t")
    save(t, "source alias only", one.alias("s"), replaceOn="s.id = id")
    save(t, "no source alias", one, replaceOn="t.id = 5", targetAlias="t")
    save(t, "unknown", one.alias("s"), replaceOn="t.nope = s.id", targetAlias="t")
    save(t, "two unknown", one.alias("s"), replaceOn="t.nope = s.nada", targetAlias="t")
    save(t, "unknown alias", one.alias("s"), replaceOn="q.id = s.id", targetAlias="t")
    save(t, "same alias", one.alias("t"), replaceOn="t.id = 5", targetAlias="t")
    other = t.spark.sql("SELECT 5 AS id, 'new' AS v, 'x' AS p, 5 AS key")
    save(t, "only in the data", other, replaceOn="t.id = key", targetAlias="t", mergeSchema="true")
    fewer = t.spark.sql("SELECT 4 AS id").alias("s")
    save(t, "only in the table", fewer, replaceOn="v = 'd'")
    load(t)


def case_on_no_condition(t: Recorder) -> None:
    three_files(t)
    one = rows(t, ONE).alias("s")
    for label, text in {
        "empty": "",
        "unparsable": "t.id = = s.id",
        "number": "t.id",
        "subquery": "t.id IN (SELECT 1)",
        "random": "t.id = s.id AND rand() < 2",
        "aggregate": "max(t.id) = s.id",
        "unknown function": "nope(t.id)",
    }.items():
        save(t, label, one, replaceOn=text, targetAlias="t")
    save(t, "alias alone", one, targetAlias="t")
    save(t, "empty alias", one, replaceOn="t.id = s.id", targetAlias="")
    save(t, "odd alias", one, replaceOn="`a b`.id = s.id", targetAlias="a b")
    load(t)


def case_on_with_other_options(t: Recorder) -> None:
    three_files(t)
    one = rows(t, ONE).alias("s")

    def with_options(label: str, mode: str = "overwrite", **options: str) -> None:
        save(t, label, one, mode, replaceOn="t.id = s.id", targetAlias="t", **options)

    with_options("replaceWhere", replaceWhere="id = 5")
    with_options("dynamic", partitionOverwriteMode="dynamic")
    with_options("static", partitionOverwriteMode="static")
    with_options("overwriteSchema", overwriteSchema="true")
    with_options("dataChange", dataChange="false")
    with_options("replaceUsing", replaceUsing="id")
    with_options("userMetadata", userMetadata="why")
    with_options("txn", txnAppId="app", txnVersion="1")
    with_options("txn again", txnAppId="app", txnVersion="1")
    with_options("append", "append")
    load(t)
    _commits(t)


def case_on_growing_schema(t: Recorder) -> None:
    three_files(t)
    other = t.spark.sql("SELECT 5 AS id, 'new' AS v, 'x' AS p, 1 AS extra").alias("s")
    save(t, "refused", other, replaceOn="t.id = s.id", targetAlias="t")
    save(t, "merged", other, replaceOn="t.id = s.id", targetAlias="t", mergeSchema="true")
    save(t, "by a source column", other, replaceOn="t.id = s.extra", targetAlias="t")
    fewer = t.spark.sql("SELECT 4 AS id, 'w' AS v").alias("s")
    save(t, "fewer columns", fewer, replaceOn="t.id = s.id", targetAlias="t")
    load(t)
    _commits(t)


def case_on_named_tables(t: Recorder) -> None:
    three_files(t, "t")
    one = rows(t, ONE).alias("s")
    save_table(t, "saveAsTable", one, replaceOn="g.id = s.id", targetAlias="g")
    save_table(t, "name as alias", one, replaceOn="t.id = s.id")
    t.attempt(
        "insertInto",
        lambda: (
            rows(t, "(4, 'in', 'x')")
            .alias("s")
            .write.mode("overwrite")
            .options(replaceOn="g.id = s.id", targetAlias="g")
            .insertInto("t")
        ),
    )
    writer = one.writeTo("t").using("delta").option("replaceOn", "g.id = s.id")
    writer = writer.option("targetAlias", "g")
    t.attempt("overwrite true", lambda: writer.overwrite(f.lit(True)))
    t.attempt("overwrite", lambda: writer.overwrite(f.col("id") == 5))
    t.attempt("append", writer.append)
    t.attempt("overwritePartitions", writer.overwritePartitions)
    t.attempt("createOrReplace", writer.createOrReplace)
    t.sql("SELECT * FROM t")
    t.history("t")


def case_on_its_own_table(t: Recorder) -> None:
    three_files(t, "t")
    own = t.spark.sql("SELECT id, upper(v) AS v, p FROM t WHERE id > 5").alias("s")
    save_table(t, "itself", own, replaceOn="g.id = s.id", targetAlias="g")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_on_a_path_with_nothing(t: Recorder) -> None:
    save(t, "first", rows(t, ONE).alias("s"), replaceOn="t.id = s.id", targetAlias="t")
    load(t)
    t.history(f"delta.`{t.path}`")


def case_on_switched_off(t: Recorder) -> None:
    three_files(t)
    t.conf("spark.databricks.delta.replaceOn.dataframe.writer.enabled", "false")
    save(t, "on", rows(t, ONE).alias("s"), replaceOn="t.id = s.id", targetAlias="t")
    load(t)
