"""Writes that change the schema of a table: mergeSchema, autoMerge, overwriteSchema, void."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"


def _append(t: Recorder, label: str, query: str, **options: str) -> None:
    t.attempt(
        label,
        lambda: (
            t.spark.sql(query)
            .write.format("delta")
            .mode("append")
            .options(**options)
            .saveAsTable("t")
        ),
    )


def _merge(t: Recorder, label: str, query: str, mode: str = "append", **options: str) -> None:
    options = {"mergeSchema": "true", **options}
    t.attempt(
        label,
        lambda: t.spark.sql(query).write.format("delta").mode(mode).options(**options).save(t.path),
    )


def _load(t: Recorder) -> None:
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))


def case_merge_small_integers(t: Recorder) -> None:
    _merge(t, "create", "SELECT 1Y AS b, 1S AS s, 1 AS i, 1L AS n")
    _merge(t, "wider", "SELECT 2S AS b, 2 AS s, 2L AS i")
    _merge(t, "widest", "SELECT 3 AS b, 3L AS s")
    _merge(t, "narrower", "SELECT 4Y AS s, 4Y AS i, 4Y AS n, 4Y AS b")
    _merge(t, "too large", "SELECT 100000 AS b, 100000 AS s")
    _merge(t, "overwritten", "SELECT 5 AS b", "overwrite")
    _load(t)
    t.log(t.path, 1)


def case_merge_other_numbers(t: Recorder) -> None:
    _merge(t, "create", "SELECT 1 AS i, 1.5F AS f, 1.5D AS x, CAST(1 AS DECIMAL(5,2)) AS d")
    _merge(t, "long", "SELECT 2L AS i")
    _merge(t, "double into float", "SELECT 2.5D AS f")
    _merge(t, "float into double", "SELECT 2.5F AS x")
    _merge(t, "wider decimal", "SELECT CAST(2 AS DECIMAL(10,2)) AS d")
    _merge(t, "other scale", "SELECT CAST(2 AS DECIMAL(10,4)) AS d")
    _merge(t, "double into decimal", "SELECT 1.5D AS d")
    _merge(t, "int into decimal", "SELECT 4 AS d")
    _merge(t, "decimal into int", "SELECT 4.5 AS i")
    _merge(t, "text", "SELECT '6' AS i, '6.5' AS x")
    _merge(t, "bad text", "SELECT 'six' AS i")
    _load(t)
    t.log(t.path, 1)


def case_merge_types_that_clash(t: Recorder) -> None:
    _merge(
        t,
        "create",
        "SELECT 1 AS i, DATE'2020-01-01' AS d, array(1) AS l, named_struct('a', 1) AS s",
    )
    _merge(t, "array into int", "SELECT array(1) AS i")
    _merge(t, "int into array", "SELECT 1 AS l")
    _merge(t, "int into struct", "SELECT 1 AS s")
    _merge(t, "date into int", "SELECT DATE'2020-01-01' AS i")
    _merge(t, "timestamp into date", "SELECT TIMESTAMP'2020-01-01 01:02:03' AS d")
    _merge(t, "binary into int", "SELECT X'01' AS i")
    _merge(t, "boolean into int", "SELECT true AS i")
    _merge(t, "array inside a struct", "SELECT named_struct('a', array(1)) AS s")
    _merge(t, "map into struct", "SELECT map('a', 1) AS s")
    _load(t)


def case_merge_adds_columns_of_all_kinds(t: Recorder) -> None:
    _merge(t, "create", "SELECT 1 AS id")
    _merge(
        t,
        "add",
        """SELECT 2 AS id, 'x' AS s, 1.25BD AS d, DATE'2020-01-01' AS day, true AS b, X'01' AS bin,
            TIMESTAMP_NTZ'2020-01-01 00:00:00' AS ntz, array(named_struct('a', 1)) AS l,
            map('k', array(1)) AS m""",
    )
    _merge(t, "first", "SELECT 5 AS zero, 3 AS id")
    _load(t)
    t.log(t.path, 1)


def case_merge_keeps_order_and_metadata(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT COMMENT 'first', B STRING NOT NULL, c INT) USING delta")
    _append(t, "merge", "SELECT 1 AS z, 2 AS c, 'b' AS b, 3 AS A", mergeSchema="true")
    commented = t.spark.sql("SELECT 1 AS c, 'x' AS b").toDF("c", "B")
    frame = commented.withColumn(
        "n", commented["c"].alias("n", metadata={"comment": "new", "k": 1})
    )
    frame = frame.withColumn("a", frame["c"].alias("a", metadata={"comment": "other"}))
    t.attempt(
        "with metadata",
        lambda: (
            frame.write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 1)


def case_merge_partitioned_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    _append(t, "add", "SELECT 1 AS id, 'a' AS p, 2 AS more", mergeSchema="true")
    _append(t, "partition left out", "SELECT 2 AS id, 3 AS more", mergeSchema="true")
    _append(t, "partition of another type", "SELECT 3 AS id, 5 AS p", mergeSchema="true")
    _append(t, "only the partition", "SELECT 'c' AS p", mergeSchema="true")
    t.attempt(
        "new column to partition by",
        lambda: (
            t.spark.sql("SELECT 4 AS id, 'd' AS p, 'q' AS q")
            .write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .partitionBy("p", "q")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_merge_on_overwrite(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.attempt(
        "writeTo overwrite",
        lambda: (
            t.spark.sql("SELECT 2 AS id, 3 AS more")
            .writeTo("t")
            .option("mergeSchema", "true")
            .overwritePartitions()
        ),
    )
    t.attempt(
        "saveAsTable overwrite",
        lambda: (
            t.spark.sql("SELECT 3 AS id, 'x' AS other")
            .write.format("delta")
            .mode("overwrite")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_merge_by_writer_v2(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    frame = t.spark.sql("SELECT 1 AS id, 2 AS more")
    t.attempt("refused", lambda: frame.writeTo("t").append())
    t.attempt("option", lambda: frame.writeTo("t").option("mergeSchema", "true").append())
    t.conf(AUTO_MERGE, "true")
    other = t.spark.sql("SELECT 3 AS id, 4 AS other")
    t.attempt("off by option", lambda: other.writeTo("t").option("mergeSchema", "false").append())
    t.attempt("setting", lambda: other.writeTo("t").append())
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_merge_overwrite_schema_kinds(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL COMMENT 'c', p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    frame = t.spark.sql("SELECT 1L AS id, named_struct('a', 1) AS s, 'q' AS q")
    writer = frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    t.attempt("replaced", lambda: writer.partitionBy("q").saveAsTable("t"))
    t.sql("SELECT * FROM t")
    t.attempt(
        "both options",
        lambda: (
            t.spark.sql("SELECT 1 AS only")
            .write.format("delta")
            .mode("overwrite")
            .options(overwriteSchema="true", mergeSchema="true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_merge_void_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    _append(t, "void into int", "SELECT NULL AS id")
    _append(t, "new void", "SELECT 1 AS id, NULL AS v", mergeSchema="true")
    _append(t, "void again", "SELECT 2 AS id, NULL AS v")
    _append(t, "typed", "SELECT 3 AS id, 'x' AS v", mergeSchema="true")
    _append(t, "void into typed", "SELECT 4 AS id, NULL AS v", mergeSchema="true")
    t.sql("SELECT id, v FROM t")
    t.log("t", 1)


def case_merge_void_nested(t: Recorder) -> None:
    _merge(t, "create", "SELECT 1 AS id, named_struct('a', 1, 'v', NULL) AS s")
    _merge(t, "typed", "SELECT 2 AS id, named_struct('a', 2, 'v', 'x') AS s")
    _merge(t, "void array", "SELECT 3 AS id, array() AS l")
    _merge(t, "array of void", "SELECT 3 AS id, array(NULL) AS l")
    _merge(t, "map of void", "SELECT 4 AS id, map('k', NULL) AS m")
    _merge(t, "struct of void", "SELECT 5 AS id, named_struct('v', NULL) AS r")
    t.show("ids", lambda: t.spark.read.format("delta").load(t.path).select("id"))
    t.log(t.path)


def case_merge_only_void(t: Recorder) -> None:
    _merge(t, "create", "SELECT NULL AS v")
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    _append(t, "no column but the partition", "SELECT NULL AS id, 'a' AS p")
    t.sql("INSERT INTO t VALUES (NULL, 'b')")
    t.sql("SELECT * FROM t")


def case_merge_char_and_varchar(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c CHAR(3), v VARCHAR(3)) USING delta")
    _append(t, "fits", "SELECT 1 AS id, 'a' AS c, 'b' AS v")
    _append(t, "too long", "SELECT 2 AS id, 'abcd' AS c")
    _append(t, "too long merged", "SELECT 2 AS id, 'abcd' AS v, 1 AS more", mergeSchema="true")
    _append(t, "number", "SELECT 3 AS id, 12 AS c, 34 AS v")
    _append(t, "left out merged", "SELECT 4 AS id, 1 AS more", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_merge_option_on_new_table(t: Recorder) -> None:
    _merge(t, "create", "SELECT 1 AS id")
    t.attempt(
        "create table",
        lambda: (
            t.spark.sql("SELECT 1 AS id")
            .write.format("delta")
            .options(mergeSchema="true", overwriteSchema="true")
            .saveAsTable("t")
        ),
    )
    t.log(t.path)
    t.log("t")


def case_merge_without_change(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    _append(t, "same schema", "SELECT 1 AS id, 'a' AS name", mergeSchema="true")
    _append(t, "less", "SELECT 2 AS id", mergeSchema="true")
    _append(t, "nothing but a new column", "SELECT 3 AS more WHERE false", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")
