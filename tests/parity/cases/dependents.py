"""Columns that something of the table depends on: renamed, dropped, retyped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

BOTH = "'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"
MAPPED = f"TBLPROPERTIES ({BOTH})"
AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"


def _alter(t: Recorder, *changes: str, table: str = "t") -> None:
    for change in changes:
        t.sql(f"ALTER TABLE {table} {change}")


def case_constrained_column(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT, c INT) USING delta {MAPPED}")
    _alter(t, "ADD CONSTRAINT c1 CHECK (a > 0)", "ADD CONSTRAINT c2 CHECK (A + b < 100)")
    _alter(
        t,
        "RENAME COLUMN a TO d",
        "RENAME COLUMN B TO d",
        "DROP COLUMN a",
        "DROP COLUMNS (c, b)",
        "ALTER COLUMN a TYPE BIGINT",
    )
    _alter(t, "ALTER COLUMN a COMMENT 'x'", "ALTER COLUMN a FIRST", "RENAME COLUMN c TO d")
    t.sql("INSERT INTO t VALUES (1, 2, 3)")
    t.history("t")


def case_constrained_column_is_free_again(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta {MAPPED}")
    _alter(t, "ADD CONSTRAINT c CHECK (a > 0)", "RENAME COLUMN a TO d", "DROP CONSTRAINT c")
    _alter(t, "RENAME COLUMN a TO d", "ALTER COLUMN d TYPE BIGINT", "DROP COLUMN d")
    t.sql("SELECT * FROM t")


def case_constrained_fields(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE t (s STRUCT<x: INT, y: INT, z: STRUCT<q: INT>>, b INT) USING delta {MAPPED}"
    )
    _alter(t, "ADD CONSTRAINT c CHECK (s.x > 0 AND s.z.q > 0)")
    _alter(
        t,
        "RENAME COLUMN s TO r",
        "RENAME COLUMN s.x TO r",
        "RENAME COLUMN s.z TO r",
        "DROP COLUMN s.x",
        "DROP COLUMN s",
        "ALTER COLUMN s.z.q TYPE BIGINT",
        "RENAME COLUMN s.y TO r",
        "DROP COLUMN s.r",
    )
    t.sql("DESCRIBE t")


def case_constrained_names_to_quote(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (`a b` INT, `c.d` INT, e INT) USING delta {MAPPED}")
    _alter(t, "ADD CONSTRAINT c CHECK (`a b` > 0)", "ADD CONSTRAINT d CHECK (`c.d` > 0)")
    _alter(t, "RENAME COLUMN `a b` TO x", "RENAME COLUMN `c.d` TO x", "DROP COLUMN `c.d`")
    t.sql("DESCRIBE t")


def case_constrained_elements(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (m MAP<STRING, STRUCT<k: INT, j: INT>>, l ARRAY<STRUCT<q: INT>>,
        z INT) USING delta {MAPPED}""")
    _alter(
        t,
        "ADD CONSTRAINT c1 CHECK (m IS NULL OR size(m) > 0)",
        "ADD CONSTRAINT c2 CHECK (l IS NULL OR size(l) > 0)",
    )
    _alter(t, "RENAME COLUMN m TO n", "RENAME COLUMN l TO n", "RENAME COLUMN z TO n")


def case_evolution_of_constrained_columns(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT, s STRUCT<x: INT>) USING delta {MAPPED}")
    _alter(t, "ADD CONSTRAINT c1 CHECK (a > 0)", "ADD CONSTRAINT c2 CHECK (s.x > 0)")
    t.conf(AUTO_MERGE, "true")
    t.sql("INSERT INTO t SELECT 5L AS a, 6 AS b, named_struct('x', 3) AS s")
    t.sql("INSERT INTO t SELECT 5 AS a, 6L AS b, named_struct('x', 3L) AS s")
    t.sql("INSERT INTO t SELECT 5 AS a, 6L AS b, named_struct('x', 3) AS s, 1 AS n")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")


