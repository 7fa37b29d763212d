"""ALTER TABLE ... RENAME COLUMN."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def _table(t: Recorder, more: str = "") -> None:
    t.sql(f"CREATE TABLE t (id INT, name STRING COMMENT 'kept', n INT) USING delta {more} {MAPPED}")
    t.sql("INSERT INTO t VALUES (1, 'a', 10)")


def case_rename(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("INSERT INTO t VALUES (2, 'b', 20)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT title FROM t WHERE title = 'a'")
    t.sql("SELECT name FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT name FROM t VERSION AS OF 1")
    t.sql("DESCRIBE t")
    t.sql("SHOW COLUMNS IN t")
    t.log("t", 2)
    t.history("t")


def case_rename_needs_mapping(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    t.sql("ALTER TABLE t RENAME COLUMN id TO number")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO b")
    t.sql("ALTER TABLE t RENAME COLUMN id TO ID")
    t.sql("ALTER TABLE t RENAME COLUMN nope TO number")
    t.sql("ALTER TABLE t RENAME COLUMN id TO id")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.sql("ALTER TABLE t RENAME COLUMN id TO number")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_rename_case_only(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO ID")
    t.sql("ALTER TABLE t RENAME COLUMN NAME TO Name")
    t.sql("ALTER TABLE t RENAME COLUMN n TO n")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_rename_refused(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO name")
    t.sql("ALTER TABLE t RENAME COLUMN id TO NAME")
    t.sql("ALTER TABLE t RENAME COLUMN nope TO x")
    t.sql("ALTER TABLE t RENAME COLUMN id TO a.b")
    t.sql("ALTER TABLE t RENAME COLUMN id TO ``")
    t.sql("ALTER TABLE t RENAME COLUMN id.a TO b")
    t.sql("ALTER TABLE nope RENAME COLUMN a TO b")
    t.history("t")


def case_rename_to_special_names(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO `a b`")
    t.sql("ALTER TABLE t RENAME COLUMN name TO `x.y`")
    t.sql("ALTER TABLE t RENAME COLUMN n TO `back``tick`")
    t.sql("INSERT INTO t VALUES (2, 'b', 20)")
    t.sql("SELECT `a b`, `x.y`, `back``tick` FROM t WHERE `x.y` = 'b'")
    t.sql("ALTER TABLE t RENAME COLUMN `x.y` TO name")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_rename_nested(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (s STRUCT<a: INT, in: STRUCT<b: INT>>, l ARRAY<STRUCT<a: INT>>,
        m MAP<STRUCT<k: INT>, STRUCT<v: INT>>) USING delta {MAPPED}""")
    t.sql("""INSERT INTO t VALUES (named_struct('a', 1, 'in', named_struct('b', 2)),
        array(named_struct('a', 3)), map(named_struct('k', 4), named_struct('v', 5)))""")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO z")
    t.sql("ALTER TABLE t RENAME COLUMN s.in.b TO y")
    t.sql("ALTER TABLE t RENAME COLUMN l.element.a TO x")
    t.sql("ALTER TABLE t RENAME COLUMN m.key.k TO w")
    t.sql("ALTER TABLE t RENAME COLUMN m.value.v TO u")
    t.sql("ALTER TABLE t RENAME COLUMN s.in TO `in side`")
    t.sql("ALTER TABLE t RENAME COLUMN l.element TO x")
    t.sql("ALTER TABLE t RENAME COLUMN m.key TO x")
    t.sql("ALTER TABLE t RENAME COLUMN s.z TO `in side`")
    t.sql("SELECT * FROM t")
    t.sql("SELECT s.z, s.`in side`.y FROM t WHERE s.z = 1")
    t.log("t", 2)
    t.history("t")


def case_rename_partition_column(t: Recorder) -> None:
    _table(t, "PARTITIONED BY (name)")
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("INSERT INTO t VALUES (2, 'b', 20)")
    t.sql("SELECT * FROM t WHERE title = 'a'")
    t.detail("t")
    t.log("t", 2)


def case_rename_clustering_column(t: Recorder) -> None:
    _table(t, "CLUSTER BY (name, id)")
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.detail("t")
    t.log("t", 2)


def case_rename_swaps_names(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO x")
    t.sql("ALTER TABLE t RENAME COLUMN n TO id")
    t.sql("ALTER TABLE t RENAME COLUMN x TO n")
    t.sql("INSERT INTO t VALUES (2, 'b', 20)")
    t.sql("SELECT id, n FROM t ORDER BY id")
    t.sql("SELECT id, n FROM t WHERE id = 10")
    t.sql("SELECT min(id), max(n) FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")


def case_rename_with_statistics_columns(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (a INT, b INT, s STRUCT<c: INT>) USING delta TBLPROPERTIES (
        'delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'a,s.c')""")
    t.sql("ALTER TABLE t RENAME COLUMN a TO z")
    t.sql("ALTER TABLE t RENAME COLUMN s.c TO `d e`")
    t.sql("ALTER TABLE t RENAME COLUMN s TO t")
    t.sql("SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns')")
    t.log("t", 1)


def case_rename_keeps_what_a_column_has(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT DEFAULT 5 COMMENT 'c', v VARCHAR(3), m INT NOT NULL) USING delta
        TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported',
        'delta.columnMapping.mode' = 'name')""")
    t.sql("ALTER TABLE t RENAME COLUMN id TO number")
    t.sql("ALTER TABLE t RENAME COLUMN v TO word")
    t.sql("ALTER TABLE t RENAME COLUMN m TO must")
    t.sql("INSERT INTO t (word, must) VALUES ('abc', 1)")
    t.sql("INSERT INTO t (word, must) VALUES ('abcd', 1)")
    t.sql("INSERT INTO t (word) VALUES ('abc')")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_rename_in_views_and_caches(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("CACHE TABLE t")
    frame = t.spark.table("t")
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM v")
    t.show("an older frame", frame)
    t.sql("ALTER TABLE v RENAME COLUMN id TO x")


def case_rename_while_evolving(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    frame = t.spark.sql("SELECT 3 AS id, 'old' AS name, 30 AS n")
    writer = frame.write.format("delta").mode("append")
    t.attempt("by the old name", lambda: writer.saveAsTable("t"))
    t.attempt("merged", lambda: writer.option("mergeSchema", "true").saveAsTable("t"))
    t.sql("SELECT * FROM t")
    t.log("t", 3)
