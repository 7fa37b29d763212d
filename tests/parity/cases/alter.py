"""ALTER TABLE SET and UNSET TBLPROPERTIES, RENAME TO, COMMENT ON, and DROP TABLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_alter_set_and_unset_properties(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('a' = '1')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('b' = '2', 'delta.appendOnly' = 'true', 'a' = '9')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('a')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('nope')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('nope', 'delta.appendOnly')")
    t.sql("SHOW TBLPROPERTIES t")
    t.log("t", 1)
    t.history("t")


def case_alter_property_same_value_again(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('a' = '1')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('a' = '1')")
    t.history("t")


def case_alter_property_values(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.nope' = '1')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'perhaps')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '0')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('DELTA.logretentionduration' = '40 days')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = '2 months')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'zigzag')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('location' = '/x')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('provider' = 'parquet')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.minWriterVersion')")
    t.sql("SHOW TBLPROPERTIES t")
    t.history("t")


def case_alter_protocol_properties(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '4')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '2')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.appendOnly' = 'supported')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.nope' = 'supported')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.domainMetadata' = 'supported')")
    t.log("t", 1)
    t.sql("SHOW TBLPROPERTIES t")


def case_alter_properties_of_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"ALTER TABLE delta.`{t.path}` SET TBLPROPERTIES ('x' = 'y')")
    t.sql(f"SHOW TBLPROPERTIES delta.`{t.path}`")
    t.sql(f"ALTER TABLE delta.`{t.path}` UNSET TBLPROPERTIES ('x')")
    t.history(f"delta.`{t.path}`")
    t.sql("ALTER TABLE nope SET TBLPROPERTIES ('x' = 'y')")
    t.sql(f"ALTER TABLE delta.`{t.folder('nope')}` SET TBLPROPERTIES ('x' = 'y')")


def case_alter_rename(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t RENAME TO u")
    t.sql("SELECT * FROM u")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO u VALUES (2)")
    t.history("u")
    t.sql("CREATE TABLE v (id INT) USING delta")
    t.sql("ALTER TABLE u RENAME TO v")
    t.sql("ALTER TABLE nope RENAME TO w")
    t.sql("SHOW TABLES")


def case_alter_rename_external_and_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT) USING delta LOCATION '{t.path}'")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t RENAME TO u")
    t.sql("SELECT * FROM u")
    t.detail("u")
    t.sql(f"ALTER TABLE delta.`{t.path}` RENAME TO w")
    t.sql("ALTER TABLE u RENAME TO default.parity_elsewhere")


def case_alter_comment_on_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("COMMENT ON TABLE t IS 'said later'")
    t.detail("t")
    t.sql("COMMENT ON TABLE t IS NULL")
    t.history("t")
    t.log("t", 1)


def case_drop_managed(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("DROP TABLE t")
    t.value("folder is gone", lambda: not t.place("t").exists())
    t.sql("SELECT * FROM t")
    t.sql("DROP TABLE t")
    t.sql("DROP TABLE IF EXISTS t")
    t.sql("CREATE TABLE t (other STRING) USING delta")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_drop_of_views_and_paths(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("DROP TABLE v")
    t.sql("DROP VIEW t")
    t.sql("DROP TABLE t")
    t.sql("SELECT * FROM v")
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"DROP TABLE delta.`{t.path}`")
    t.sql(f"SELECT * FROM delta.`{t.path}`")


def case_drop_schema_with_tables(t: Recorder) -> None:
    t.sql("CREATE SCHEMA parity_other")
    t.sql("CREATE TABLE parity_other.t (id INT) USING delta")
    t.sql("INSERT INTO parity_other.t VALUES (1)")
    t.sql("DROP SCHEMA parity_other")
    t.sql("DROP SCHEMA parity_other CASCADE")
    t.sql("SELECT * FROM parity_other.t")


def case_drop_with_purge(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("DROP TABLE t PURGE")
    t.sql("SHOW TABLES")


def case_partition_statements_are_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("ALTER TABLE t ADD PARTITION (p = 'b')")
    t.sql("ALTER TABLE t DROP PARTITION (p = 'a')")
    t.sql("ALTER TABLE t PARTITION (p = 'a') RENAME TO PARTITION (p = 'c')")
    t.sql("ALTER TABLE t RECOVER PARTITIONS")
    t.sql("MSCK REPAIR TABLE t")
    t.sql("ALTER TABLE t SET SERDEPROPERTIES ('x' = 'y')")
    t.sql("TRUNCATE TABLE t PARTITION (p = 'a')")
    t.sql("LOAD DATA LOCAL INPATH '/tmp/nope' INTO TABLE t")
