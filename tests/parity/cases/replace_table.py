"""Tables that are replaced, and statements on them that fail half-way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

_FAILS = "SELECT id, CAST(if(id = 3, 'x', '1') AS INT) AS n FROM range(0, 5, 1, 2)"


def case_replace_keeps_history_and_time_travel(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 'x' AS name")
    t.sql("REPLACE TABLE t (n INT) USING delta")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 2")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.history("t")


def case_failing_ctas_leaves_no_table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t USING delta AS {_FAILS}")
    t.sql("SHOW TABLES")
    t.sql("SELECT * FROM t")
    t.sql(f"CREATE TABLE u USING delta LOCATION '{t.path}' AS {_FAILS}")
    t.sql(f"CREATE TABLE delta.`{t.folder('p')}` USING delta AS {_FAILS}")
    t.sql("SHOW TABLES")


def case_failing_rtas_keeps_the_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql(f"REPLACE TABLE t USING delta AS {_FAILS}")
    t.sql(f"CREATE OR REPLACE TABLE t USING delta AS {_FAILS}")
    t.sql("SELECT * FROM t")
    t.history("t")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 2 AS id")
    t.sql("SELECT * FROM t")


def case_replace_at_a_path(t: Recorder) -> None:
    t.sql(f"CREATE OR REPLACE TABLE delta.`{t.path}` (id INT) USING delta COMMENT 'one'")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    t.sql(f"REPLACE TABLE delta.`{t.path}` (n STRING) USING delta COMMENT 'two'")
    t.log(t.path)
    t.sql(f"SELECT * FROM delta.`{t.path}` VERSION AS OF 1")
    t.sql(f"REPLACE TABLE delta.`{t.folder('nope')}` (n STRING) USING delta")


def case_replace_of_an_external_table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT) USING delta LOCATION '{t.path}'")
    t.sql("CREATE OR REPLACE TABLE t (n INT) USING delta")
    t.detail("t")
    t.sql(f"CREATE OR REPLACE TABLE t (m INT) USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE OR REPLACE TABLE t (m INT) USING delta LOCATION '{t.folder('other')}'")
    t.history("t")
    t.sql(f"CREATE OR REPLACE TABLE u (m INT) USING delta LOCATION '{t.path}'")
    t.sql(f"REPLACE TABLE w (m INT) USING delta LOCATION '{t.path}'")


def case_replace_properties_and_features(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta COMMENT 'c' TBLPROPERTIES"
        " ('delta.enableChangeDataFeed' = 'false', 'delta.enableDeletionVectors' = 'true',"
        " 'delta.checkpointPolicy' = 'v2', 'delta.logRetentionDuration' = 'interval 50 days',"
        " 'delta.deletedFileRetentionDuration' = 'interval 5 days', 'a' = 'b')"
    )
    t.sql("REPLACE TABLE t (id INT) USING delta TBLPROPERTIES ('c' = 'd')")
    t.log("t", 1)
    t.detail("t")
    t.sql("SHOW TBLPROPERTIES t")


def case_replace_partitioning(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta PARTITIONED BY (p) AS SELECT 1 AS id, 'a' AS p")
    t.sql("CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (id) AS SELECT 2 AS id, 'b' AS p")
    t.sql("SELECT * FROM t")
    t.sql("CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (nope) AS SELECT 2 AS id")
    t.sql("CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (id) AS SELECT 2 AS id")
    t.sql("REPLACE TABLE t (id INT, p INT) USING delta PARTITIONED BY (nope)")
    t.sql("REPLACE TABLE t (id INT) USING delta PARTITIONED BY (id)")
    t.detail("t")
    t.history("t")


def case_comments_of_tables_and_columns(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT COMMENT 'the key', s STRUCT<a: INT COMMENT 'inner'>) USING delta"
        " COMMENT 'one'"
    )
    t.sql("DESCRIBE t")
    t.sql("COMMENT ON TABLE t IS 'it''s two'")
    t.detail("t")
    t.sql("COMMENT ON TABLE t IS NULL")
    t.detail("t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('comment' = 'three')")
    t.detail("t")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('comment')")
    t.detail("t")
    t.log("t", 1)
    t.history("t")
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"COMMENT ON TABLE delta.`{t.path}` IS 'a path'")
    t.detail(f"delta.`{t.path}`")
    t.sql("COMMENT ON TABLE nope IS 'x'")


def case_features_as_properties_ask(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES"
        " ('delta.enableDeletionVectors' = 'true', 'delta.enableInCommitTimestamps' = 'true')"
    )
    t.detail("t")
    t.sql(
        "CREATE TABLE u (id INT NOT NULL) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')"
    )
    t.detail("u")
    t.sql("CREATE TABLE v (ts TIMESTAMP_NTZ) USING delta")
    t.detail("v")
    t.sql(
        "CREATE TABLE w (id INT DEFAULT 3) USING delta"
        " TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )
    t.detail("w")
    t.sql("CREATE TABLE x (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')")
    t.detail("x")
    t.sql("CREATE TABLE y (id INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    t.detail("y")
