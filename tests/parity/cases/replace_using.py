"""The option replaceUsing: rows equal to a new row in some columns are replaced."""

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


def case_using_one_column(t: Recorder) -> None:
    three_files(t)
    save(t, "some rows", rows(t, "(5, 'new', 'x'), (100, 'newer', 'y')"), replaceUsing="id")
    load(t)
    _commits(t)


def case_using_two_columns(t: Recorder) -> None:
    three_files(t)
    save(t, "two", rows(t, "(5, 'new', 'y'), (4, 'new', 'q')"), replaceUsing="id, p")
    save(t, "no blank", rows(t, "(7, 'new', 'x')"), replaceUsing="p,id")
    save(t, "other case", rows(t, "(8, 'new', 'y')"), replaceUsing="ID , P")
    load(t)
    _commits(t)


def case_using_nulls_never_match(t: Recorder) -> None:
    three_files(t)
    save(t, "null", rows(t, "(CAST(NULL AS INT), 'new', 'x')"), replaceUsing="id")
    save(t, "null in one", rows(t, "(6, 'new', CAST(NULL AS STRING))"), replaceUsing="id, p")
    load(t)
    _commits(t)


def case_using_many_new_rows_for_one(t: Recorder) -> None:
    three_files(t)
    save(t, "twice", rows(t, "(5, 'new', 'x'), (5, 'newer', 'x')"), replaceUsing="id")
    save(
        t, "a whole file", rows(t, "(1, 'n', 'x'), (2, 'n', 'x'), (3, 'n', 'x')"), replaceUsing="id"
    )
    save(t, "no match", rows(t, "(50, 'new', 'x')"), replaceUsing="id")
    save(t, "no rows", no_rows(t), replaceUsing="id")
    load(t)
    _commits(t)


def case_using_a_partition_column(t: Recorder) -> None:
    by_partition(t)
    save(t, "partition", rows(t, "(10, 'new', 'x')"), replaceUsing="p")
    save(t, "both", rows(t, "(3, 'new', 'y')"), replaceUsing="p, id")
    load(t)
    _commits(t, 3)


def case_using_names_that_are_not_there(t: Recorder) -> None:
    three_files(t)
    one = rows(t, ONE)
    for label, columns in {
        "empty": "",
        "blank": "  ",
        "comma": "id,",
        "unknown": "nope",
        "one unknown": "id, nope",
        "dotted": "id.a",
        "quoted": "`id`",
        "twice": "id, id",
    }.items():
        save(t, label, one, replaceUsing=columns)
    other = t.spark.sql("SELECT 5 AS id, 'new' AS v, 'x' AS p, 1 AS extra")
    save(t, "only in the data", other, replaceUsing="extra")
    save(t, "only in the data, merged", other, replaceUsing="extra", mergeSchema="true")
    save(t, "only in the table", t.spark.sql("SELECT 5 AS id"), replaceUsing="v")
    load(t)


def case_using_with_other_options(t: Recorder) -> None:
    three_files(t)
    one = rows(t, ONE)
    save(t, "replaceWhere", one, replaceUsing="id", replaceWhere="id = 5")
    save(t, "dynamic", one, replaceUsing="id", partitionOverwriteMode="dynamic")
    save(t, "static", one, replaceUsing="id", partitionOverwriteMode="static")
    save(t, "overwriteSchema", one, replaceUsing="id", overwriteSchema="true")
    save(t, "overwriteSchema off", one, replaceUsing="id", overwriteSchema="false")
    save(t, "dataChange", one, replaceUsing="id", dataChange="false")
    save(t, "replaceOn", one, replaceUsing="id", replaceOn="true")
    save(t, "targetAlias", one, replaceUsing="id", targetAlias="t")
    save(t, "null-intolerant", one, replaceUsing="id", useNullIntolerantEqualityWithDPO="true")
    save(t, "userMetadata", one, replaceUsing="id", userMetadata="why")
    save(t, "append", one, "append", replaceUsing="id")
    save(t, "ignore", one, "ignore", replaceUsing="id")
    save(t, "error", one, "error", replaceUsing="id")
    load(t)
    _commits(t)


def case_using_under_dynamic_session(t: Recorder) -> None:
    by_partition(t)
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    save(t, "using", rows(t, "(1, 'new', 'x')"), replaceUsing="id")
    load(t)
    _commits(t, 3)


def case_using_with_a_growing_schema(t: Recorder) -> None:
    three_files(t)
    other = t.spark.sql("SELECT 5 AS id, 'new' AS v, 'x' AS p, 1 AS extra")
    save(t, "refused", other, replaceUsing="id")
    save(t, "merged", other, replaceUsing="id", mergeSchema="true")
    save(t, "fewer columns", t.spark.sql("SELECT 4 AS id, 'w' AS v"), replaceUsing="id")
    save(t, "other order", t.spark.sql("SELECT 'z' AS v, 'x' AS p, 8 AS id"), replaceUsing="id")
    save(t, "other type", t.spark.sql("SELECT '7' AS id, 'z' AS v"), replaceUsing="id")
    load(t)
    _commits(t)


def case_using_on_a_path_with_nothing(t: Recorder) -> None:
    save(t, "first", rows(t, ONE), replaceUsing="id")
    save(t, "first again", rows(t, ONE), replaceUsing="nope")
    load(t)
    t.history(f"delta.`{t.path}`")


def case_using_save_as_table(t: Recorder) -> None:
    three_files(t, "t")
    save_table(t, "some rows", rows(t, ONE), replaceUsing="id")
    save_table(t, "append", rows(t, ONE), "append", replaceUsing="id")
    t.sql("SELECT * FROM t")
    t.log("t", 4)
    t.history("t")


def case_using_a_new_table(t: Recorder) -> None:
    save_table(t, "overwrite", rows(t, ONE), replaceUsing="id")
    t.sql("SELECT * FROM t")


def case_using_insert_into(t: Recorder) -> None:
    three_files(t, "t")

    def insert(label: str, values: str, columns: str) -> None:
        frame = rows(t, values, columns)
        t.attempt(
            label,
            lambda: frame.write.mode("overwrite").option("replaceUsing", "id").insertInto("t"),
        )

    insert("aligned", ONE, "id, v, p")
    insert("misaligned", "('new', 4, 'x')", "v, id, p")
    insert("other names", "(4, 'new', 'x')", "a, b, c")
    insert("others moved", "(4, 'moved', 'x')", "id, p, v")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_using_v2_writer(t: Recorder) -> None:
    three_files(t, "t")
    one = rows(t, ONE).writeTo("t").using("delta").option("replaceUsing", "id")
    t.attempt("overwrite true", lambda: one.overwrite(f.lit(True)))
    t.attempt("overwrite", lambda: one.overwrite(f.col("id") == 5))
    t.attempt("append", one.append)
    t.attempt("overwritePartitions", one.overwritePartitions)
    t.attempt("createOrReplace", one.createOrReplace)
    t.attempt("replace", one.replace)
    t.attempt("create", one.create)
    new = rows(t, ONE).writeTo("u").using("delta").option("replaceUsing", "id")
    t.attempt("create a new one", new.create)
    t.sql("SELECT * FROM t")
    t.history("t")


def case_using_switched_off(t: Recorder) -> None:
    three_files(t)
    t.conf("spark.databricks.delta.replaceUsing.dataframe.writer.enabled", "false")
    save(t, "using", rows(t, ONE), replaceUsing="id")
    save(t, "using, append", rows(t, ONE), "append", replaceUsing="id")
    load(t)
