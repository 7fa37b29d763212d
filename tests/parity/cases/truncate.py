"""TRUNCATE TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_truncate_takes_every_row(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    t.sql("INSERT INTO t VALUES (3, 'c')")
    t.sql("TRUNCATE TABLE t")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t VERSION AS OF 2")
    t.log("t", 3)
    t.history("t")


def case_truncate_empty_table_makes_no_version(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("TRUNCATE TABLE t")
    t.history("t")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("TRUNCATE TABLE t")
    t.sql("TRUNCATE TABLE t")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_truncate_partitioned_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'c')")
    t.sql("TRUNCATE TABLE t")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.detail("t")


def case_truncate_append_only_is_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    t.sql("TRUNCATE TABLE t")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("TRUNCATE TABLE t")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_truncate_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    t.sql(f"TRUNCATE TABLE delta.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.log(t.path, 2)
    t.history(f"delta.`{t.path}`")


def case_truncate_what_is_no_table(t: Recorder) -> None:
    t.sql("TRUNCATE TABLE nope")
    t.sql(f"TRUNCATE TABLE delta.`{t.path}`")
    t.sql("CREATE TABLE d (id INT) USING delta")
    t.sql("CREATE VIEW v AS SELECT * FROM d")
    t.sql("TRUNCATE TABLE v")
    t.sql("CREATE TEMPORARY VIEW w AS SELECT * FROM d")
    t.sql("TRUNCATE TABLE w")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("INSERT INTO p VALUES (1)")
    t.sql("TRUNCATE TABLE p")
    t.sql("SELECT * FROM p")


def case_truncate_with_user_metadata(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "cleared")
    t.sql("TRUNCATE TABLE t")
    t.history("t")


def case_truncate_with_row_tracking(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    t.sql("INSERT INTO t VALUES (1), (2)")
    t.sql("TRUNCATE TABLE t")
    t.log("t", 2)
    t.sql("INSERT INTO t VALUES (3)")
    t.log("t", 3)
