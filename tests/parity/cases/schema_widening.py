"""Columns that a write widens, in tables that allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
WIDENING = "spark.databricks.delta.typeWidening.allowAutomaticWidening"
ALLOWED = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"


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


def _merge(t: Recorder, label: str, query: str) -> None:
    t.attempt(
        label,
        lambda: (
            t.spark.sql(query)
            .write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .save(t.path)
        ),
    )


def case_widening_by_name(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (b TINYINT, i INT, f FLOAT, d DECIMAL(5,2)) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 1, 1, 1)")
    _append(t, "not asked for", "SELECT 2L AS i")
    _append(t, "too wide and not asked for", "SELECT 3000000000 AS i")
    _append(t, "int to long", "SELECT 3000000000 AS i", mergeSchema="true")
    _append(t, "byte to short", "SELECT 300S AS b", mergeSchema="true")
    _append(t, "float to double", "SELECT 1.1D AS f", mergeSchema="true")
    _append(t, "decimal", "SELECT CAST(12345.678 AS DECIMAL(10,3)) AS d", mergeSchema="true")
    _append(t, "narrower", "SELECT 5 AS i, 6Y AS b, 1.5F AS f", mergeSchema="true")
    _append(
        t, "decimal with fewer digits", "SELECT CAST(1 AS DECIMAL(4,1)) AS d", mergeSchema="true"
    )
    _append(t, "text", "SELECT '7' AS i", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_widening_across_families(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT, d DATE, n BIGINT) USING delta {ALLOWED}")
    _append(t, "int to double", "SELECT 1.5D AS i", mergeSchema="true")
    _append(t, "int to decimal", "SELECT CAST(1.5 AS DECIMAL(12,2)) AS j", mergeSchema="true")
    _append(t, "date to ntz", "SELECT TIMESTAMP_NTZ'2020-01-01 01:02:03' AS d", mergeSchema="true")
    _append(t, "long to decimal", "SELECT CAST(1.5 AS DECIMAL(22,2)) AS n", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_widening_of_nested_types(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (s STRUCT<a: INT, l: ARRAY<INT>>, m MAP<INT, STRUCT<x: INT>>,
        l ARRAY<ARRAY<INT>>) USING delta {ALLOWED}""")
    t.sql("INSERT INTO t VALUES (named_struct('a', 1, 'l', array(1)), NULL, array(array(1)))")
    _append(
        t,
        "all",
        """SELECT named_struct('l', array(3000000000), 'a', 3000000000) AS s,
            map(3000000000, named_struct('x', 3000000000, 'y', 1)) AS m,
            array(array(3000000000)) AS l""",
        mergeSchema="true",
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_widening_at_a_path(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE delta.`{t.path}` (i INT, b TINYINT, s STRUCT<a: INT>) USING delta {ALLOWED}"
    )
    _merge(t, "wider", "SELECT 3000000000 AS i, 5 AS b, named_struct('a', 3000000000) AS s")
    _merge(t, "narrower", "SELECT 1 AS i, 6Y AS b, named_struct('a', 2) AS s")
    _merge(t, "text", "SELECT 'x' AS i")
    _merge(t, "double into long", "SELECT 1.5D AS i")
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))
    t.log(t.path, 1)


def case_widening_by_insert(t: Recorder) -> None:
    t.conf(AUTO_MERGE, "true")
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("INSERT INTO t VALUES (3000000000, 2)")
    t.sql("INSERT INTO t (j) VALUES (3000000000)")
    t.sql("INSERT INTO t BY NAME SELECT 3000000000 AS j")
    t.attempt("insertInto", lambda: t.spark.sql("SELECT 1.5D, 2").write.insertInto("t"))
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_widening_modes(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {ALLOWED}")
    t.conf(WIDENING, "never")
    _append(t, "never", "SELECT 5L AS i", mergeSchema="true")
    t.conf(WIDENING, "same_family_type")
    _append(t, "other family", "SELECT 5D AS j", mergeSchema="true")
    _append(t, "same family", "SELECT 5L AS i", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_widening_not_allowed(t: Recorder) -> None:
    t.sql("CREATE TABLE t (i INT) USING delta")
    _append(t, "cast", "SELECT 5L AS i", mergeSchema="true")
    _append(t, "overflow", "SELECT 3000000000 AS i", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
