"""Files older than a type change: read, skipped, copied and travelled to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

ALLOWED = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"


def _widened(t: Recorder, properties: str = ALLOWED) -> None:
    t.sql(f"""CREATE TABLE t (id INT, i INT, f FLOAT, d DECIMAL(6,2), s STRUCT<x: SMALLINT>)
        USING delta {properties}""")
    t.sql("""INSERT INTO t SELECT /*+ COALESCE(1) */ * FROM VALUES
        (1, 5, 1.1F, 1.25BD, named_struct('x', 7S)), (2, -6, NULL, NULL, NULL)""")
    for column, kind in [
        ("i", "BIGINT"),
        ("f", "DOUBLE"),
        ("d", "DECIMAL(12,4)"),
        ("s.x", "BIGINT"),
    ]:
        t.sql(f"ALTER TABLE t ALTER COLUMN {column} TYPE {kind}")
    t.sql("INSERT INTO t VALUES (3, 3000000000, 1.1D, 12345678.1234, struct(3000000000))")


def case_widened_filters(t: Recorder) -> None:
    _widened(t)
    for condition in [
        "i > 5",
        "i = 5",
        "i < 3000000000",
        "i IN (5, 3000000000)",
        "f = 1.1D",
        "f > 1.1D",
        "d = 1.25",
        "d > 2.0001",
        "s.x = 7",
        "s.x > 10",
        "f IS NULL",
        "s IS NULL",
        "s.x IS NOT NULL AND i > 0",
    ]:
        t.sql(f"SELECT id FROM t WHERE {condition}")


def case_widened_aggregates(t: Recorder) -> None:
    _widened(t)
    t.sql("SELECT count(*), min(i), max(i) FROM t")
    t.sql("SELECT min(d), max(d), min(id) FROM t")
    t.sql("SELECT min(f), max(f) FROM t")
    t.sql("SELECT sum(i), sum(d), avg(s.x) FROM t")
    t.sql("SELECT i, count(*) FROM t GROUP BY i")


def case_widened_time_travel(t: Recorder) -> None:
    _widened(t)
    for version in (1, 2, 5, 6):
        t.sql(f"SELECT * FROM t VERSION AS OF {version}")
    t.sql("SELECT a.i, b.i FROM t VERSION AS OF 1 a JOIN t b ON a.id = b.id")


def case_widened_rows_are_copied(t: Recorder) -> None:
    _widened(t)
    t.sql("INSERT INTO t REPLACE WHERE i > 0 SELECT 9, 1, 2.5D, 3.5, struct(4L)")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t REPLACE WHERE id = 9 SELECT 9, 2, 2.5D, 3.5, struct(4L)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_widened_overwrite(t: Recorder) -> None:
    _widened(t)
    t.sql("INSERT OVERWRITE t VALUES (4, 1, 2, 3, struct(4))")
    t.sql("SELECT * FROM t")
    t.log("t", 7)


def case_widened_with_mapped_columns(t: Recorder) -> None:
    _widened(
        t,
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.columnMapping.mode' = 'name')",
    )
    t.sql("ALTER TABLE t RENAME COLUMN i TO j")
    t.sql("ALTER TABLE t ALTER COLUMN j TYPE DECIMAL(22,2)")
    t.sql("ALTER TABLE t RENAME COLUMN s.x TO y")
    t.sql("INSERT INTO t VALUES (4, 1.25, 1, 1, struct(1))")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE j > 1 AND s.y > 6")


def case_widened_then_merged(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i TINYINT) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t ALTER COLUMN i TYPE INT")
    t.conf("spark.databricks.delta.schema.autoMerge.enabled", "true")
    t.sql("INSERT INTO t SELECT 3000000000 AS i")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_widened_view_and_cache(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT) USING delta {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("CREATE VIEW v AS SELECT i FROM t")
    t.sql("CREATE TEMPORARY VIEW w AS SELECT i FROM t")
    t.sql("CACHE TABLE t")
    t.sql("ALTER TABLE t ALTER COLUMN i TYPE BIGINT")
    t.sql("INSERT INTO t VALUES (3000000000)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM v")
    t.sql("SELECT * FROM w")
    t.sql("DESCRIBE t")


def case_widened_clustering_column(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a) {ALLOWED}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("ALTER TABLE t ALTER COLUMN a TYPE BIGINT")
    t.sql("INSERT INTO t VALUES (3000000000, 2)")
    t.sql("SELECT * FROM t WHERE a > 1")
    t.detail("t")


def case_widened_overwritten_schema(t: Recorder) -> None:
    _widened(t)

    def overwrite(query: str) -> None:
        frame = t.spark.sql(query).write.format("delta").mode("overwrite")
        frame.option("overwriteSchema", "true").saveAsTable("t")

    t.attempt("narrower", lambda: overwrite("SELECT 1 AS id, 2 AS i, 'x' AS f"))
    t.sql("SELECT * FROM t")
    t.attempt("wider", lambda: overwrite("SELECT 1L AS id, 'y' AS i, 'x' AS f"))
    t.sql("SELECT * FROM t")
    t.log("t", 7)