def case_partition_column_follows(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, p INT, q STRING) USING delta PARTITIONED BY (p, q) {MAPPED}")
    t.sql("INSERT INTO t VALUES (1, 2, 'x')")
    _alter(t, "RENAME COLUMN p TO r", "RENAME COLUMN Q TO `q 2`")
    t.sql("INSERT INTO t VALUES (3, 4, 'y')")
    t.sql("SELECT * FROM t WHERE r = 4 AND `q 2` = 'y'")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    _alter(t, "DROP COLUMN r", "DROP COLUMNS (a, r)", "DROP COLUMN `q 2`")
    t.detail("t")
    t.history("t")


def case_clustering_column_follows(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT, s STRUCT<x: INT>) USING delta CLUSTER BY (a) {MAPPED}")
    _alter(t, "RENAME COLUMN a TO d", "DROP COLUMN d", "DROP COLUMNS (b, d)")
    t.sql("INSERT INTO t VALUES (1, 2, struct(3))")
    _alter(t, "CLUSTER BY (d, s.x)", "RENAME COLUMN s TO r", "RENAME COLUMN r.x TO y")
    _alter(t, "DROP COLUMN b", "CLUSTER BY NONE", "DROP COLUMN d")
    t.sql("SELECT * FROM t")
    t.detail("t")


def case_statistics_columns_follow(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (a INT, b INT, s STRUCT<x: INT, y: INT>, n INT) USING delta
        TBLPROPERTIES ({BOTH}, 'delta.dataSkippingStatsColumns' = 'a,s.x,n')""")
    t.sql("INSERT INTO t VALUES (1, 2, struct(3, 4), 5)")
    _alter(t, "RENAME COLUMN a TO c", "RENAME COLUMN s TO r", "RENAME COLUMN r.x TO z")
    t.sql("SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns')")
    t.sql("INSERT INTO t VALUES (1, 2, struct(3, 4), 5)")
    _alter(t, "DROP COLUMN r")
    t.sql("SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns')")
    _alter(t, "DROP COLUMNS (c, n)")
    t.sql("SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns')")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("SELECT * FROM t")


def case_default_follows(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (a INT DEFAULT 7, b INT) USING delta
        TBLPROPERTIES ({BOTH}, 'delta.feature.allowColumnDefaults' = 'supported')""")
    _alter(t, "RENAME COLUMN a TO c")
    t.sql("INSERT INTO t (b) VALUES (1)")
    _alter(t, "ALTER COLUMN c COMMENT 'x'")
    t.sql("INSERT INTO t (b) VALUES (2)")
    _alter(t, "ALTER COLUMN c TYPE BIGINT")
    t.sql("INSERT INTO t (b) VALUES (3)")
    t.sql("SELECT * FROM t")


def case_not_null(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE t (a INT NOT NULL, s STRUCT<x: INT NOT NULL> NOT NULL) USING delta {MAPPED}"
    )
    _alter(t, "ALTER COLUMN a SET NOT NULL", "ALTER COLUMN s.x DROP NOT NULL")
    _alter(t, "RENAME COLUMN a TO b", "ALTER COLUMN b TYPE BIGINT")
    t.sql("INSERT INTO t VALUES (NULL, struct(1))")
    t.sql("INSERT INTO t VALUES (1, struct(NULL))")
    t.sql("INSERT INTO t VALUES (1, NULL)")
    _alter(t, "ALTER COLUMN b DROP NOT NULL", "ALTER COLUMN s DROP NOT NULL")
    t.sql("INSERT INTO t VALUES (NULL, NULL)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.history("t")


def case_overwritten_schema_with_constraints(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta {MAPPED}")
    _alter(t, "ADD CONSTRAINT c CHECK (a > 0)")

    def overwrite(query: str) -> None:
        frame = t.spark.sql(query).write.format("delta").mode("overwrite")
        frame.option("overwriteSchema", "true").saveAsTable("t")

    t.attempt("another type", lambda: overwrite("SELECT 1L AS a, 2 AS b"))
    t.attempt("no such column", lambda: overwrite("SELECT 2 AS b"))
    t.attempt("a violation", lambda: overwrite("SELECT -1 AS a, 2 AS b"))
    t.sql("SELECT * FROM t")
    t.sql("SHOW TBLPROPERTIES t ('delta.constraints.c')")
