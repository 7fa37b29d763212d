"""INSERT INTO in its forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_insert_values_and_select(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, d DATE) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a', DATE'2020-01-01'), (2, NULL, NULL)")
    t.sql("INSERT INTO TABLE t SELECT id, 'n' || id, DATE'2021-02-03' FROM range(3)")
    t.sql("INSERT INTO t TABLE t")
    t.sql("FROM t INSERT INTO t SELECT id + 100, name, d WHERE id = 1")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")


def case_insert_column_list(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, n BIGINT) USING delta")
    t.sql("INSERT INTO t (name, id) VALUES ('a', 1)")
    t.sql("INSERT INTO t (N, ID, NAME) SELECT 5, 2, 'b'")
    t.sql("INSERT INTO t (id, id) VALUES (1, 2)")
    t.sql("INSERT INTO t (id, nope) VALUES (1, 2)")
    t.sql("INSERT INTO t (id, name) VALUES (1)")
    t.sql("INSERT INTO t (id) VALUES (1, 'x')")
    t.sql("SELECT * FROM t")


def case_insert_by_name(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING, n BIGINT) USING delta")
    t.sql("INSERT INTO t BY NAME SELECT 'a' AS name, 1 AS id, 2 AS n")
    t.sql("INSERT INTO t BY NAME SELECT 'b' AS NAME, 2 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 3 AS id, 'x' AS nope")
    t.sql("INSERT INTO t BY NAME SELECT 3 AS id, 4 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS n, 'c' AS name, 4 AS extra")
    t.sql("INSERT INTO t BY NAME VALUES (1, 'z', 5)")
    t.sql("SELECT * FROM t")


def case_insert_arity(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT INTO t VALUES (1, 'a', 2)")
    t.sql("INSERT INTO t SELECT 1")
    t.sql("INSERT INTO t SELECT 1, 'a', 3 AS extra")
    t.sql("INSERT INTO t VALUES ()")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_insert_partition_static(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, q INT) USING delta PARTITIONED BY (p, q)")
    t.sql("INSERT INTO t PARTITION (p = 'a', q = 1) VALUES (1), (2)")
    t.sql("INSERT INTO t PARTITION (p = 'b', q) VALUES (3, 7)")
    t.sql("INSERT INTO t PARTITION (p, q) VALUES (4, 'c', 8)")
    t.sql("INSERT INTO t PARTITION (q = 9, p = 'd') (id) VALUES (5)")
    t.sql("INSERT INTO t PARTITION (p = NULL, q = 1) SELECT 6")
    t.sql("INSERT INTO t PARTITION (p = 'a', q = 'x') SELECT 7")
    t.sql("INSERT INTO t PARTITION (nope = 1) SELECT 8")
    t.sql("INSERT INTO t PARTITION (id = 1) SELECT 'a', 2")
    t.sql("INSERT INTO t PARTITION (p = 'a', q = 1) SELECT 1, 2")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_insert_not_null(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT NOT NULL, b: INT>) USING delta")
    t.sql("INSERT INTO t VALUES (1, named_struct('a', 1, 'b', NULL))")
    t.sql("INSERT INTO t VALUES (NULL, named_struct('a', 1, 'b', 2))")
    t.sql("INSERT INTO t SELECT nullif(id, 1), named_struct('a', 1, 'b', 2) FROM range(3)")
    t.sql("INSERT INTO t VALUES (2, named_struct('a', CAST(NULL AS INT), 'b', 2))")
    t.sql("INSERT INTO t VALUES (3, NULL)")
    t.sql("INSERT INTO t (s) VALUES (named_struct('a', 1, 'b', 2))")
    t.sql("INSERT INTO t BY NAME SELECT named_struct('a', 1, 'b', 2) AS s")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_insert_not_null_partition_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING NOT NULL) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("INSERT INTO t VALUES (2, NULL)")
    t.sql("INSERT INTO t VALUES (3, '')")
    t.sql("SELECT * FROM t")


def case_insert_casts_ansi(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (b TINYINT, i INT, d DECIMAL(4,1), f FLOAT, s STRING, at DATE) USING delta"
    )
    t.sql("INSERT INTO t VALUES (1L, 2L, 3.14, 4.5D, 6, TIMESTAMP'2020-01-02 03:04:05')")
    t.sql("INSERT INTO t (b) VALUES (300)")
    t.sql("INSERT INTO t (b) SELECT id FROM range(299, 301)")
    t.sql("INSERT INTO t (i) VALUES (3000000000)")
    t.sql("INSERT INTO t (i) VALUES ('12')")
    t.sql("INSERT INTO t (i) VALUES ('x')")
    t.sql("INSERT INTO t (d) VALUES (12345.6)")
    t.sql("INSERT INTO t (at) VALUES ('2020-01-01')")
    t.sql("INSERT INTO t (i) VALUES (true)")
    t.sql("INSERT INTO t (i) VALUES (array(1))")
    t.sql("INSERT INTO t (i) VALUES (1.9)")
    t.sql("SELECT * FROM t")


def case_insert_casts_legacy(t: Recorder) -> None:
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    t.sql("CREATE TABLE t (b TINYINT, i INT, d DECIMAL(4,1), at DATE) USING delta")
    t.sql("INSERT INTO t (b) VALUES (300)")
    t.sql("INSERT INTO t (i) VALUES ('x')")
    t.sql("INSERT INTO t (i) VALUES ('12')")
    t.sql("INSERT INTO t (d) VALUES (12345.6)")
    t.sql("INSERT INTO t (at) VALUES ('nope')")
    t.conf("spark.sql.ansi.enabled", "false")
    t.sql("INSERT INTO t (b) VALUES (300)")
    t.sql("INSERT INTO t (i) VALUES ('x')")
    t.sql("INSERT INTO t (d) VALUES (12345.6)")
    t.sql("SELECT * FROM t")


def case_insert_casts_strict(t: Recorder) -> None:
    t.conf("spark.sql.storeAssignmentPolicy", "STRICT")
    t.sql("CREATE TABLE t (i INT, n BIGINT) USING delta")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("INSERT INTO t VALUES (1L, 2)")
    t.sql("SELECT * FROM t")


def case_insert_nested_values(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT, b: STRUCT<c: STRING>>, l ARRAY<STRUCT<x: INT>>,
        m MAP<STRING, STRUCT<y: BIGINT>>) USING delta""")
    t.sql("""INSERT INTO t VALUES (named_struct('a', 1, 'b', named_struct('c', 'x')),
        array(named_struct('x', 1), NULL), map('k', named_struct('y', 2)))""")
    t.sql("""INSERT INTO t SELECT named_struct('q', 1L, 'r', named_struct('z', 5)),
        array(named_struct('n', 1.0)), map('k', named_struct('y', 2))""")
    t.sql("INSERT INTO t (s) SELECT named_struct('b', named_struct('c', 'x'), 'a', 1)")
    t.sql("INSERT INTO t (s) SELECT named_struct('a', 1)")
    t.sql("INSERT INTO t BY NAME SELECT named_struct('b', named_struct('c', 'y'), 'a', 2) AS s")
    t.sql("INSERT INTO t BY NAME SELECT named_struct('a', 1) AS s")
    t.sql("INSERT INTO t BY NAME SELECT named_struct('a', 1, 'b', NULL, 'e', 3) AS s")
    t.sql("INSERT INTO t VALUES (NULL, NULL, NULL)")
    t.sql("SELECT * FROM t")


