"""What columns a write by position may bring: types, more of them, fewer, other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
POLICY = "spark.sql.storeAssignmentPolicy"


def _insert_into(t: Recorder, label: str, query: str) -> None:
    t.attempt(label, lambda: t.spark.sql(query).write.insertInto("t"))


def _write(t: Recorder, label: str, query: str) -> None:
    t.attempt(label, lambda: t.spark.sql(query).writeTo("t").append())


def case_position_names_do_not_count(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, n INT) USING delta")
    t.sql("INSERT INTO t SELECT 1 AS n, 'a' AS id, 2 AS name")
    t.sql("INSERT INTO t SELECT 3 AS x, 'b' AS x, 4 AS x")
    _insert_into(t, "insertInto", "SELECT 5 AS n, 'c' AS id, 6 AS name")
    _insert_into(t, "insertInto with one name twice", "SELECT 7 AS x, 'd' AS x, 8 AS x")
    _insert_into(t, "insertInto with the wrong types", "SELECT 'e' AS name, 9 AS id, 10 AS n")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_position_ansi_casts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (b TINYINT, n BIGINT, d DECIMAL(5,2), f FLOAT, s STRING) USING delta")
    t.sql("INSERT INTO t SELECT 1L, 2Y, 3.456, 4.5D, DATE'2020-01-01'")
    t.sql("INSERT INTO t SELECT 1000, 2, 3, 4, 'x'")
    t.sql("INSERT INTO t SELECT id + 126, 2, 3, 4, 'x' FROM range(3)")
    t.sql("INSERT INTO t SELECT 1, 2, 12345.6, 4, 'x'")
    t.sql("INSERT INTO t SELECT 1, 2, 3, 1E300, 'x'")
    t.sql("INSERT INTO t SELECT 1, 1E30, 3, 4, 'x'")
    t.sql("INSERT INTO t SELECT '1', 2, 3, 4, 'x'")
    t.sql("INSERT INTO t SELECT 1, 'two', 3, 4, 'x'")
    t.sql("INSERT INTO t SELECT 1, 2, 3, 4, X'4142'")
    t.sql("INSERT INTO t SELECT 1, 2, 3, 4, array(1)")
    t.sql("INSERT INTO t SELECT 1, 2, 3, TIMESTAMP'2020-01-01 00:00:00', 'x'")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_position_ansi_casts_of_times(t: Recorder) -> None:
    t.sql("CREATE TABLE t (d DATE, at TIMESTAMP, ntz TIMESTAMP_NTZ, b BOOLEAN) USING delta")
    t.sql("""INSERT INTO t SELECT TIMESTAMP'2020-01-02 03:04:05', DATE'2020-01-02',
        TIMESTAMP'2020-01-02 03:04:05', true""")
    t.sql("INSERT INTO t SELECT '2020-02-03', '2020-02-03 04:05:06', '2020-02-03', 'true'")
    t.sql("INSERT INTO t SELECT 'yesterday', NULL, NULL, NULL")
    t.sql("INSERT INTO t SELECT 5, NULL, NULL, NULL")
    t.sql("INSERT INTO t SELECT NULL, 5, NULL, NULL")
    t.sql("INSERT INTO t SELECT NULL, NULL, NULL, 1")
    t.sql("SELECT * FROM t")


def case_position_legacy_casts(t: Recorder) -> None:
    t.conf(POLICY, "LEGACY")
    t.conf("spark.sql.ansi.enabled", "false")
    t.sql("CREATE TABLE t (b TINYINT, n BIGINT, d DECIMAL(5,2), at DATE, ok BOOLEAN) USING delta")
    t.sql("INSERT INTO t SELECT 1000, '2', 3.456, '2020-01-01', 1")
    t.sql("INSERT INTO t SELECT 1, 'two', 12345.6, 'never', 'perhaps'")
    t.sql("INSERT INTO t SELECT id + 126, 1E30, 3, NULL, NULL FROM range(3)")
    t.sql("INSERT INTO t SELECT array(1), 2, 3, NULL, NULL")
    t.sql("SELECT * FROM t")


def case_position_strict_casts(t: Recorder) -> None:
    t.conf(POLICY, "STRICT")
    t.sql("CREATE TABLE t (n BIGINT, d DOUBLE, s STRING) USING delta")
    t.sql("INSERT INTO t SELECT 1, 2, 'x'")
    t.sql("INSERT INTO t SELECT 1, 2.5F, 3")
    t.sql("INSERT INTO t SELECT 1.5D, 2, 'x'")
    t.sql("INSERT INTO t SELECT '1', 2, 'x'")
    _insert_into(t, "insertInto", "SELECT 2 AS n, 3 AS d, 'y' AS s")
    _insert_into(t, "insertInto narrowing", "SELECT 2.5D AS n, 3 AS d, 'y' AS s")
    t.sql("SELECT * FROM t")


def case_position_too_few_and_too_many(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t SELECT 1, 'a', 2, 3")
    _insert_into(t, "insertInto too many", "SELECT 1 AS id, 'a' AS name, 2 AS more")
    _insert_into(t, "insertInto too few", "SELECT 1 AS id")
    t.sql("INSERT OVERWRITE t SELECT 1")
    t.sql("INSERT OVERWRITE t SELECT 1, 'a', 2")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_position_evolves_with_auto_merge(t: Recorder) -> None:
    t.conf(AUTO_MERGE, "true")
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t SELECT 1, 'a', 2 AS more, DATE'2020-01-01' AS day")
    t.sql("INSERT INTO t SELECT 2 AS x, 'b' AS y")
    t.sql("INSERT INTO t SELECT 2, 'b', 3, NULL")
    t.sql("INSERT INTO t SELECT 3, 'c', 4, NULL, 5 AS id")
    t.sql("INSERT INTO t SELECT 3, 'c', 4, NULL, 5 AS `a b`")
    _insert_into(t, "insertInto", "SELECT 4 AS id, 'd' AS name, 5 AS more, NULL AS day, 6 AS last")
    t.sql("INSERT OVERWRITE t SELECT 5, 'e', 6, NULL, 7, named_struct('a', 1) AS s")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_position_insert_into_with_merge_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    query = "SELECT 1 AS a, 'x' AS b, 2 AS more"
    t.attempt(
        "insertInto with mergeSchema",
        lambda: t.spark.sql(query).write.option("mergeSchema", "true").insertInto("t"),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_position_into_partitions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (p INT, id INT, q STRING) USING delta PARTITIONED BY (p, q)")
    t.sql("INSERT INTO t VALUES (1, 2, 'a')")
    t.sql("INSERT INTO t VALUES ('3', 4L, 5)")
    t.sql("INSERT INTO t VALUES ('x', 4L, 5)")
    t.sql("INSERT INTO t PARTITION (p = 6) VALUES (7, 'b')")
    t.sql("INSERT INTO t PARTITION (p = 6) VALUES (7)")
    t.sql("INSERT INTO t PARTITION (p = 6) VALUES (7, 'b', 8)")
    t.sql("INSERT INTO t PARTITION (P = 9, Q = 'c') (ID) VALUES (10)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_position_not_null(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL, name STRING) USING delta")
    t.sql("INSERT INTO t SELECT NULL, 'a'")
    t.sql("INSERT INTO t SELECT CAST('1' AS INT), NULL")
    _insert_into(t, "insertInto null", "SELECT CAST(NULL AS INT) AS id, 'a' AS name")
    _insert_into(t, "insertInto", "SELECT 2 AS id, 'a' AS name")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_position_nested_by_position(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (s STRUCT<a: INT, b: STRING>, l ARRAY<STRUCT<x: INT, y: INT>>) USING delta"
    )
    t.sql(
        "INSERT INTO t SELECT named_struct('b', 1, 'a', 'x'), array(named_struct('y', 1, 'x', 2))"
    )
    t.sql(
        "INSERT INTO t SELECT named_struct('c', 1L, 'd', 2), array(named_struct('e', '1', 'f', 2))"
    )
    t.sql("INSERT INTO t SELECT named_struct('a', 1), NULL")
    t.sql("INSERT INTO t SELECT named_struct('a', 1, 'b', 'x', 'c', 2), NULL")
    t.sql("INSERT INTO t SELECT NULL, array(named_struct('x', 1))")
    t.sql("INSERT INTO t SELECT NULL, array(named_struct('x', 1, 'y', 2, 'z', 3))")
    _insert_into(t, "insertInto", "SELECT named_struct('q', 3, 'r', 'z') AS s, NULL AS l")
    t.sql("SELECT * FROM t")


def case_position_structs_evolve(t: Recorder) -> None:
    t.conf(AUTO_MERGE, "true")
    t.sql("CREATE TABLE t (s STRUCT<a: INT, b: STRUCT<c: INT>>) USING delta")
    t.sql("INSERT INTO t SELECT named_struct('a', 1, 'b', named_struct('c', 1))")
    t.sql("INSERT INTO t SELECT named_struct('q', 2, 'r', named_struct('c', 2), 'x', 'n')")
    t.sql(
        "INSERT INTO t SELECT named_struct('q', 3, 'r', named_struct('y', 3, 'd', 'n'), 'x', 'm')"
    )
    t.sql("INSERT INTO t SELECT named_struct('q', 4, 'r', named_struct('y', 4, 'd', 'n'))")
    t.sql("INSERT INTO t SELECT named_struct('q', 5, 'r', NULL, 'x', 'o', 'a', 5)")
    t.sql("INSERT INTO t SELECT NULL")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_position_structs_in_collections_evolve(t: Recorder) -> None:
    t.conf(AUTO_MERGE, "true")
    t.sql("CREATE TABLE t (l ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<y: INT>>) USING delta")
    t.sql("INSERT INTO t SELECT array(named_struct('x', 1, 'z', 2)), NULL")
    t.sql("INSERT INTO t SELECT NULL, map('k', named_struct('y', 1, 'w', true))")
    t.sql("SELECT * FROM t")


def case_position_v2_append_is_by_name(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    _write(t, "swapped", "SELECT 'a' AS name, 1 AS id")
    _write(t, "missing", "SELECT 2 AS id")
    _write(t, "unknown", "SELECT 3 AS id, 'c' AS nope")
    _write(t, "long", "SELECT 4L AS id, 5 AS name")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
