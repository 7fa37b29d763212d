"""Files older than the schema: what is read of columns they lack, and what filters find."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _merge(t: Recorder, query: str) -> None:
    frame = t.spark.sql(query)
    write = frame.write.format("delta").mode("append").option("mergeSchema", "true")
    t.attempt(f"merge {query}", lambda: write.save(t.path))


def _query(t: Recorder, columns: str, rest: str = "") -> None:
    t.sql(f"SELECT {columns} FROM delta.`{t.path}` {rest}")


def case_evolved_top_level(t: Recorder) -> None:
    _merge(t, "SELECT 1 AS id")
    _merge(t, "SELECT 2 AS id, 'b' AS s, DATE'2020-01-01' AS d")
    _merge(t, "SELECT 3 AS id, CAST(NULL AS STRING) AS s, 1.5 AS n, array(1) AS l")
    _query(t, "*")
    _query(t, "id", "WHERE s IS NULL")
    _query(t, "id", "WHERE s IS NOT NULL")
    _query(t, "id", "WHERE s = 'b'")
    _query(t, "id", "WHERE s != 'b'")
    _query(t, "id", "WHERE s <=> NULL AND n IS NULL")
    _query(t, "id", "WHERE coalesce(s, 'none') = 'none'")
    _query(t, "id", "WHERE n > 1 OR d < DATE'2021-01-01'")
    _query(t, "count(*) AS n, count(s) AS s, min(n) AS lo, max(d) AS hi")
    _query(t, "s, count(*) AS n", "GROUP BY s")
    _query(t, "l[0] AS e, size(l) AS n")
    _query(t, "*", "VERSION AS OF 0")
    _query(t, "*", "VERSION AS OF 1")


def case_evolved_struct(t: Recorder) -> None:
    _merge(t, "SELECT 1 AS id, named_struct('a', 1) AS s")
    _merge(t, "SELECT 2 AS id, named_struct('a', 2, 'b', named_struct('c', 'x')) AS s")
    _merge(t, "SELECT 3 AS id, named_struct('a', 3, 'b', named_struct('c', 'y', 'd', 4)) AS s")
    _merge(t, "SELECT 4 AS id, CAST(NULL AS STRUCT<a: INT>) AS s")
    _query(t, "*")
    _query(t, "id, s.b")
    _query(t, "id, s.b.c, s.b.d")
    _query(t, "id", "WHERE s.b IS NULL")
    _query(t, "id", "WHERE s.b.c = 'x'")
    _query(t, "id", "WHERE s.b.d IS NULL")
    _query(t, "id", "WHERE s IS NULL")
    _query(t, "s.*", "WHERE id = 1")


def case_evolved_array_and_map(t: Recorder) -> None:
    _merge(
        t, "SELECT 1 AS id, array(named_struct('a', 1)) AS l, map('k', named_struct('a', 1)) AS m"
    )
    _merge(
        t,
        "SELECT 2 AS id, array(named_struct('a', 2, 'b', 'x'), NULL) AS l,"
        " map('k', named_struct('a', 2, 'b', 'y')) AS m",
    )
    _query(t, "*")
    _query(t, "id, l.b, m['k'].b AS mb")
    _query(t, "id", "WHERE m['k'].b IS NULL")
    _query(t, "id", "WHERE l[0].b = 'x'")
    _query(t, "id, e.b", "LATERAL VIEW explode(l) x AS e")


def case_evolved_map_keys_and_deep(t: Recorder) -> None:
    _merge(
        t, "SELECT 1 AS id, array(map('k', named_struct('a', array(named_struct('x', 1))))) AS v"
    )
    _merge(
        t,
        "SELECT 2 AS id,"
        " array(map('k', named_struct('a', array(named_struct('x', 2, 'y', 'deep'))))) AS v",
    )
    _query(t, "*")
    _query(t, "id, v[0]['k'].a[0].y AS y")
    _query(t, "id", "WHERE v[0]['k'].a[0].y IS NULL")


def case_evolved_order_of_fields(t: Recorder) -> None:
    _merge(t, "SELECT 1 AS id, named_struct('a', 1, 'b', 'x') AS s, 'one' AS n")
    _merge(t, "SELECT 'two' AS n, named_struct('b', 'y', 'a', 2) AS s, 2 AS id")
    _merge(t, "SELECT 3 AS ID, named_struct('A', 3, 'B', 'z') AS S, 'three' AS N")
    _query(t, "*")
    _query(t, "s.b, s.a", "WHERE s.a > 1")
    t.log(t.path, 1)


def case_evolved_partitioned(t: Recorder) -> None:
    t.spark.sql("SELECT 1 AS id, 'a' AS p").write.format("delta").partitionBy("p").save(t.path)
    _merge(t, "SELECT 2 AS id, 'a' AS p, 10 AS x")
    _merge(t, "SELECT 3 AS id, CAST(NULL AS STRING) AS p, 20 AS x")
    _query(t, "*")
    _query(t, "id", "WHERE p = 'a' AND x IS NULL")
    _query(t, "id", "WHERE p IS NULL")
    _query(t, "p, sum(x) AS s, count(*) AS n", "GROUP BY p")


def case_evolved_by_overwrite(t: Recorder) -> None:
    def overwrite(query: str) -> None:
        write = t.spark.sql(query).write.format("delta").mode("overwrite")
        t.attempt(query, lambda: write.option("overwriteSchema", "true").save(t.path))

    overwrite("SELECT 1 AS id, 'a' AS s")
    overwrite("SELECT 'x' AS id, named_struct('n', 1) AS s")
    overwrite("SELECT array(1) AS id")
    for version in range(3):
        _query(t, "*", f"VERSION AS OF {version}")
    _query(t, "id", "VERSION AS OF 0 WHERE id = 1")
    _query(t, "s.n", "VERSION AS OF 1 WHERE id = 'x'")
    t.sql(f"SELECT o.s, n.id FROM delta.`{t.path}@v0` o, delta.`{t.path}` n")


def case_evolved_all_columns_missing(t: Recorder) -> None:
    _merge(t, "SELECT id FROM range(3)")
    _merge(t, "SELECT CAST(9 AS BIGINT) AS id, named_struct('a', 1, 'b', 'x') AS s, 'y' AS t")
    _query(t, "s")
    _query(t, "s.a")
    _query(t, "t")
    _query(t, "count(s.b) AS n, count(t) AS t")
    _query(t, "1 AS one")
    _query(t, "count(*) AS n", "WHERE t IS NULL")


def case_timestamps_without_zone(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, n TIMESTAMP_NTZ, p TIMESTAMP_NTZ) USING delta PARTITIONED BY (p)"
    )
    t.sql("""INSERT INTO t VALUES (1, TIMESTAMP_NTZ'2020-06-01 12:00:00.123456',
        TIMESTAMP_NTZ'2020-06-01 12:00:00'), (2, NULL, NULL), (3,
        TIMESTAMP_NTZ'1899-12-31 23:59:59', TIMESTAMP_NTZ'9999-12-31 23:59:59.999999')""")
    t.conf("spark.sql.session.timeZone", "America/Los_Angeles")
    t.sql("SELECT id, CAST(n AS STRING) AS n, CAST(p AS STRING) AS p FROM t")
    t.sql("SELECT id FROM t WHERE n = TIMESTAMP_NTZ'2020-06-01 12:00:00.123456'")
    t.sql("SELECT id FROM t WHERE p < TIMESTAMP_NTZ'2021-01-01 00:00:00'")
    t.sql("SELECT id FROM t WHERE p = '2020-06-01 12:00:00'")
    t.sql("SELECT id FROM t WHERE n > DATE'2000-01-01'")
    t.sql("INSERT INTO t VALUES (4, TIMESTAMP'2020-01-01 00:00:00', NULL)")
    t.sql("SELECT CAST(n AS STRING) AS n FROM t WHERE id = 4")
    t.log("t", 1)


def case_types_that_are_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, i INTERVAL DAY TO SECOND) USING delta")
    t.sql("CREATE TABLE t (id INT, i INTERVAL YEAR TO MONTH) USING delta")
    t.sql("CREATE TABLE t (s STRUCT<i: INTERVAL DAY>) USING delta")
    t.sql("CREATE TABLE t USING delta AS SELECT INTERVAL '1' DAY AS i")
    frame = t.spark.sql("SELECT INTERVAL '1' YEAR AS i")
    t.attempt("save", lambda: frame.write.format("delta").save(t.path))
    t.attempt("saveAsTable", lambda: frame.write.format("delta").saveAsTable("t"))
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.attempt(
        "merge",
        lambda: (
            t.spark.sql("SELECT 1 AS id, INTERVAL '1' YEAR AS i")
            .write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")


def case_variant_reads(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, v VARIANT, s STRUCT<v: VARIANT>, l ARRAY<VARIANT>) USING delta")
    t.sql("""INSERT INTO t SELECT id, parse_json('{"a": ' || id || ', "b": [1, {"c": "x"}]}'),
        named_struct('v', parse_json('null')), array(parse_json('1.5'), NULL)
        FROM VALUES (1), (2) AS x(id)""")
    t.sql("SELECT id, CAST(v AS STRING) AS v, CAST(s.v AS STRING) AS s, l[0]::STRING AS l FROM t")
    t.sql("SELECT id, v:a::INT AS a, v:b[1].c::STRING AS c FROM t WHERE v:a::INT = 2")
    t.sql("SELECT id FROM t WHERE v IS NULL")
    t.sql("SELECT id FROM t WHERE s.v IS NULL")
    t.sql("SELECT count(v) AS n, schema_of_variant_agg(v) AS s FROM t")
    t.sql("CREATE TABLE p (id INT, v VARIANT) USING delta PARTITIONED BY (v)")
    t.sql("SELECT v FROM t ORDER BY v")
