"""CREATE TABLE LIKE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_like_copies_what_a_table_says(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE s (id INT NOT NULL COMMENT 'k', p STRING, c CHAR(3)) USING delta"
        " PARTITIONED BY (p) COMMENT 'source'"
        " TBLPROPERTIES ('delta.appendOnly' = 'true', 'x' = 'y')"
    )
    t.sql("INSERT INTO s VALUES (1, 'a', 'abc')")
    t.sql("CREATE TABLE t LIKE s")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t")
    t.history("t")
    t.detail("t")


def case_like_with_properties(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT) USING delta TBLPROPERTIES ('x' = 'y', 'k' = '1')")
    t.sql("CREATE TABLE t LIKE s USING delta TBLPROPERTIES ('x' = 'z', 'n' = 'm')")
    t.log("t")
    t.sql("CREATE TABLE u LIKE s TBLPROPERTIES ('delta.appendOnly' = 'true')")
    t.log("u")
    t.sql("CREATE TABLE w LIKE s TBLPROPERTIES ('delta.nope' = 'true')")
    t.sql("SHOW TABLES")


def case_like_at_a_location(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT) USING delta")
    t.sql(f"CREATE TABLE t LIKE s LOCATION '{t.path}'")
    t.log(t.path)
    t.detail("t")
    t.history("t")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql(f"CREATE TABLE u LIKE s LOCATION '{t.path}'")
    t.sql("CREATE TABLE w (other STRING) USING delta")
    t.sql(f"CREATE TABLE x LIKE w LOCATION '{t.path}'")
    t.sql("SHOW TABLES")


def case_like_if_not_exists(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT) USING delta")
    t.sql("CREATE TABLE t (other STRING) USING delta")
    t.sql("CREATE TABLE t LIKE s USING delta")
    t.sql("CREATE TABLE IF NOT EXISTS t LIKE s USING delta")
    t.sql("DESCRIBE t")
    t.sql("CREATE TABLE IF NOT EXISTS u LIKE s USING delta")
    t.sql("DESCRIBE u")
    t.sql("CREATE VIEW v AS SELECT 1 AS a")
    t.sql("CREATE TABLE v LIKE s USING delta")


def case_like_of_another_format(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE s (id INT COMMENT 'k', p STRING) USING parquet PARTITIONED BY (p)"
        " COMMENT 'source' TBLPROPERTIES ('x' = 'y')"
    )
    t.sql("CREATE TABLE t LIKE s USING delta")
    t.log("t")
    t.detail("t")
    t.history("t")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("SELECT * FROM t")
    t.sql("CREATE TABLE u LIKE s")
    t.detail("u")


def case_like_into_another_format(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("CREATE TABLE t LIKE s USING parquet")
    t.sql("DESCRIBE t")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("SELECT * FROM t")


def case_like_of_what_is_no_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t LIKE nope USING delta")
    t.sql("CREATE VIEW v AS SELECT 1 AS id, 'a' AS name")
    t.sql("CREATE TABLE t LIKE v USING delta")
    t.sql("DESCRIBE t")
    t.sql("CREATE TEMPORARY VIEW w AS SELECT 1 AS id")
    t.sql("CREATE TABLE u LIKE w USING delta")
    t.sql("DESCRIBE u")
    t.sql(f"CREATE TABLE x LIKE delta.`{t.path}` USING delta")
    t.sql("CREATE TABLE nope.x LIKE v USING delta")
    t.sql("SHOW TABLES")


def case_like_of_paths(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"CREATE TABLE t LIKE delta.`{t.path}` USING delta")
    t.sql("DESCRIBE t")
    t.sql(f"CREATE TABLE delta.`{t.folder('u')}` LIKE t USING delta")
    t.sql(f"CREATE TABLE delta.`{t.folder('u')}` LIKE delta.`{t.path}` USING delta")


def case_like_takes_features_along(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE s (id INT) USING delta TBLPROPERTIES"
        " ('delta.enableDeletionVectors' = 'true', 'delta.feature.v2Checkpoint' = 'supported')"
    )
    t.sql("CREATE TABLE t LIKE s")
    t.log("t")
    t.sql("CREATE TABLE r (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    t.sql("INSERT INTO r VALUES (1)")
    t.sql("CREATE TABLE u LIKE r")
    t.log("u")
    t.sql("INSERT INTO u VALUES (1)")
    t.log("u", 1)


def case_like_with_other_clauses(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT) USING delta")
    t.sql("CREATE TABLE t LIKE s STORED AS parquet")
    t.sql("CREATE TABLE t LIKE s USING delta COMMENT 'x'")
    t.sql("CREATE TABLE t LIKE s VERSION AS OF 0")
    t.sql("CREATE OR REPLACE TABLE t LIKE s USING delta")
    t.sql("CREATE EXTERNAL TABLE t LIKE s USING delta")
    t.sql("CREATE TABLE t LIKE s PARTITIONED BY (id)")
    t.sql("SHOW TABLES")
