"""Structs, arrays and maps in a write: their fields by name, missing, more, reordered, null."""

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


def _save(t: Recorder, label: str, query: str, mode: str = "append", **options: str) -> None:
    t.attempt(
        label,
        lambda: t.spark.sql(query).write.format("delta").mode(mode).options(**options).save(t.path),
    )


def _load(t: Recorder) -> None:
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))


def case_nested_frame_reorders_fields(t: Recorder) -> None:
    t.sql("""CREATE TABLE t
        (id INT, s STRUCT<a: INT, b: STRING, c: STRUCT<d: INT, e: INT>>) USING delta""")
    _append(
        t,
        "reordered",
        "SELECT 1 AS id, named_struct('c', named_struct('e', 2, 'd', 1), 'b', 'x', 'a', 3) AS s",
    )
    _append(
        t,
        "reordered and cast",
        "SELECT 2 AS id, named_struct('b', 5, 'A', 3L, 'C', named_struct('E', 2L, 'd', '1')) AS s",
    )
    t.sql("""INSERT INTO t BY NAME
        SELECT named_struct('c', named_struct('e', 4, 'd', 3), 'b', 'y', 'a', 5) AS s, 3 AS id""")
    t.sql(
        "INSERT INTO t (s) SELECT named_struct('b', 6, 'a', 'y', 'c', named_struct('e', 4, 'd', 3))"
    )
    t.sql("SELECT * FROM t")


