"""Writes into tables that map columns: every mode, new columns, partitions by physical names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def mapped(t: Recorder) -> None:
    """A mapped table with two partitions."""
    t.sql(f"CREATE TABLE t (id INT, v STRING, p STRING) USING delta PARTITIONED BY (p) {NAME}")
    t.sql(
        "INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES"
        " (1, 'a', 'x'), (2, 'b', 'y'), (3, 'c', 'y'), (4, 'd', NULL)"
    )


def content(t: Recorder, first: int) -> None:
    """The rows, and the commits from a version on."""
    t.sql("SELECT * FROM t ORDER BY id")
    t.log("t", first)


def case_append_in_each_form(t: Recorder) -> None:
    mapped(t)
    t.sql("INSERT INTO t (p, id) VALUES ('z', 5)")
    t.sql("INSERT INTO t BY NAME SELECT 'x' AS p, 6 AS id")
    t.sql("INSERT INTO t PARTITION (p = 'w') SELECT 7, 'g'")
    frame = t.spark.sql("SELECT 'x' AS p, 8 AS id, 'h' AS v")
    t.attempt("saveAsTable", lambda: frame.write.format("delta").mode("append").saveAsTable("t"))
    t.attempt("writeTo", lambda: frame.writeTo("t").append())
    t.attempt("insertInto", lambda: frame.select("id", "v", "p").write.insertInto("t"))
    content(t, 2)


def case_overwrite(t: Recorder) -> None:
    mapped(t)
    t.sql("INSERT OVERWRITE t VALUES (9, 'z', 'q')")
    content(t, 2)
    t.sql("TRUNCATE TABLE t")
    t.sql("SELECT * FROM t")


def case_overwrite_of_partitions(t: Recorder) -> None:
    mapped(t)
    t.sql("INSERT OVERWRITE t PARTITION (p = 'y') SELECT 9, 'z'")
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    t.sql("INSERT OVERWRITE t VALUES (10, 'n', 'x'), (11, 'n', NULL)")
    frame = t.spark.sql("SELECT 12 AS id, 'v' AS v, 'new' AS p")
    t.attempt("overwritePartitions", lambda: frame.writeTo("t").overwritePartitions())
    content(t, 2)


def case_replace_where_of_partitions(t: Recorder) -> None:
    mapped(t)
    frame = t.spark.sql("SELECT 9 AS id, 'z' AS v, 'y' AS p")
    write = frame.write.format("delta").mode("overwrite")
    t.attempt("p", lambda: write.option("replaceWhere", "p = 'y'").saveAsTable("t"))
    t.attempt("misfit", lambda: write.option("replaceWhere", "p = 'x'").saveAsTable("t"))
    t.sql("INSERT INTO t REPLACE WHERE p IS NULL SELECT 10, 'n', CAST(NULL AS STRING)")
    content(t, 2)


def case_replace_where_of_data(t: Recorder) -> None:
    mapped(t)
    t.sql("INSERT INTO t REPLACE WHERE id > 2 SELECT 30, 'n', 'y'")
    t.sql("INSERT INTO t REPLACE WHERE v = 'b' AND p = 'y' SELECT 20, 'b', 'y'")
    content(t, 2)


def case_replace_by_matches(t: Recorder) -> None:
    mapped(t)
    frame = t.spark.sql("SELECT 2 AS id, 'new' AS v, 'y' AS p")
    write = frame.write.format("delta").mode("overwrite")
    t.attempt("using", lambda: write.option("replaceUsing", "id, p").saveAsTable("t"))
    content(t, 2)


def case_new_columns(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, s STRUCT<x: INT>, l ARRAY<STRUCT<z: INT>>, p STRING) USING delta"
        f" PARTITIONED BY (p) {NAME}"
    )
    t.sql("INSERT INTO t VALUES (1, named_struct('x', 1), array(named_struct('z', 1)), 'a')")
    frame = t.spark.sql(
        "SELECT 2 AS id, named_struct('x', 1, 'y z', 2) AS s,"
        " array(named_struct('z', 1, 'zz', 2)) AS l, 'b' AS p, 9 AS `n w`"
    )
    write = frame.write.format("delta").mode("append")
    t.attempt("refused", lambda: write.saveAsTable("t"))
    t.attempt("merged", lambda: write.option("mergeSchema", "true").saveAsTable("t"))
    content(t, 2)
    t.sql("SELECT s.`y z`, l[0].zz FROM t WHERE `n w` = 9")


def case_new_schema(t: Recorder) -> None:
    mapped(t)
    frame = t.spark.sql("SELECT 5 AS ID, 'q' AS p, 9L AS v, 1 AS `n w`")
    write = frame.write.format("delta").mode("overwrite").option("overwriteSchema", "true")
    t.attempt("saveAsTable", lambda: write.saveAsTable("t"))
    content(t, 2)
    t.attempt("save", lambda: write.partitionBy("p").save(str(t.place("t"))))
    content(t, 3)


def case_answers_of_the_log(t: Recorder) -> None:
    mapped(t)
    t.sql("INSERT INTO t VALUES (5, 'e', 'x')")
    t.sql("SELECT count(*), min(id), max(id), min(p), max(p) FROM t")
    t.sql("SELECT p, count(*), max(id) FROM t GROUP BY p ORDER BY p")
    t.sql("SELECT count(*) FROM t WHERE p = 'y'")
    t.sql("SELECT DISTINCT p FROM t ORDER BY p")
    t.sql("SELECT count(v), count(p) FROM t")


def case_defaults_and_demands(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT NOT NULL, v VARCHAR(3), d INT DEFAULT 7) USING delta TBLPROPERTIES"
        " ('delta.columnMapping.mode' = 'name', 'delta.feature.allowColumnDefaults' = 'supported')"
    )
    t.sql("INSERT INTO t (id, v) VALUES (1, 'abc')")
    t.sql("INSERT INTO t (id, v) VALUES (2, 'abcd')")
    t.sql("INSERT INTO t (id, v) VALUES (NULL, 'a')")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_path_of_a_mapped_table(t: Recorder) -> None:
    frame = t.spark.sql("SELECT id, id % 2 AS `p q` FROM range(6)")
    write = frame.write.format("delta").partitionBy("p q")
    t.attempt("save", lambda: write.option("delta.columnMapping.mode", "name").save(t.path))
    t.attempt("append", lambda: write.mode("append").save(t.path))
    t.sql(f"SELECT `p q`, count(*), sum(id) FROM delta.`{t.path}` GROUP BY 1 ORDER BY 1")
    t.log(t.path)
