"""CHAR(n) and VARCHAR(n): padding, comparisons, lengths, and where they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, c CHAR(5), v VARCHAR(5)) USING delta")
    t.spark.sql(
        "INSERT INTO t VALUES (1, 'ab', 'ab'), (2, 'ab ', 'ab '), (3, '', ''), (4, NULL, NULL)"
    )


def case_char_reads(t: Recorder) -> None:
    _table(t)
    t.sql(
        "SELECT id, concat(c, '|') AS c, concat(v, '|') AS v, length(c) AS n, length(v) AS m FROM t"
    )
    t.sql("DESCRIBE t")
    t.value("schema", t.spark.table("t").schema.simpleString)
    t.log("t", 0)
    path = t.place("t")
    t.show(
        "by path",
        lambda: t.spark.read.format("delta").load(str(path)).selectExpr("id", "length(c) AS n"),
    )
    loaded = t.spark.read.format("delta").load(str(path))
    t.value("schema by path", loaded.schema.simpleString)
    t.sql(f"SELECT id, concat(c, '|') AS c FROM delta.`{path}`")
    t.sql("SELECT id, concat(c, '|') AS c FROM t VERSION AS OF 1")


def case_char_comparisons(t: Recorder) -> None:
    _table(t)
    for condition in (
        "c = 'ab'",
        "c = 'ab   '",
        "c = 'ab      '",
        "'ab' = c",
        "c <=> 'ab'",
        "c != 'ab'",
        "c > 'aa'",
        "c IN ('ab', 'x')",
        "c IN ('ab ', '')",
        "c NOT IN ('ab')",
        "c LIKE 'ab'",
        "c LIKE 'ab%'",
        "c = v",
        "c = upper('AB')",
        "v = 'ab'",
        "v = 'ab '",
        "c = ''",
        "v = ''",
        "c IS NULL",
        "c BETWEEN 'ab' AND 'ab'",
        "trim(c) = 'ab'",
    ):
        t.sql(f"SELECT id FROM t WHERE {condition}")


def case_char_of_two_lengths(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE TABLE u (c CHAR(3), v VARCHAR(9)) USING delta")
    t.sql("INSERT INTO u VALUES ('ab', 'ab')")
    t.sql("SELECT t.id FROM t JOIN u ON t.c = u.c")
    t.sql("SELECT t.id FROM t JOIN u ON t.v = u.v")
    t.sql("SELECT t.id FROM t JOIN u ON t.c = u.v")
    t.sql("SELECT concat(c, '|') AS c FROM (SELECT c FROM t UNION SELECT c FROM u)")
    t.sql("SELECT id FROM t WHERE c IN (SELECT c FROM u)")
    t.sql("SELECT c, count(*) AS n FROM t GROUP BY c")


def case_char_settings(t: Recorder) -> None:
    _table(t)
    t.conf("spark.sql.readSideCharPadding", "false")
    t.sql("SELECT id, concat(c, '|') AS c FROM t WHERE c = 'ab'")
    t.conf("spark.sql.readSideCharPadding", "true")
    t.conf("spark.sql.legacy.charVarcharAsString", "true")
    t.sql("SELECT id, concat(c, '|') AS c FROM t WHERE c = 'ab'")
    t.sql("INSERT INTO t VALUES (9, 'longer than five', 'longer than five')")
    t.sql("CREATE TABLE s (c CHAR(5)) USING delta")
    t.sql("INSERT INTO s VALUES ('longer than five')")
    t.log("s")
    t.conf("spark.sql.legacy.charVarcharAsString", "false")
    t.sql("SELECT id, concat(c, '|') AS c, concat(v, '|') AS v FROM t")
    t.conf("spark.sql.preserveCharVarcharTypeInfo", "true")
    t.sql("SELECT concat(c, '|') AS c, c AS k, v FROM t WHERE id = 1")


def case_char_too_long(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t VALUES (5, 'abcdef', 'a')")
    t.sql("INSERT INTO t VALUES (6, 'a', 'abcdef')")
    t.sql("INSERT INTO t VALUES (7, 'abcde   ', 'abcde   ')")
    t.sql("INSERT INTO t SELECT id, 'äöüßé', repeat('é', 5) FROM range(8, 9)")
    frame = t.spark.sql("SELECT 10 AS id, 'x' AS c, 'abcdefg' AS v")
    path = str(t.place("t"))
    t.attempt("append", lambda: frame.write.format("delta").mode("append").save(path))
    t.attempt("writeTo", lambda: frame.writeTo("t").append())
    short = t.spark.sql("SELECT 11 AS id, 'x' AS c, 'y' AS v")
    t.attempt("short", lambda: short.write.format("delta").mode("append").save(path))
    t.sql("SELECT id, concat(c, '|') AS c, concat(v, '|') AS v FROM t")


def case_char_partition(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c CHAR(4), v VARCHAR(4)) USING delta PARTITIONED BY (c, v)")
    t.sql("INSERT INTO t VALUES (1, 'a', 'a'), (2, 'abcd', 'a '), (3, NULL, ''), (4, '', 'x')")
    t.sql("SELECT id, concat(c, '|') AS c, concat(v, '|') AS v FROM t")
    for condition in ("c = 'a'", "c IN ('a', 'b')", "c = 'abcd'", "v = 'a'", "c = ''", "c < 'b'"):
        t.sql(f"SELECT id FROM t WHERE {condition}")
    t.sql("INSERT OVERWRITE t PARTITION (c = 'a', v = 'a') VALUES (11)")
    t.sql("SELECT id, concat(c, '|') AS c FROM t")
    t.log("t", 1)


def case_char_nested(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT, s STRUCT<c: CHAR(3), v: VARCHAR(3)>, l ARRAY<CHAR(3)>,
        m MAP<CHAR(3), VARCHAR(3)>) USING delta""")
    t.sql("INSERT INTO t SELECT 1, named_struct('c', 'a', 'v', 'a'), array('b'), map('k', 'x')")
    t.sql("SELECT concat(s.c, '|') AS c, concat(s.v, '|') AS v, concat(l[0], '|') AS l FROM t")
    t.sql("SELECT map_keys(m) AS k, map_values(m) AS v FROM t")
    t.sql("SELECT id FROM t WHERE s.c = 'a'")
    t.sql("SELECT id FROM t WHERE l[0] = 'b'")
    t.sql("INSERT INTO t SELECT 2, named_struct('c', 'abcd', 'v', 'a'), array('b'), map('k', 'x')")
    t.sql("INSERT INTO t SELECT 3, named_struct('c', 'a', 'v', 'a'), array('bcde'), map('k', 'x')")
    t.sql("INSERT INTO t SELECT 4, named_struct('c', 'a', 'v', 'a'), array('b'), map('k', 'xyzä')")
    t.sql("SELECT id FROM t")


def case_char_from_queries(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE TABLE u USING delta AS SELECT * FROM t")
    t.sql("DESCRIBE u")
    t.sql("SELECT id, concat(c, '|') AS c FROM u WHERE c = 'ab'")
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.sql("SELECT id FROM w WHERE c = 'ab'")
    t.sql("SELECT id FROM (SELECT id, c FROM t) WHERE c = 'ab'")
    frame = t.spark.table("t")
    t.show("frame", lambda: frame.where(frame.c == "ab").select("id"))
    t.attempt("saved", lambda: frame.write.format("delta").save(t.path))
    t.show("loaded", lambda: t.spark.read.format("delta").load(t.path).where("c = 'ab'"))
    t.sql("INSERT INTO t TABLE u")
    t.sql("SELECT count(*) AS n FROM t WHERE c = 'ab'")
