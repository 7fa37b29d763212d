"""Columns with DEFAULT: declared, altered, used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

FEATURE = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
NULLS = "spark.sql.defaultColumn.useNullsForMissingDefaultValues"


def _table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, n INT DEFAULT 42, s STRING DEFAULT 'x') USING delta {FEATURE}")


def _append(t: Recorder, label: str, query: str, mode: str = "append", **options: str) -> None:
    t.attempt(
        label,
        lambda: (
            t.spark.sql(query).write.format("delta").mode(mode).options(**options).saveAsTable("t")
        ),
    )


def _save(t: Recorder, label: str, query: str, **options: str) -> None:
    t.attempt(
        label,
        lambda: (
            t.spark.sql(query).write.format("delta").mode("append").options(**options).save(t.path)
        ),
    )


def case_default_create(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, n INT DEFAULT 40 + 2 COMMENT 'answer',
        s STRING DEFAULT 'a''b', d DATE DEFAULT DATE'2020-01-01',
        at TIMESTAMP DEFAULT current_timestamp(), nothing STRING DEFAULT NULL,
        x DECIMAL(5,2) DEFAULT 1, l ARRAY<INT> DEFAULT array(1, 2))
        USING delta {FEATURE}""")
    t.log("t")
    t.sql("DESCRIBE t")
    t.sql("DESCRIBE EXTENDED t n")
    t.sql("SHOW TBLPROPERTIES t")
    t.detail("t")
    t.sql("SELECT * FROM t")


def case_default_needs_the_feature(t: Recorder) -> None:
    t.sql("CREATE TABLE refused (id INT DEFAULT 5) USING delta")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 5")
    t.sql("ALTER TABLE t ALTER COLUMN id DROP DEFAULT")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'enabled')")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 5")
    t.sql("INSERT INTO t VALUES (DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t")
    t.conf("spark.databricks.delta.properties.defaults.feature.allowColumnDefaults", "supported")
    t.sql("CREATE TABLE u (id INT DEFAULT 5) USING delta")
    t.sql("INSERT INTO u VALUES (DEFAULT)")
    t.sql("SELECT * FROM u")


def case_default_bad_expressions(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT DEFAULT 'abc') USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id INT, n INT DEFAULT id + 1) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id INT DEFAULT (SELECT 1)) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id INT DEFAULT nope(1)) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id DOUBLE DEFAULT rand()) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id TINYINT DEFAULT 1000) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id INT DEFAULT sum(1)) USING delta {FEATURE}")
    t.sql(f"CREATE TABLE t (id INT DEFAULT 5 GENERATED ALWAYS AS (1)) USING delta {FEATURE}")
    t.sql("SHOW TABLES")


def case_default_insert_by_list(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t (id) VALUES (1), (2)")
    t.sql("INSERT INTO t (s, id) VALUES ('y', 3)")
    t.sql("INSERT INTO t (n) VALUES (4)")
    t.sql("INSERT INTO t (id) SELECT id + 5 FROM range(2)")
    t.sql("INSERT INTO t (id, n) VALUES (7, NULL)")
    t.sql("INSERT INTO t (id, n) VALUES (8, DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_insert_by_position(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t VALUES (1, DEFAULT, DEFAULT), (DEFAULT, 2, 'a')")
    t.sql("INSERT INTO t SELECT 3, DEFAULT, 'b'")
    t.sql("INSERT INTO t VALUES (4)")
    t.sql("INSERT INTO t SELECT 5")
    t.sql("INSERT INTO t SELECT 6, 7")
    t.sql("INSERT INTO t VALUES (8, DEFAULT + 1, 'c')")
    t.sql("INSERT INTO t SELECT id, DEFAULT, DEFAULT FROM range(2)")
    t.attempt("insertInto", lambda: t.spark.sql("SELECT 9 AS id").write.insertInto("t"))
    t.sql("INSERT OVERWRITE t VALUES (10, DEFAULT, 'z')")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_default_insert_by_name(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 'y' AS s, 2 AS id")
    t.sql("INSERT INTO t BY NAME SELECT 'z' AS S")
    t.sql("INSERT INTO t BY NAME SELECT CAST(NULL AS INT) AS n")
    t.sql("INSERT OVERWRITE t BY NAME SELECT 5 AS id")
    t.sql("SELECT * FROM t")


def case_default_frames(t: Recorder) -> None:
    _table(t)
    _append(t, "saveAsTable", "SELECT 1 AS id")
    t.attempt("writeTo", lambda: t.spark.sql("SELECT 2 AS id, 3 AS n").writeTo("t").append())
    _append(t, "saveAsTable with a null", "SELECT 3 AS id, NULL AS n")
    _append(t, "merged", "SELECT 4 AS id, 5 AS more", mergeSchema="true")
    t.sql("SELECT * FROM t")
    _append(t, "overwritten", "SELECT 6 AS id", "overwrite")
    t.sql("SELECT * FROM t")
    t.attempt("dynamic", lambda: t.spark.sql("SELECT 7 AS id").writeTo("t").overwritePartitions())
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_frames_at_a_path(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE delta.`{t.path}` (id INT, n INT DEFAULT 42, p STRING DEFAULT 'q') "
        f"USING delta PARTITIONED BY (p) {FEATURE}"
    )
    _save(t, "left out", "SELECT 1 AS id")
    _save(t, "partition left out", "SELECT 2 AS id, 3 AS n")
    _save(t, "merged", "SELECT 3 AS id, 4 AS more", mergeSchema="true")
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))
    t.log(t.path, 1)


