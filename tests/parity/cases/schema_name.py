"""What columns a write by name may bring: lists, BY NAME, frames, upper and lower case."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"
CASE = "spark.sql.caseSensitive"


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


def case_name_list_casts_and_order(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, d DECIMAL(4,1), day DATE) USING delta")
    t.sql("INSERT INTO t (day, name, id) SELECT '2020-01-01', 5, 1L")
    t.sql("INSERT INTO t (d, id) VALUES (1.26, '2')")
    t.sql("INSERT INTO t (id) SELECT 3000000000")
    t.sql("INSERT INTO t (id) SELECT 'x'")
    t.sql("INSERT INTO t (id) SELECT array(1)")
    t.sql("INSERT INTO t (id, ID) VALUES (1, 2)")
    t.sql("INSERT INTO t (nope) VALUES (1)")
    t.sql("INSERT INTO t (id, name) SELECT 1")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_name_by_name_casts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, n BIGINT) USING delta")
    t.sql("INSERT INTO t BY NAME SELECT 2L AS n, 3 AS name, 1L AS id")
    t.sql("INSERT INTO t BY NAME SELECT 3000000000 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 'x' AS id")
    t.sql("INSERT INTO t BY NAME SELECT array(1) AS id")
    t.sql("INSERT INTO t BY NAME SELECT 2 AS ID, 'b' AS Name")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS ID")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS nope")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS nope, 3 AS nada")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 'a' AS name, 2 AS n, 3 AS more")
    t.sql("INSERT OVERWRITE t BY NAME SELECT 'z' AS name, 9 AS id")
    t.sql("INSERT OVERWRITE t BY NAME SELECT 'z' AS name, 9 AS id, 1 AS nope")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_name_by_name_evolves_with_auto_merge(t: Recorder) -> None:
    t.conf(AUTO_MERGE, "true")
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t BY NAME SELECT 'a' AS name, 1 AS id, 2 AS more")
    t.sql("INSERT INTO t BY NAME SELECT 3 AS first, 2 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 3 AS other")
    t.sql("INSERT INTO t BY NAME SELECT 4 AS id, 1 AS x, 2 AS X")
    t.sql("INSERT INTO t (id, nope) VALUES (5, 6)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_name_not_null_left_out(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL, name STRING, n INT NOT NULL) USING delta")
    t.sql("INSERT INTO t (name) VALUES ('a')")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS n")
    _append(t, "saveAsTable", "SELECT 1 AS id")
    t.attempt("writeTo", lambda: t.spark.sql("SELECT 1 AS id").writeTo("t").append())
    _append(t, "saveAsTable all that is needed", "SELECT 3 AS n, 2 AS id")
    _append(t, "saveAsTable a null", "SELECT 3 AS n, CAST(NULL AS INT) AS id")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_name_not_null_left_out_of_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT NOT NULL, name STRING) USING delta")
    _save(t, "left out", "SELECT 'a' AS name")
    _save(t, "a null", "SELECT 'a' AS name, CAST(NULL AS INT) AS id")
    _save(t, "all", "SELECT 'a' AS name, 1 AS id")
    _save(t, "left out with mergeSchema", "SELECT 'a' AS name, 1 AS more", mergeSchema="true")
    _load(t)


def case_name_frames_keep_the_spelling(t: Recorder) -> None:
    t.sql("CREATE TABLE t (Id INT, userName STRING, S STRUCT<Inner: INT>) USING delta")
    _append(t, "lower", "SELECT 1 AS id, 'a' AS username, named_struct('inner', 1) AS s")
    _append(t, "upper", "SELECT 2 AS ID, 'b' AS USERNAME, named_struct('INNER', 2) AS S")
    _append(t, "new", "SELECT 3 AS ID, 'n' AS NewOne", mergeSchema="true")
    _append(t, "new again", "SELECT 4 AS ID, 'm' AS newone", mergeSchema="true")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_name_case_sensitive_session(t: Recorder) -> None:
    t.conf(CASE, "true")
    t.sql("CREATE TABLE t (id INT, Name STRING) USING delta")
    _append(t, "other case", "SELECT 1 AS ID, 'a' AS name")
    _append(t, "same case", "SELECT 2 AS id, 'b' AS Name")
    _append(t, "both", "SELECT 3 AS id, 4 AS ID", mergeSchema="true")
    _append(t, "differs in case", "SELECT 3 AS id, 'c' AS name", mergeSchema="true")
    t.sql("INSERT INTO t (ID) VALUES (5)")
    t.sql("INSERT INTO t (id) VALUES (6)")
    t.sql("INSERT INTO t BY NAME SELECT 7 AS ID")
    t.sql("INSERT INTO t BY NAME SELECT 8 AS id")
    t.attempt("writeTo", lambda: t.spark.sql("SELECT 9 AS ID").writeTo("t").append())
    t.sql("SELECT id, Name FROM t")
    t.log("t", 1)


def case_name_case_sensitive_create(t: Recorder) -> None:
    t.conf(CASE, "true")
    t.sql("CREATE TABLE t (a INT, A INT) USING delta")
    t.sql("CREATE TABLE u (s STRUCT<a: INT, A: INT>) USING delta")
    _save(t, "save", "SELECT 1 AS a, 2 AS A")
    t.sql("CREATE TABLE v USING delta AS SELECT 1 AS a, 2 AS A")
    t.sql("SHOW TABLES")


def case_name_case_sensitive_path(t: Recorder) -> None:
    _save(t, "create", "SELECT 1 AS id, named_struct('a', 1) AS s")
    t.conf(CASE, "true")
    _save(t, "other case", "SELECT 2 AS ID")
    _save(t, "nested in other case", "SELECT 3 AS id, named_struct('A', 1) AS s")
    _save(t, "merged in other case", "SELECT 4 AS ID", mergeSchema="true")
    _load(t)
    t.log(t.path, 1)


def case_name_duplicates(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    _append(t, "same", "SELECT 1 AS id, 2 AS id")
    _append(t, "case", "SELECT 1 AS id, 2 AS ID")
    _append(t, "new ones", "SELECT 1 AS id, 2 AS x, 3 AS x", mergeSchema="true")
    _append(t, "nested", "SELECT 1 AS id, named_struct('a', 1, 'A', 2) AS s")
    _append(
        t, "nested merged", "SELECT 1 AS id, named_struct('a', 1, 'A', 2) AS s", mergeSchema="true"
    )
    _append(
        t, "new nested", "SELECT 1 AS id, named_struct('a', 1, 'A', 2) AS z", mergeSchema="true"
    )
    _save(t, "first save", "SELECT 1 AS id, 2 AS ID")
    _save(t, "first save nested", "SELECT 1 AS id, array(named_struct('a', 1, 'A', 2)) AS l")
    t.sql("CREATE TABLE u (id INT, ID INT) USING delta")
    t.sql("CREATE TABLE u (id INT, m MAP<INT, STRUCT<a: INT, A: INT>>) USING delta")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_name_invalid_characters(t: Recorder) -> None:
    for name in ("a b", "a,b", "a;b", "{a}", "(a)", "a=b", "a.b", "ä", "a-b", "_", "1", "a:b", "%"):
        path = t.folder(f"c{len(t.seen)}")
        frame = t.spark.sql(f"SELECT 1 AS id, 2 AS `{name}`")
        t.attempt(name, lambda f=frame, p=path: f.write.format("delta").save(p))
    t.sql("CREATE TABLE t (id INT) USING delta")
    _append(t, "merged", "SELECT 1 AS id, 2 AS `a b`", mergeSchema="true")
    _append(t, "nested", "SELECT 1 AS id, named_struct('a b', 1) AS s", mergeSchema="true")
    _append(t, "deep", "SELECT 1 AS id, array(named_struct('a b', 1)) AS s", mergeSchema="true")
    _append(t, "partitioned", "SELECT 1 AS id, 2 AS `a.b`", mergeSchema="true")
    t.sql("SELECT * FROM t")


def case_name_frame_casts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (b TINYINT, i INT, d DECIMAL(4,1), s STRING, at DATE) USING delta")
    _append(t, "fits", "SELECT 1L AS b, 2S AS i, 3 AS d, 4 AS s, '2020-01-01' AS at")
    _append(t, "overflow", "SELECT 1000 AS b")
    _append(t, "overflow in a job", "SELECT id + 126 AS b FROM range(4)")
    _append(t, "not a number", "SELECT 'x' AS i")
    _append(t, "a number", "SELECT '5' AS i")
    _append(t, "decimal overflow", "SELECT 12345.6 AS d")
    _append(t, "boolean", "SELECT true AS i")
    _append(t, "array", "SELECT array(1) AS i")
    _append(t, "int to date", "SELECT 1 AS at")
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    _append(t, "legacy overflow", "SELECT 1000 AS b")
    _append(t, "legacy text", "SELECT 'x' AS i")
    t.conf("spark.sql.storeAssignmentPolicy", "STRICT")
    _append(t, "strict", "SELECT 1L AS i")
    _append(t, "strict widening", "SELECT 1Y AS i")
    t.sql("SELECT * FROM t")


def case_name_save_path_casts(t: Recorder) -> None:
    _save(
        t, "create", "SELECT 1Y AS b, 1 AS i, 1.5D AS x, CAST(1.5 AS DECIMAL(4,1)) AS d, 's' AS s"
    )
    _save(t, "long into int", "SELECT 1L AS i")
    _save(t, "overflow", "SELECT 3000000000 AS i")
    _save(t, "int into byte", "SELECT 1 AS b")
    _save(t, "short into int", "SELECT 1S AS i")
    _save(t, "text into int", "SELECT '5' AS i")
    _save(t, "no number into int", "SELECT 'x' AS i")
    _save(t, "float into double", "SELECT 1.5F AS x")
    _save(t, "decimal of other scale", "SELECT CAST(1.25 AS DECIMAL(5,2)) AS d")
    _save(t, "int into text", "SELECT 1 AS s")
    _save(t, "struct into text", "SELECT named_struct('a', 1) AS s")
    _save(t, "array into int", "SELECT array(1) AS i")
    _save(t, "long into int overwriting", "SELECT 7L AS i", "overwrite")
    _load(t)
    t.log(t.path, 1)
