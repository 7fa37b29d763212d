"""CREATE TABLE and its clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_create_plain(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT, name STRING) USING delta")
    t.sql("SELECT * FROM t")
    t.log("t")
    t.history("t", columns=True)
    t.detail("t")


def case_create_every_clause(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id BIGINT NOT NULL COMMENT 'the key', p STRING, v DECIMAL(10,2))
        USING delta PARTITIONED BY (p) COMMENT 'all clauses' LOCATION '{t.path}'
        TBLPROPERTIES ('delta.appendOnly' = 'true', 'team' = 'blue', 'Mixed.Case' = 'Y')""")
    t.log(t.path)
    t.history("t")
    t.detail("t")
    t.sql("DESCRIBE t")


def case_create_if_not_exists_leaves_the_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("CREATE TABLE IF NOT EXISTS t (other STRING) USING delta PARTITIONED BY (other)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_create_existing_table_is_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.history("t")


def case_create_partitioned_inline_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta PARTITIONED BY (p STRING, q DATE)")
    t.sql("DESCRIBE t")
    t.log("t")


def case_create_partition_column_first_in_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t (p STRING, id INT) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES ('a', 1), ('b', 2)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")


def case_create_partitioning_errors(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta PARTITIONED BY (nope)")
    t.sql("CREATE TABLE t (id INT) USING delta PARTITIONED BY (id)")
    t.sql("CREATE TABLE t (id INT, m MAP<STRING, INT>) USING delta PARTITIONED BY (m)")
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta PARTITIONED BY (s.a)")
    t.sql("CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p, p)")
    t.sql("CREATE TABLE t (id INT, d DATE) USING delta PARTITIONED BY (years(d))")
    t.sql("CREATE TABLE t (id INT, d INT) USING delta PARTITIONED BY (bucket(4, d))")
    t.sql("CREATE TABLE t (id INT, d INT) USING delta CLUSTERED BY (d) INTO 4 BUCKETS")
    t.sql("SHOW TABLES")


def case_create_partition_name_in_other_case(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, Part STRING) USING delta PARTITIONED BY (part)")
    t.log("t")
    t.sql("INSERT INTO t VALUES (1, 'x')")
    t.sql("SELECT * FROM t WHERE PART = 'x'")


def case_create_schema_errors(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, ID STRING) USING delta")
    t.sql("CREATE TABLE t (s STRUCT<a: INT, A: INT>) USING delta")
    t.sql("CREATE TABLE t (`a b` INT) USING delta")
    t.sql("CREATE TABLE t (`a,b` INT, c INT) USING delta")
    t.sql("CREATE TABLE t (s STRUCT<`x;y`: INT>) USING delta")
    t.sql("CREATE TABLE t (`a=b` INT) USING delta")
    t.sql("CREATE TABLE t (i INTERVAL DAY TO SECOND) USING delta")
    t.sql("CREATE TABLE t (i INTERVAL YEAR) USING delta")
    t.sql("CREATE TABLE t (n NOPE) USING delta")
    t.sql("CREATE TABLE t (id INT) USING nope")
    t.sql("SHOW TABLES")


def case_create_names_with_dots_and_letters(t: Recorder) -> None:
    t.sql("CREATE TABLE t (`a.b` INT, `größe` STRING, `x-y` INT, `_z` INT) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'weiß', 2, 3)")
    t.sql("SELECT `a.b`, `größe`, `x-y`, `_z` FROM t WHERE `a.b` = 1")
    t.sql("SHOW COLUMNS IN t")


def case_create_without_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t")
    t.sql("INSERT INTO t VALUES (1)")
    t.attempt(
        "append with mergeSchema",
        lambda: (
            t.spark.range(2)
            .write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")


def case_create_at_a_path_identifier(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1, 'a')")
    t.sql(f"SELECT * FROM delta.`{t.path}`")
    t.log(t.path)
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"CREATE TABLE IF NOT EXISTS delta.`{t.path}` (id INT) USING delta")
    t.sql(f"CREATE TABLE delta.`{t.folder('u')}` (id INT) USING delta LOCATION '{t.path}'")
    t.sql("CREATE TABLE delta.`relative/path` (id INT) USING delta")
    t.sql("SHOW TABLES")


def case_create_property_values(t: Recorder) -> None:
    t.sql("CREATE TABLE a (id INT) USING delta TBLPROPERTIES ('delta.nope' = '1')")
    t.sql("CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'perhaps')")
    t.sql("CREATE TABLE c (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '-5')")
    t.sql("CREATE TABLE d (id INT) USING delta TBLPROPERTIES ('DELTA.APPENDONLY' = 'TRUE')")
    t.log("d")
    t.sql(
        "CREATE TABLE e (id INT) USING delta"
        " TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 3 fortnights')"
    )
    t.sql(
        "CREATE TABLE f (id INT) USING delta"
        " TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 60 days')"
    )
    t.log("f")
    t.sql("CREATE TABLE g (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 0')")
    t.sql("SHOW TABLES")


def case_create_options_become_properties(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta OPTIONS ('some' = 'thing', 'n' = 3)")
    t.log("t")
    t.sql("SHOW TBLPROPERTIES t")


def case_create_protocol_properties(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE a (id INT) USING delta"
        " TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '4')"
    )
    t.log("a")
    t.sql(
        "CREATE TABLE b (id INT) USING delta"
        " TBLPROPERTIES ('delta.minReaderVersion' = '3', 'delta.minWriterVersion' = '7')"
    )
    t.log("b")
    t.sql(
        "CREATE TABLE c (id INT) USING delta"
        " TBLPROPERTIES ('delta.feature.appendOnly' = 'supported')"
    )
    t.log("c")
    t.sql("CREATE TABLE d (id INT) USING delta TBLPROPERTIES ('delta.minWriterVersion' = '99')")
    t.sql("CREATE TABLE e (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = 'x')")
    t.sql("CREATE TABLE f (id INT) USING delta TBLPROPERTIES ('delta.feature.nope' = 'supported')")
    t.sql("CREATE TABLE g (id INT) USING delta TBLPROPERTIES ('delta.feature.appendOnly' = 'on')")


def case_create_timestamp_ntz_needs_its_feature(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, at TIMESTAMP_NTZ) USING delta")
    t.log("t")
    t.sql("INSERT INTO t VALUES (1, TIMESTAMP_NTZ'2020-01-02 03:04:05.678901')")
    t.sql("SELECT * FROM t")
    t.sql("SHOW TBLPROPERTIES t")
    t.detail("t")


def case_create_char_and_varchar(t: Recorder) -> None:
    t.sql("CREATE TABLE t (c CHAR(4), v VARCHAR(3)) USING delta")
    t.log("t")
    t.sql("DESCRIBE t")
    t.sql("INSERT INTO t VALUES ('ab', 'xyz')")
    t.sql("INSERT INTO t VALUES ('ab', 'wxyz')")
    t.sql("INSERT INTO t VALUES ('abcde', 'x')")
    t.sql("SELECT *, length(c) AS n FROM t")


def case_create_schema_qualified(t: Recorder) -> None:
    t.sql(f"CREATE TABLE {t.schema}.t (id INT) USING delta")
    t.sql(f"INSERT INTO spark_catalog.{t.schema}.t VALUES (1)")
    t.sql(f"SELECT * FROM {t.schema}.t")
    t.sql("CREATE TABLE no_such_schema.t (id INT) USING delta")
    t.sql("CREATE TABLE a.b.c.d (id INT) USING delta")
    t.sql("CREATE TABLE `bad name` (id INT) USING delta")


def case_create_like(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE s (id INT NOT NULL COMMENT 'k', p STRING) USING delta PARTITIONED BY (p)"
        " COMMENT 'source' TBLPROPERTIES ('delta.appendOnly' = 'true', 'x' = 'y')"
    )
    t.sql("CREATE TABLE t LIKE s USING delta")
    t.log("t")
    t.detail("t")


def case_create_with_default_needs_its_feature(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT DEFAULT 7) USING delta")
    t.sql("CREATE TABLE u (id INT, g INT GENERATED ALWAYS AS (id + 1)) USING delta")
    t.sql("SHOW TABLES")