def case_default_of_times(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, at TIMESTAMP DEFAULT current_timestamp(), day DATE
        DEFAULT current_date(), who STRING DEFAULT current_user()) USING delta {FEATURE}""")
    t.sql("INSERT INTO t (id) VALUES (1), (2)")
    _append(t, "frame", "SELECT id + 3 AS id FROM range(2)")
    t.sql("INSERT INTO t VALUES (9, DEFAULT, DEFAULT, DEFAULT)")
    t.sql("""SELECT id, at > TIMESTAMP'2020-01-01 00:00:00' AS later, day >= DATE'2020-01-01' AS d,
        who IS NOT NULL AS known FROM t""")
    t.sql("SELECT count(DISTINCT at) AS n FROM t WHERE id < 3")


def case_default_casts(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, n BIGINT DEFAULT 42, d DECIMAL(5,2) DEFAULT 1.5,
        f FLOAT DEFAULT 2, c CHAR(3) DEFAULT 'a', v VARCHAR(3) DEFAULT 'b', b TINYINT DEFAULT 7)
        USING delta {FEATURE}""")
    t.sql("INSERT INTO t (id) VALUES (1)")
    _append(t, "frame", "SELECT 2 AS id")
    t.sql("INSERT INTO t VALUES (3, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_default_not_null(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, n INT NOT NULL DEFAULT 42, m INT NOT NULL,
        z INT NOT NULL DEFAULT NULL) USING delta {FEATURE}""")
    t.sql("INSERT INTO t (id, m, z) VALUES (1, 2, 3)")
    t.sql("INSERT INTO t (id, z) VALUES (1, 3)")
    t.sql("INSERT INTO t (id, m) VALUES (1, 2)")
    t.sql("INSERT INTO t VALUES (1, DEFAULT, DEFAULT, 4)")
    t.sql("INSERT INTO t BY NAME SELECT 5 AS m, 6 AS z")
    _append(t, "frame", "SELECT 2 AS m, 7 AS z")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_default_alter(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 43")
    t.sql("ALTER TABLE t ALTER COLUMN N SET DEFAULT 10 + 34")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 7")
    t.sql("INSERT INTO t VALUES (DEFAULT, DEFAULT, DEFAULT)")
    t.sql("ALTER TABLE t ALTER COLUMN s DROP DEFAULT")
    t.sql("ALTER TABLE t ALTER COLUMN s DROP DEFAULT")
    t.sql("INSERT INTO t (id) VALUES (2)")
    t.sql("INSERT INTO t VALUES (3, DEFAULT, DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")


def case_default_alter_errors(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT DEFAULT 1, s STRUCT<a: INT>, n INT) USING delta {FEATURE}")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 'abc'")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT n + 1")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT (SELECT 1)")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT nope()")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT rand()")
    t.sql("ALTER TABLE t ALTER COLUMN nope SET DEFAULT 1")
    t.sql("ALTER TABLE t ALTER COLUMN s.a SET DEFAULT 1")
    t.sql("ALTER TABLE t ADD COLUMN z INT DEFAULT 4")
    t.sql("ALTER TABLE t ALTER COLUMN s SET DEFAULT named_struct('a', 5)")
    t.sql("INSERT INTO t (n) VALUES (1)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_alter_several(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 1, n SET DEFAULT 2")
    t.sql("ALTER TABLE t ALTER COLUMN n DROP DEFAULT, s SET DEFAULT 'z'")
    t.sql("INSERT INTO t VALUES (DEFAULT, DEFAULT, DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_as_select_and_replace(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("CREATE TABLE u USING delta AS SELECT * FROM t")
    t.sql(f"CREATE TABLE w USING delta {FEATURE} AS SELECT * FROM t")
    t.log("u")
    t.log("w")
    t.sql("INSERT INTO w (id) VALUES (2)")
    t.sql("SELECT * FROM w")
    t.sql(f"REPLACE TABLE t (id INT, z INT DEFAULT 5) USING delta {FEATURE}")
    t.sql("INSERT INTO t (id) VALUES (3)")
    t.sql("SELECT * FROM t")
    t.sql("CREATE OR REPLACE TABLE t (id INT, z INT DEFAULT 6) USING delta")
    t.sql("CREATE OR REPLACE TABLE t (id INT, z INT) USING delta")
    t.log("t", 2)


def case_default_overwrite_schema(t: Recorder) -> None:
    _table(t)
    _append(t, "overwriteSchema", "SELECT 1 AS id, 2 AS n", "overwrite", overwriteSchema="true")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t (id) VALUES (3)")
    t.sql("SELECT * FROM t")
    frame = t.spark.table("t")
    t.attempt("its own schema to a path", lambda: frame.write.format("delta").save(t.path))
    t.log(t.path)
    t.log("t", 1)


def case_default_nulls_for_missing(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, n INT DEFAULT 42, m INT) USING delta {FEATURE}")
    t.conf(NULLS, "false")
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("INSERT INTO t (id, m) VALUES (2, 3)")
    t.sql("INSERT INTO t BY NAME SELECT 3 AS id")
    _append(t, "frame", "SELECT 4 AS id")
    t.sql("SELECT * FROM t")


def case_default_column_of_partition(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, p STRING DEFAULT 'a', q INT DEFAULT 1) USING delta
        PARTITIONED BY (p, q) {FEATURE}""")
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("INSERT INTO t PARTITION (p = 'b') (id) VALUES (2)")
    t.sql("INSERT INTO t PARTITION (p = 'b', q = 2) VALUES (DEFAULT)")
    t.sql("INSERT INTO t PARTITION (p = 'c') VALUES (3, DEFAULT)")
    t.sql("INSERT INTO t VALUES (4, DEFAULT, DEFAULT)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_travels_with_a_frame(t: Recorder) -> None:
    _table(t)
    t.sql("INSERT INTO t (id) VALUES (1)")
    frame = t.spark.table("t")
    t.attempt("first save", lambda: frame.write.format("delta").save(t.path))
    t.sql("CREATE TABLE u (id INT) USING delta")
    t.attempt(
        "merged",
        lambda: (
            frame.write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("u")
        ),
    )
    t.sql("SELECT * FROM u")
    t.attempt(
        "overwritten by itself",
        lambda: (
            frame.write.format("delta")
            .mode("overwrite")
            .option("overwriteSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_default_under_other_policies(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (id INT, n TINYINT DEFAULT 7, d DECIMAL(5,2) DEFAULT 1.5D,
        s STRING DEFAULT 5) USING delta {FEATURE}""")
    t.conf("spark.sql.storeAssignmentPolicy", "STRICT")
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("INSERT INTO t VALUES (2, DEFAULT, DEFAULT, DEFAULT)")
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    t.conf("spark.sql.ansi.enabled", "false")
    t.sql("INSERT INTO t (id) VALUES (3)")
    t.sql("INSERT INTO t VALUES (4, DEFAULT, DEFAULT, DEFAULT)")
    t.sql("SELECT * FROM t")


def case_default_switched_off(t: Recorder) -> None:
    t.conf("spark.sql.defaultColumn.enabled", "false")
    _table(t)
    t.sql("SHOW TABLES")