def case_insert_nothing(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t SELECT 1 WHERE false")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_insert_default_keyword(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, DEFAULT)")
    t.sql("INSERT INTO t (name) VALUES (DEFAULT)")
    t.sql("SELECT * FROM t")


def case_insert_into_missing_or_view(t: Recorder) -> None:
    t.sql("INSERT INTO nope VALUES (1)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("INSERT INTO v VALUES (1)")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.sql("INSERT INTO w VALUES (1)")
    t.sql("SELECT * FROM t")


def case_insert_with_cte_and_subquery(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, n BIGINT) USING delta")
    t.sql("WITH s AS (SELECT id FROM range(3)) INSERT INTO t SELECT id, 1 FROM s")
    t.sql("INSERT INTO t WITH s AS (SELECT max(id) AS m FROM t) SELECT m + 1, 2 FROM s")
    t.sql("INSERT INTO t SELECT (SELECT max(id) FROM t) + 1, 3")
    t.sql("SELECT * FROM t")


def case_insert_appends_to_append_only(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT OVERWRITE t VALUES (2)")
    t.attempt(
        "overwrite",
        lambda: (
            t.spark.range(1)
            .selectExpr("CAST(id AS INT) AS id")
            .write.format("delta")
            .mode("overwrite")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")


def case_insert_user_metadata(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "from the session")
    t.sql("INSERT INTO t VALUES (1)")
    t.attempt(
        "option wins",
        lambda: (
            t.spark.sql("SELECT 2 AS id")
            .write.format("delta")
            .mode("append")
            .option("userMetadata", "from the writer")
            .saveAsTable("t")
        ),
    )
    t.history("t")


def case_insert_many_rows_from_one_query(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, p INT) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t SELECT id, CAST(id % 3 AS INT) FROM range(0, 1000, 1, 4)")
    t.sql("SELECT p, count(*) AS n, min(id) AS lo, max(id) AS hi FROM t GROUP BY p ORDER BY p")
    t.log("t", 1)