def case_nested_missing_fields(t: Recorder) -> None:
    t.sql("""CREATE TABLE t
        (id INT, s STRUCT<a: INT, b: STRING, c: STRUCT<d: INT, e: INT>>) USING delta""")
    _append(t, "one less", "SELECT 1 AS id, named_struct('a', 1, 'b', 'x') AS s")
    _append(
        t, "deep", "SELECT 2 AS id, named_struct('a', 1, 'b', 'x', 'c', named_struct('d', 1)) AS s"
    )
    _append(t, "merged", "SELECT 3 AS id, named_struct('a', 1) AS s", mergeSchema="true")
    _append(
        t,
        "merged deep",
        "SELECT 4 AS id, named_struct('b', 'x', 'c', named_struct('e', 1)) AS s",
        mergeSchema="true",
    )
    t.sql("INSERT INTO t BY NAME SELECT 5 AS id, named_struct('a', 1) AS s")
    t.sql("INSERT INTO t SELECT 6 AS id, named_struct('a', 1) AS s")
    t.attempt(
        "writeTo",
        lambda: t.spark.sql("SELECT 7 AS id, named_struct('a', 1) AS s").writeTo("t").append(),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_missing_fields_of_a_path(t: Recorder) -> None:
    _save(
        t, "create", "SELECT 1 AS id, named_struct('a', 1, 'b', named_struct('c', 1, 'd', 2)) AS s"
    )
    _save(t, "one less", "SELECT 2 AS id, named_struct('a', 2) AS s")
    _save(t, "deep", "SELECT 3 AS id, named_struct('b', named_struct('d', 3)) AS s")
    _save(t, "merged", "SELECT 4 AS id, named_struct('a', 4) AS s", mergeSchema="true")
    _save(t, "reordered", "SELECT named_struct('b', named_struct('d', 5, 'c', 6), 'a', 7) AS s")
    _save(t, "null", "SELECT 8 AS id, CAST(NULL AS STRUCT<a: INT>) AS s", mergeSchema="true")
    _load(t)
    t.log(t.path, 1)


def case_nested_extra_fields(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    _append(t, "refused", "SELECT 1 AS id, named_struct('a', 1, 'b', 2) AS s")
    t.sql("INSERT INTO t SELECT 1, named_struct('a', 1, 'b', 2)")
    t.sql("INSERT INTO t BY NAME SELECT named_struct('a', 1, 'b', 2) AS s")
    _append(t, "merged", "SELECT 1 AS id, named_struct('b', 2, 'a', 1) AS s", mergeSchema="true")
    _append(
        t,
        "merged deeper",
        "SELECT 2 AS id, named_struct('a', 1, 'c', named_struct('d', named_struct('e', 1))) AS s",
        mergeSchema="true",
    )
    _append(
        t,
        "merged deepest",
        "SELECT 3 AS id, named_struct('c', named_struct('d', named_struct('f', 2))) AS s",
        mergeSchema="true",
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_arrays_of_structs(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, l ARRAY<STRUCT<a: INT, b: STRING>>) USING delta")
    _append(t, "reordered", "SELECT 1 AS id, array(named_struct('b', 'x', 'a', 1), NULL) AS l")
    _append(t, "cast", "SELECT 2 AS id, array(named_struct('a', 1L, 'b', 2)) AS l")
    _append(t, "less", "SELECT 3 AS id, array(named_struct('a', 1)) AS l")
    _append(t, "more", "SELECT 4 AS id, array(named_struct('a', 1, 'b', 'x', 'c', 2)) AS l")
    _append(
        t, "less merged", "SELECT 5 AS id, array(named_struct('b', 'y')) AS l", mergeSchema="true"
    )
    _append(
        t,
        "more merged",
        "SELECT 6 AS id, array(named_struct('c', 2, 'b', 'x'), NULL) AS l",
        mergeSchema="true",
    )
    _append(t, "overflow", "SELECT 7 AS id, array(named_struct('a', 3000000000, 'b', 'x')) AS l")
    _append(t, "null", "SELECT 8 AS id, NULL AS l")
    _append(t, "empty", "SELECT 9 AS id, array() AS l")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_maps_of_structs(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, m MAP<STRING, STRUCT<a: INT, b: STRING>>) USING delta")
    _append(
        t, "reordered", "SELECT 1 AS id, map('k', named_struct('b', 'x', 'a', 1), 'n', NULL) AS m"
    )
    _append(t, "cast", "SELECT 2 AS id, map(5, named_struct('a', 1L, 'b', 2)) AS m")
    _append(t, "less", "SELECT 3 AS id, map('k', named_struct('a', 1)) AS m")
    _append(t, "more", "SELECT 4 AS id, map('k', named_struct('a', 1, 'b', 'x', 'c', 2)) AS m")
    _append(
        t,
        "less merged",
        "SELECT 5 AS id, map('k', named_struct('b', 'y')) AS m",
        mergeSchema="true",
    )
    _append(
        t,
        "more merged",
        "SELECT 6 AS id, map('k', named_struct('c', 2, 'b', 'x')) AS m",
        mergeSchema="true",
    )
    _append(t, "null", "SELECT 7 AS id, NULL AS m")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_map_keys(t: Recorder) -> None:
    t.sql("CREATE TABLE t (m MAP<STRUCT<a: INT, b: INT>, INT>) USING delta")
    _append(t, "reordered", "SELECT map(named_struct('b', 2, 'a', 1), 1) AS m")
    _append(t, "less merged", "SELECT map(named_struct('b', 2), 1) AS m", mergeSchema="true")
    _append(
        t,
        "more merged",
        "SELECT map(named_struct('a', 1, 'b', 2, 'c', 3), 1) AS m",
        mergeSchema="true",
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_deep_collections(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT, d ARRAY<MAP<STRING, ARRAY<STRUCT<a: INT, b: STRUCT<c: INT>>>>>)
        USING delta""")
    _append(
        t,
        "reordered",
        """SELECT 1 AS id, array(map('k', array(
            named_struct('b', named_struct('c', 1), 'a', 2), NULL))) AS d""",
    )
    _append(
        t,
        "merged",
        """SELECT 2 AS id, array(map('k', array(
            named_struct('b', named_struct('x', 1), 'y', 2)))) AS d""",
        mergeSchema="true",
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_nested_null_struct_stays_null(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT, b: STRUCT<c: INT, d: INT>>) USING delta")
    source = (
        "SELECT id, IF(id = 1, NULL, named_struct('b', named_struct('d', 1, 'c', 2), 'a', 1L)) AS s"
    )
    _append(t, "null at the top", f"{source} FROM VALUES (1), (2) AS v(id)")
    inner = "named_struct('b', IF(id = 3, NULL, named_struct('d', 1, 'c', 2)), 'a', 1)"
    _append(t, "null inside", f"SELECT id, {inner} AS s FROM VALUES (3), (4) AS v(id)")
    less = "IF(id = 5, NULL, named_struct('a', id))"
    _append(
        t,
        "less merged",
        f"SELECT id, {less} AS s FROM VALUES (5), (6) AS v(id)",
        mergeSchema="true",
    )
    more = "IF(id = 7, NULL, named_struct('a', id, 'e', 'x'))"
    _append(
        t,
        "more merged",
        f"SELECT id, {more} AS s FROM VALUES (7), (8) AS v(id)",
        mergeSchema="true",
    )
    t.sql("INSERT INTO t SELECT 9, NULL")
    t.sql("""INSERT INTO t SELECT 10, IF(true, NULL,
        named_struct('x', 1L, 'y', named_struct('z', 2, 'w', 3), 'e', 4))""")
    t.sql("SELECT id, s, s IS NULL AS gone, s.b IS NULL AS inner_gone FROM t")


def case_nested_type_clashes(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>, l ARRAY<INT>, m MAP<STRING, INT>) USING delta")
    _append(t, "int into struct", "SELECT 1 AS id, 2 AS s")
    _append(t, "struct into int", "SELECT named_struct('a', 1) AS id")
    _append(t, "array into struct", "SELECT 1 AS id, array(1) AS s")
    _append(t, "struct into array", "SELECT 1 AS id, named_struct('a', 1) AS l")
    _append(t, "map into array", "SELECT 1 AS id, map('a', 1) AS l")
    _append(t, "array into map", "SELECT 1 AS id, array(1) AS m")
    _append(t, "text inside", "SELECT 1 AS id, named_struct('a', 'x') AS s")
    _append(t, "number inside", "SELECT 1 AS id, named_struct('a', '7') AS s")
    _append(t, "array inside", "SELECT 1 AS id, named_struct('a', array(1)) AS s")
    _append(t, "elements", "SELECT 1 AS id, array('x') AS l")
    _append(t, "elements cast", "SELECT 2 AS id, array('5', NULL, 7L) AS l")
    _append(t, "values cast", "SELECT 3 AS id, map(1, 7L) AS m")
    _append(t, "values overflow", "SELECT 3 AS id, map('a', 3000000000) AS m")
    t.sql("INSERT INTO t (s) SELECT 1")
    t.sql("INSERT INTO t (l) SELECT 'x'")
    t.sql("INSERT INTO t (m) SELECT array(1)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_nested_type_clashes_on_a_path(t: Recorder) -> None:
    _save(t, "create", "SELECT 1 AS id, named_struct('a', 1) AS s, array(1) AS l, map('k', 1) AS m")
    _save(t, "int into struct", "SELECT 1 AS id, 2 AS s")
    _save(t, "struct into int", "SELECT named_struct('a', 1) AS id")
    _save(t, "array into map", "SELECT array(1) AS m")
    _save(t, "long inside", "SELECT named_struct('a', 1L) AS s")
    _save(t, "text inside", "SELECT named_struct('a', 'x') AS s")
    _save(t, "long elements", "SELECT array(1L) AS l")
    _save(t, "long values", "SELECT map('k', 2L) AS m")
    _save(t, "merged clash", "SELECT 2 AS s, 1 AS more", mergeSchema="true")
    _save(t, "merged long", "SELECT named_struct('a', 1L, 'b', 1) AS s", mergeSchema="true")
    _load(t)
    t.log(t.path, 1)


def case_nested_not_null(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT, s STRUCT<a: INT NOT NULL, b: STRING>,
        r STRUCT<c: STRUCT<d: INT NOT NULL> NOT NULL>) USING delta""")
    _append(t, "all", "SELECT 1 AS id, named_struct('b', 'x', 'a', 1) AS s")
    _append(t, "null inside", "SELECT 2 AS id, named_struct('a', CAST(NULL AS INT), 'b', 'x') AS s")
    _append(t, "null struct", "SELECT 3 AS id, CAST(NULL AS STRUCT<a: INT, b: STRING>) AS s")
    _append(t, "left out", "SELECT 4 AS id, named_struct('b', 'x') AS s")
    _append(t, "left out merged", "SELECT 5 AS id, named_struct('b', 'x') AS s", mergeSchema="true")
    full = "named_struct('c', named_struct('d', 1))"
    _append(t, "both", f"SELECT 6 AS id, named_struct('a', 1, 'b', 'x') AS s, {full} AS r")
    deep = "named_struct('c', named_struct('d', CAST(NULL AS INT)))"
    _append(t, "deep", f"SELECT 7 AS id, named_struct('a', 1, 'b', 'x') AS s, {deep} AS r")
    t.sql("INSERT INTO t VALUES (8, named_struct('a', NULL, 'b', 'x'), NULL)")
    t.sql("SELECT * FROM t")


def case_nested_nullability_of_new_fields(t: Recorder) -> None:
    schema = "id INT NOT NULL, s STRUCT<a: INT NOT NULL> NOT NULL, l ARRAY<STRUCT<x: INT NOT NULL>>"
    frame = t.spark.createDataFrame([(1, (1,), [(1,)])], schema)
    t.attempt("save", lambda: frame.write.format("delta").save(t.path))
    more = t.spark.createDataFrame(
        [(1, (1, 2))], "id INT, s STRUCT<a: INT, b: INT NOT NULL> NOT NULL"
    )
    t.attempt(
        "merge",
        lambda: (
            more.write.format("delta").mode("append").option("mergeSchema", "true").save(t.path)
        ),
    )
    _load(t)
    t.log(t.path)
