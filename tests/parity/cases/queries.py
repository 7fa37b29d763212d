"""Reading Delta tables: views, subqueries, joins, pushed filters, metadata columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _two_tables(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE people (id INT, name STRING, team INT) USING delta")
    t.spark.sql("INSERT INTO people VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cid', NULL)")
    t.spark.sql("CREATE TABLE teams (team INT, label STRING) USING delta PARTITIONED BY (team)")
    t.spark.sql("INSERT INTO teams VALUES (10, 'red'), (30, 'blue')")


def case_query_joins(t: Recorder) -> None:
    _two_tables(t)
    t.sql("SELECT name, label FROM people JOIN teams USING (team)")
    t.sql("SELECT name, label FROM people LEFT JOIN teams ON people.team = teams.team")
    t.sql("SELECT name FROM people p LEFT ANTI JOIN teams q ON p.team = q.team")
    t.sql("SELECT a.name, b.name AS other FROM people a, people b WHERE a.id < b.id")
    t.sql("SELECT people.name, teams.label FROM people FULL JOIN teams ON people.team = teams.team")


def case_query_subqueries_and_ctes(t: Recorder) -> None:
    _two_tables(t)
    t.sql("SELECT name FROM people WHERE team IN (SELECT team FROM teams)")
    t.sql("SELECT name, (SELECT max(label) FROM teams) AS top FROM people")
    t.sql("SELECT name FROM people p WHERE EXISTS (SELECT 1 FROM teams q WHERE q.team = p.team)")
    t.sql("WITH a AS (SELECT * FROM people), b AS (SELECT id FROM a) SELECT count(*) AS n FROM b")
    t.sql("SELECT team, count(*) AS n FROM people GROUP BY team ORDER BY team NULLS LAST")


def case_query_views(t: Recorder) -> None:
    _two_tables(t)
    t.sql("CREATE VIEW v AS SELECT id, upper(name) AS name FROM people")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM v WHERE id > 1")
    t.sql("CREATE GLOBAL TEMP VIEW parity_g AS SELECT * FROM people")
    t.sql("INSERT INTO people VALUES (4, 'dan', 10)")
    t.sql("SELECT * FROM v")
    t.sql("SELECT * FROM w")
    t.sql("SELECT * FROM global_temp.parity_g WHERE id = 4")
    t.sql("DROP VIEW global_temp.parity_g")
    t.sql("CREATE OR REPLACE TABLE people USING delta AS SELECT 1 AS other")
    t.sql("SELECT * FROM v")
    t.sql("DESCRIBE HISTORY v")
    t.sql("DESCRIBE DETAIL v")


def case_query_view_over_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta AS SELECT 1 AS id")
    t.sql(f"CREATE VIEW v AS SELECT * FROM delta.`{t.path}`")
    t.sql("SELECT * FROM v")
    t.sql(f"CREATE TEMP VIEW w USING delta OPTIONS (path '{t.path}')")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (2)")
    t.sql("SELECT * FROM w")


def case_query_filters_on_partitions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, d DATE) USING delta PARTITIONED BY (p, d)")
    t.sql("""INSERT INTO t VALUES (1, 'a', DATE'2020-01-01'), (2, 'b', DATE'2020-02-01'),
        (3, NULL, NULL), (4, 'A', DATE'2021-01-01')""")
    for condition in (
        "p = 'a'",
        "p IS NULL",
        "p <=> NULL",
        "p != 'a'",
        "p IN ('a', 'A')",
        "p LIKE '%a%'",
        "upper(p) = 'A'",
        "d > DATE'2020-01-15'",
        "year(d) = 2020",
        "d IS NOT NULL AND p >= 'a'",
        "p = 'a' OR id = 3",
        "NOT (p = 'a')",
        "d BETWEEN '2020-01-01' AND '2020-12-31'",
        "p = 'zz'",
        "id = 2 AND p = 'b'",
        "length(p) = 1 AND rand() >= 0",
        "p = 1",
        "false",
    ):
        t.sql(f"SELECT id FROM t WHERE {condition}")


def case_query_nested_columns(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<INT>,
        m MAP<STRING, INT>) USING delta""")
    t.sql("""INSERT INTO t VALUES
        (named_struct('a', 1, 'b', named_struct('c', 'x')), array(1, 2), map('k', 1)),
        (NULL, array(), map()), (named_struct('a', NULL, 'b', NULL), NULL, NULL)""")
    t.sql("SELECT s.a, s.b.c, l[0] AS first, m['k'] AS k FROM t WHERE size(l) > 0")
    t.sql("SELECT s.b.c FROM t WHERE s.a = 1")
    t.sql("SELECT s.*, explode(l) AS e FROM t")
    t.sql("SELECT * FROM t")


def case_query_metadata_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a b'), (2, 'c')")
    t.sql(
        "SELECT id, _metadata.file_size > 0 AS sized, _metadata.file_name LIKE '%.parquet' AS n"
        " FROM t"
    )
    t.sql("SELECT id, _metadata.file_path LIKE '%/p=a%' AS there FROM t")
    t.sql("SELECT id, input_file_name() LIKE '%.parquet' AS named FROM t")
    t.sql("SELECT count(DISTINCT _metadata.file_path) AS files FROM t WHERE p = 'c'")


def case_query_unknown_names(t: Recorder) -> None:
    _two_tables(t)
    t.sql("SELECT nope FROM people")
    t.sql("SELECT * FROM nope")
    t.sql("SELECT people.id.x FROM people")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.sql("SELECT * FROM delta.`relative`")
    t.sql("SELECT * FROM delta.people")


def case_query_case_insensitive_names(t: Recorder) -> None:
    t.sql("CREATE TABLE T (Id INT, NaMe STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("SELECT ID, name FROM t WHERE iD = 1")
    t.show("frame", lambda: t.spark.table("t").select("ID"))
    t.conf("spark.sql.caseSensitive", "true")
    t.sql("SELECT id FROM t")


def case_query_empty_tables(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("SELECT count(*) AS n, max(id) AS hi, max(p) AS last FROM t")
    t.sql("SELECT * FROM t WHERE p = 'a'")
    t.sql("SELECT t.*, u.id AS other FROM t JOIN t u ON t.id = u.id")


def case_query_aggregates_from_the_log(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, d DATE, s STRING, p INT) USING delta PARTITIONED BY (p)")
    t.sql(
        "INSERT INTO t SELECT id, DATE'2020-01-01' + CAST(id AS INT), 's' || id, id % 2"
        " FROM range(10)"
    )
    t.sql("SELECT count(*) AS n FROM t")
    t.sql("SELECT min(id) AS lo, max(id) AS hi, min(d) AS first, max(s) AS last FROM t")
    t.sql("SELECT count(*) AS n, min(id) AS lo FROM t WHERE p = 1")
    t.sql("SELECT count(id) AS n, count(DISTINCT p) AS ps FROM t")
    t.value("isEmpty", lambda: t.spark.table("t").isEmpty())
    t.value("count", lambda: t.spark.table("t").count())


def case_query_table_functions_of_frames(t: Recorder) -> None:
    _two_tables(t)
    people = t.spark.table("people")
    t.show("filter", people.where("team = 10").select("name"))
    t.show("join", people.join(t.spark.table("teams"), "team").select("name", "label"))
    t.show("union", people.union(people).groupBy("id").count())
    t.value("columns", lambda: people.columns)
    t.value("input files", lambda: len(people.inputFiles()) > 0)
