"""replaceWhere with any predicate: as option, as INSERT ... REPLACE WHERE, as writeTo.overwrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tests.parity.saving import by_partition, load, no_rows, rows, save, save_table, three_files

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _commits(t: Recorder, first: int = 4) -> None:
    t.log(t.path, first)
    t.history(f"delta.`{t.path}`")


def case_where_one_file_has_matches(t: Recorder) -> None:
    three_files(t)
    save(t, "some rows", rows(t, "(5, 'new', 'x')"), replaceWhere="id = 5")
    load(t)
    _commits(t)


def case_where_a_whole_file_matches(t: Recorder) -> None:
    three_files(t)
    save(
        t, "a file", rows(t, "(4, 'new', 'x'), (6, 'new', 'x')"), replaceWhere="id >= 4 AND id < 7"
    )
    load(t)
    _commits(t)


def case_where_all_kinds_of_files(t: Recorder) -> None:
    three_files(t)
    save(t, "mixed", rows(t, "(40, 'new', 'x')"), replaceWhere="id > 2 AND id <> 8")
    load(t)
    _commits(t)


def case_where_nothing_matches(t: Recorder) -> None:
    three_files(t)
    save(t, "past the end", rows(t, "(100, 'new', 'x')"), replaceWhere="id >= 100")
    save(t, "in the gap of a file", rows(t, "(9, 'b', 'y')"), replaceWhere="v = 'b' AND id = 9")
    load(t)
    _commits(t)


def case_where_no_new_rows(t: Recorder) -> None:
    three_files(t)
    save(t, "no rows", no_rows(t), replaceWhere="id = 2")
    save(t, "no rows, a whole file", no_rows(t), replaceWhere="id BETWEEN 4 AND 6")
    save(t, "no rows, no match", no_rows(t), replaceWhere="id = 1000")
    load(t)
    _commits(t)


def case_where_null_is_not_a_match(t: Recorder) -> None:
    three_files(t)
    save(t, "null rows stay", rows(t, "(11, 'new', 'q')"), replaceWhere="v <> 'a'")
    load(t)
    save(t, "null in the data", rows(t, "(12, NULL, 'q')"), replaceWhere="v <> 'a'")
    save(t, "is null", rows(t, "(13, NULL, 'q')"), replaceWhere="v IS NULL")
    save(t, "null-safe", rows(t, "(14, NULL, 'q')"), replaceWhere="v <=> NULL")
    load(t)
    _commits(t)


def case_where_partition_and_data_columns(t: Recorder) -> None:
    by_partition(t)
    save(t, "both", rows(t, "(6, 'new', 'x')"), replaceWhere="p = 'x' AND id = 6")
    load(t)
    save(t, "either", rows(t, "(30, 'new', 'y')"), replaceWhere="p = 'y' OR id = 1")
    load(t)
    save(
        t,
        "null partition",
        rows(t, "(50, 'e', CAST(NULL AS STRING))"),
        replaceWhere="p IS NULL AND v = 'e'",
    )
    save(t, "wrong partition", rows(t, "(6, 'new', 'y')"), replaceWhere="p = 'x' AND id = 6")
    load(t)
    _commits(t, 3)


def case_where_rows_do_not_match(t: Recorder) -> None:
    three_files(t)
    save(t, "one of two", rows(t, "(1, 'new', 'x'), (2, 'new', 'x')"), replaceWhere="id = 1")
    save(t, "by text", rows(t, "(1, 'new', 'x')"), replaceWhere="v LIKE 'old%'")
    load(t)
    _commits(t)


def case_where_is_no_predicate(t: Recorder) -> None:
    three_files(t)
    one = rows(t, "(1, 'new', 'x')")
    for label, text in {
        "unparsable": "id = = 1",
        "half": "id >",
        "empty": "",
        "unknown": "nope = 1",
        "unknown field": "id.a = 1",
        "number": "id",
        "text": "'true'",
        "subquery": "id IN (SELECT 1)",
        "scalar subquery": "id = (SELECT 1)",
        "exists": "EXISTS (SELECT 1)",
        "aggregate": "max(id) = 1",
        "random": "rand() < 2",
        "window": "row_number() OVER (ORDER BY id) = 1",
        "unknown function": "nope(id)",
        "bad cast": "id = 'x'",
        "not a literal": "true = 1",
    }.items():
        save(t, label, one, replaceWhere=text)
    load(t)


def case_where_is_constant(t: Recorder) -> None:
    three_files(t)
    save(t, "true", rows(t, "(1, 'new', 'x')"), replaceWhere="true")
    load(t)
    save(t, "false", rows(t, "(2, 'new', 'x')"), replaceWhere="false")
    save(t, "false, no rows", no_rows(t), replaceWhere="false")
    save(t, "folds to true", rows(t, "(3, 'new', 'x')"), replaceWhere="1 = 1")
    load(t)
    _commits(t)


def case_where_with_other_options(t: Recorder) -> None:
    three_files(t)
    one = rows(t, "(1, 'new', 'x')")
    save(t, "dataChange", one, replaceWhere="id = 1", dataChange="false")
    save(t, "dynamic", one, replaceWhere="id = 1", partitionOverwriteMode="dynamic")
    save(t, "static", one, replaceWhere="id = 1", partitionOverwriteMode="static")
    save(t, "overwriteSchema", one, replaceWhere="id = 1", overwriteSchema="true")
    save(t, "userMetadata", one, replaceWhere="id = 1", userMetadata="why")
    save(t, "txn", one, replaceWhere="id = 1", txnAppId="app", txnVersion="1")
    save(t, "txn again", one, replaceWhere="id = 1", txnAppId="app", txnVersion="1")
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    save(t, "dynamic session", one, replaceWhere="id = 1")
    load(t)
    _commits(t)


def case_where_data_change_false_by_partition(t: Recorder) -> None:
    by_partition(t)
    save(t, "partition", rows(t, "(1, 'a', 'x')"), replaceWhere="p = 'x'", dataChange="false")
    save(t, "data", rows(t, "(3, 'c', 'y')"), replaceWhere="p = 'y' AND id = 3", dataChange="false")
    load(t)
    _commits(t, 3)


def case_where_schema_grows(t: Recorder) -> None:
    three_files(t)
    grown = t.spark.sql("SELECT 1 AS id, 'new' AS v, 'x' AS p, 9 AS extra")
    save(t, "refused", grown, replaceWhere="id = 1")
    save(t, "merged", grown, replaceWhere="id = 1", mergeSchema="true")
    load(t)
    save(t, "by the new column", grown, replaceWhere="extra = 9")
    more = t.spark.sql("SELECT 1 AS id, 'new' AS v, 'x' AS p, 9 AS extra, 8 AS more")
    save(t, "by a column of the data", more, replaceWhere="more = 8", mergeSchema="true")
    save(t, "fewer columns", t.spark.sql("SELECT 2 AS id"), replaceWhere="id = 2")
    load(t)
    _commits(t)


def case_where_data_columns_switched_off(t: Recorder) -> None:
    by_partition(t)
    t.conf("spark.databricks.delta.replaceWhere.dataColumns.enabled", "false")
    save(t, "data", rows(t, "(1, 'new', 'x')"), replaceWhere="id = 1")
    save(t, "both", rows(t, "(1, 'new', 'x')"), replaceWhere="p = 'x' AND id = 1")
    save(t, "unknown", rows(t, "(1, 'new', 'x')"), replaceWhere="nope = 1")
    save(t, "partition", rows(t, "(1, 'new', 'x')"), replaceWhere="p = 'x'")
    save(t, "mismatch", rows(t, "(1, 'new', 'x')"), replaceWhere="p = 'y'")
    load(t)
    _commits(t, 3)


def case_where_unchecked(t: Recorder) -> None:
    three_files(t)
    t.conf("spark.databricks.delta.replaceWhere.constraintCheck.enabled", "false")
    save(t, "data", rows(t, "(100, 'new', 'x')"), replaceWhere="id = 1")
    load(t)
    _commits(t)


def case_where_without_metrics_of_rows(t: Recorder) -> None:
    three_files(t)
    t.conf("spark.databricks.delta.replaceWhere.dataColumns.metrics.enabled", "false")
    save(t, "data", rows(t, "(1, 'new', 'x')"), replaceWhere="id = 1")
    save(t, "whole file", no_rows(t), replaceWhere="id BETWEEN 4 AND 6")
    _commits(t)


def case_where_without_metrics_of_removal(t: Recorder) -> None:
    three_files(t)
    t.conf("spark.databricks.delta.insertOverwrite.removeMetrics.enabled", "false")
    save(t, "data", rows(t, "(1, 'new', 'x')"), replaceWhere="id = 1")
    _commits(t)


def case_where_table_only_grows(t: Recorder) -> None:
    three_files(t, "t")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    save_table(t, "some rows", rows(t, "(5, 'new', 'x')"), replaceWhere="id = 5")
    save_table(t, "no match", rows(t, "(500, 'new', 'x')"), replaceWhere="id = 500")
    t.sql("SELECT * FROM t")


def case_where_of_nested_fields(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<INT>) USING delta"
    )
    t.sql(
        "INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES "
        "(1, named_struct('a', 1, 'b', named_struct('c', 'x')), array(1, 2)), "
        "(2, named_struct('a', 2, 'b', named_struct('c', 'y')), array()), (3, NULL, NULL)"
    )
    one = "SELECT 4 AS id, named_struct('a', 1, 'b', named_struct('c', 'x')) AS s, array(9) AS l"
    save_table(t, "field", t.spark.sql(one), replaceWhere="s.a = 1")
    save_table(t, "deep field", t.spark.sql(one), replaceWhere="s.b.c = 'x'")
    save_table(t, "array", t.spark.sql(one), replaceWhere="array_contains(l, 9)")
    save_table(t, "size", t.spark.sql(one), replaceWhere="size(l) = 1")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_where_of_many_forms(t: Recorder) -> None:
    three_files(t)
    one = rows(t, "(1, 'new', 'x')")
    for text in (
        "ID = 1",
        "`id` = 1",
        "id IN (1, 2)",
        "id NOT IN (4, 5, 6)",
        "NOT (id > 1)",
        "v LIKE 'n%'",
        "upper(v) = 'NEW'",
        "id BETWEEN 0 AND 1",
        "CASE WHEN id = 1 THEN true ELSE false END",
        "id = 1 -- a remark",
        "coalesce(id, 1) = 1",
    ):
        save(t, text, one, replaceWhere=text)
    load(t)
    _commits(t)


def case_where_on_a_path_with_nothing(t: Recorder) -> None:
    save(t, "first", rows(t, "(1, 'new', 'x')"), replaceWhere="id = 1")
    t.history(f"delta.`{t.path}`")


def case_where_first_write_does_not_match(t: Recorder) -> None:
    save(t, "first", rows(t, "(1, 'new', 'x')"), replaceWhere="id = 2")
    save(t, "unparsable", rows(t, "(1, 'new', 'x')"), replaceWhere="id = = 2")
    load(t)


def case_where_appended(t: Recorder) -> None:
    three_files(t)
    save(t, "append", rows(t, "(1, 'new', 'x')"), "append", replaceWhere="id = 2")
    save(t, "append, unparsable", rows(t, "(1, 'new', 'x')"), "append", replaceWhere="id = = 2")
    load(t)
    _commits(t)


def case_where_save_as_table(t: Recorder) -> None:
    three_files(t, "t")
    save_table(t, "some rows", rows(t, "(5, 'new', 'x')"), replaceWhere="id = 5")
    save_table(t, "mismatch", rows(t, "(5, 'new', 'x')"), replaceWhere="id = 6")
    t.attempt(
        "insertInto",
        lambda: (
            rows(t, "(6, 'newer', 'x')")
            .write.mode("overwrite")
            .option("replaceWhere", "id = 6")
            .insertInto("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 4)
    t.history("t")


def case_where_statement(t: Recorder) -> None:
    three_files(t, "t")
    t.sql("INSERT INTO t REPLACE WHERE id = 5 VALUES (5, 'new', 'x')")
    t.sql("INSERT INTO t REPLACE WHERE id > 6 AND v LIKE 'g%' VALUES (7, 'gn', 'x')")
    t.sql("INSERT INTO TABLE t REPLACE WHERE id = 6 VALUES (5, 'new', 'x')")
    t.sql("INSERT INTO t REPLACE WHERE nope = 6 VALUES (5, 'new', 'x')")
    t.sql("INSERT INTO t REPLACE WHERE id = 1 SELECT 1, 'new'")
    t.sql("INSERT INTO t REPLACE WHERE id = 1 SELECT '1', 'new', 'q'")
    t.sql("INSERT INTO t REPLACE WHERE id IN (SELECT 1) SELECT 1, 'new', 'q'")
    t.sql("INSERT INTO t REPLACE WHERE true VALUES (9, 'all', 'x')")
    t.sql("SELECT * FROM t")
    t.log("t", 4)
    t.history("t")


def case_where_statement_reads_its_table(t: Recorder) -> None:
    three_files(t, "t")
    t.sql("INSERT INTO t REPLACE WHERE id > 6 SELECT id * 10, v, p FROM t WHERE id > 6")
    t.sql("INSERT INTO t REPLACE WHERE id < 3 SELECT id, upper(v), p FROM t WHERE id < 3")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_where_statement_by_partition(t: Recorder) -> None:
    by_partition(t, "t")
    t.sql("INSERT INTO t REPLACE WHERE p = 'x' AND id < 3 VALUES (1, 'new', 'x')")
    t.sql("INSERT INTO t REPLACE WHERE p IS NULL VALUES (1, 'new', NULL)")
    t.sql("INSERT INTO t REPLACE WHERE p IN ('x', 'y') VALUES (1, 'only', 'x')")
    t.sql("SELECT * FROM t")
    t.log("t", 3)
    t.history("t")


def case_where_v2_conditions(t: Recorder) -> None:
    three_files(t, "t")
    one = rows(t, "(5, 'new', 'x')")
    for label, condition in {
        "equal": f.col("id") == 5,
        "and": (f.col("id") > 4) & (f.col("v") == "new"),
        "or": (f.col("id") > 4) | f.col("v").isNull(),
        "in": f.col("id").isin(5, 6),
        "like": f.col("v").like("n%"),
        "null": f.col("id") == f.lit(None),
        "text": f.expr("id = 5"),
        "cast": f.col("id") == "5",
        "long": f.col("id") == 5000000000,
        "number": f.col("id"),
    }.items():
        t.attempt(label, lambda c=condition: one.writeTo("t").overwrite(c))
    t.attempt(
        "and an option",
        lambda: one.writeTo("t").option("replaceWhere", "id = 5").overwrite(f.col("id") == 5),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 4)
    t.history("t")


def case_where_types_of_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (d DATE, s TIMESTAMP, n DECIMAL(10, 2), f DOUBLE, b BOOLEAN) USING delta")
    t.sql(
        "INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES "
        "(DATE'2024-01-01', TIMESTAMP'2024-01-01 01:02:03', 1.25, 0.5, true), "
        "(DATE'2024-02-01', TIMESTAMP'2024-02-01 01:02:03', 2.25, double('NaN'), false), "
        "(NULL, NULL, NULL, NULL, NULL)"
    )
    first = t.spark.sql(
        "SELECT DATE'2024-01-01' AS d, TIMESTAMP'2024-01-01 01:02:03' AS s, "
        "CAST(1.25 AS DECIMAL(10, 2)) AS n, 0.5D AS f, true AS b"
    )
    for text in (
        "d = '2024-01-01'",
        "s < '2024-01-15'",
        "n = 1.25",
        "f < 1",
        "b",
        "d >= DATE'2024-01-01' AND d < DATE'2024-01-01' + INTERVAL 1 MONTH",
    ):
        save_table(t, text, first, replaceWhere=text)
    t.sql("SELECT * FROM t")
    t.history("t")
