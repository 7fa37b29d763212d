"""ALTER TABLE ... DROP COLUMNS."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def _table(t: Recorder, more: str = "") -> None:
    t.sql(f"CREATE TABLE t (id INT, name STRING, n INT) USING delta {more} {MAPPED}")
    t.sql("INSERT INTO t VALUES (1, 'a', 10)")


def case_drop_column(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("INSERT INTO t VALUES (2, 'b')")
    t.sql("SELECT * FROM t")
    t.sql("SELECT n FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("DESCRIBE t")
    t.log("t", 2)
    t.history("t")


def case_drop_several(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMNS (NAME, n)")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t DROP COLUMN id")
    t.sql("ALTER TABLE t DROP COLUMNS (nope, id)")
    t.sql("ALTER TABLE t DROP COLUMN IF EXISTS nope")
    t.sql("ALTER TABLE t DROP COLUMNS IF EXISTS (nope, nix)")
    t.log("t", 2)
    t.history("t")


def case_drop_needs_mapping(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT, b: INT>) USING delta")
    t.sql("ALTER TABLE t DROP COLUMN id")
    t.sql("ALTER TABLE t DROP COLUMN s.a")
    t.sql("ALTER TABLE t DROP COLUMN nope")
    t.sql("ALTER TABLE t DROP COLUMN IF EXISTS nope")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.sql("ALTER TABLE t DROP COLUMN s.a")
    t.sql("DESCRIBE t")
    t.history("t")


def case_drop_nested(t: Recorder) -> None:
    t.sql(f"""CREATE TABLE t (s STRUCT<a: INT, b: INT, in: STRUCT<x: INT, y: INT>>,
        l ARRAY<STRUCT<a: INT, b: INT>>, m MAP<STRUCT<k: INT, j: INT>, STRUCT<v: INT, w: INT>>)
        USING delta {MAPPED}""")
    t.sql("""INSERT INTO t VALUES (
        named_struct('a', 1, 'b', 2, 'in', named_struct('x', 3, 'y', 4)),
        array(named_struct('a', 5, 'b', 6)),
        map(named_struct('k', 7, 'j', 8), named_struct('v', 9, 'w', 10)))""")
    t.sql("ALTER TABLE t DROP COLUMN s.a")
    t.sql("ALTER TABLE t DROP COLUMNS (s.in.x, l.element.b)")
    t.sql("ALTER TABLE t DROP COLUMN m.key.j")
    t.sql("ALTER TABLE t DROP COLUMN m.value.v")
    t.sql("ALTER TABLE t DROP COLUMN s.in.y")
    t.sql("ALTER TABLE t DROP COLUMN l.element")
    t.sql("ALTER TABLE t DROP COLUMN m.key")
    t.sql("ALTER TABLE t DROP COLUMN s.nope")
    t.sql("ALTER TABLE t DROP COLUMNS (s, s.b)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_drop_and_add_again(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE n = 10")
    t.sql("SELECT id FROM t WHERE n IS NULL")
    t.sql("SELECT min(n), max(n), count(n) FROM t")
    t.sql("INSERT INTO t VALUES (2, 'b', 20)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.log("t", 2)


def case_drop_partition_column(t: Recorder) -> None:
    _table(t, "PARTITIONED BY (name)")
    t.sql("ALTER TABLE t DROP COLUMN name")
    t.sql("ALTER TABLE t DROP COLUMNS (n, NAME)")
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("ALTER TABLE t DROP COLUMN id")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_drop_clustering_column(t: Recorder) -> None:
    _table(t, "CLUSTER BY (name, id)")
    t.sql("ALTER TABLE t DROP COLUMN name")
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_drop_with_statistics_columns(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (a INT, b INT, s STRUCT<c: INT, d: INT>) USING delta TBLPROPERTIES (
        'delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'a,s.c,b')""")
    t.sql("ALTER TABLE t DROP COLUMN a")
    t.sql("ALTER TABLE t DROP COLUMN s")
    t.sql("SHOW TBLPROPERTIES t ('delta.dataSkippingStatsColumns')")
    t.log("t", 1)


def case_drop_in_views_and_caches(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT id, n FROM t")
    t.sql("CACHE TABLE t")
    frame = t.spark.table("t")
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM v")
    t.show("an older frame", frame)
    t.sql("ALTER TABLE v DROP COLUMN id")
