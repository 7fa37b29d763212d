"""CREATE TABLE AS SELECT, REPLACE TABLE and CREATE OR REPLACE TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_ctas_plain(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT id, id % 2 = 0 AS even FROM range(4)")
    t.sql("SELECT * FROM t")
    t.log("t")
    t.history("t")


def case_ctas_every_clause(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE IF NOT EXISTS t USING delta PARTITIONED BY (p) COMMENT 'made'
        LOCATION '{t.path}' TBLPROPERTIES ('delta.appendOnly' = 'true', 'x' = 'y')
        AS SELECT 1 AS id, 'a' AS p UNION ALL SELECT 2, NULL""")
    t.sql("SELECT * FROM t")
    t.log(t.path)
    t.history("t")


def case_ctas_if_not_exists_leaves_the_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS a")
    t.sql("CREATE TABLE IF NOT EXISTS t USING delta AS SELECT 2 AS b")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_ctas_empty_result(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS a WHERE false")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_ctas_nullability_and_comments(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT NOT NULL COMMENT 'k', c CHAR(3)) USING delta")
    t.sql("CREATE TABLE t USING delta AS SELECT id, c, id + 1 AS n FROM s")
    t.log("t")


def case_ctas_failing_query_leaves_nothing(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT CAST('x' AS INT) AS n FROM range(3)")
    t.sql("CREATE TABLE t USING delta AS SELECT nope FROM range(3)")
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS a, 2 AS A")
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS `a b`")
    t.sql("CREATE TABLE t USING delta PARTITIONED BY (q) AS SELECT 1 AS a")
    t.sql("CREATE TABLE t USING delta AS SELECT INTERVAL '1' DAY AS i")
    t.sql("SHOW TABLES")
    t.sql("CREATE TABLE u USING delta AS SELECT 1, 'x', 2 + 3")
    t.sql("SELECT * FROM u")
    t.value("table folder", lambda: sorted(p.name for p in t.place("t").glob("*")))


def case_ctas_void_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id, NULL AS nothing")
    t.sql("SELECT id FROM t")


def case_ctas_path_identifier(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta AS SELECT 7 AS id")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.log(t.path)
    t.sql(f"CREATE TABLE delta.`{t.path}` USING delta AS SELECT 8 AS id")
    t.sql(f"CREATE OR REPLACE TABLE delta.`{t.path}` USING delta AS SELECT 9 AS n")
    t.sql(f"SELECT * FROM delta.`{t.path}`")


def case_replace_missing_table(t: Recorder) -> None:
    t.sql("REPLACE TABLE t (id INT) USING delta")
    t.sql("REPLACE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("SHOW TABLES")


def case_replace_table_changes_everything(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p) COMMENT 'old'"
        " TBLPROPERTIES ('x' = 'y', 'delta.enableInCommitTimestamps' = 'false')"
    )
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    t.sql("REPLACE TABLE t (n BIGINT COMMENT 'new') USING delta COMMENT 'later'")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")
    t.detail("t")


def case_replace_as_select_from_itself(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT id FROM range(3)")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT id * 10 AS ten FROM t WHERE id > 0")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.log("t", 1)
    t.history("t")


def case_replace_as_select_keeps_nothing(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t USING delta PARTITIONED BY (p) TBLPROPERTIES ('k' = 'v')"
        " AS SELECT 1 AS id, 2 AS p"
    )
    t.sql("REPLACE TABLE t USING delta TBLPROPERTIES ('n' = 'm') AS SELECT 'x' AS only")
    t.log("t", 1)
    t.detail("t")


def case_create_or_replace_new_and_existing(t: Recorder) -> None:
    t.sql("CREATE OR REPLACE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("CREATE OR REPLACE TABLE t (id INT) USING delta")
    t.sql("CREATE OR REPLACE TABLE u USING delta AS SELECT 1 AS id")
    t.sql("SELECT * FROM t")
    t.history("t")
    t.history("u")
    t.log("u")


def case_create_or_replace_other_provider(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING parquet")
    t.sql("CREATE OR REPLACE TABLE t (id INT) USING delta")
    t.sql("REPLACE TABLE t (id INT) USING delta")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("SELECT * FROM t")


def case_replace_delta_by_other_provider(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE OR REPLACE TABLE t (id INT) USING parquet")
    t.sql("SELECT * FROM t")


def case_replace_failing_query_keeps_the_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("REPLACE TABLE t USING delta AS SELECT CAST('x' AS INT) AS n FROM range(3)")
    t.sql("REPLACE TABLE t (`a b` INT) USING delta")
    t.sql("REPLACE TABLE t USING delta")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_replace_append_only_table(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t USING delta TBLPROPERTIES ('delta.appendOnly' = 'true') AS SELECT 1 AS id"
    )
    t.sql("REPLACE TABLE t (id INT) USING delta")
    t.sql("INSERT OVERWRITE t SELECT 2")
    t.sql("SELECT * FROM t")


def case_ctas_reads_other_formats_and_joins(t: Recorder) -> None:
    t.sql("CREATE TABLE a USING parquet AS SELECT id, id * 2 AS d FROM range(5)")
    t.sql("CREATE TABLE b USING delta AS SELECT id, 'n' || id AS name FROM range(3)")
    t.sql("CREATE TABLE t USING delta AS SELECT a.id, d, name FROM a JOIN b ON a.id = b.id")
    t.sql("SELECT * FROM t")
