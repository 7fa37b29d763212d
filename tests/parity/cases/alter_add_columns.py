"""ALTER TABLE ... ADD COLUMNS."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def case_add_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t ADD COLUMN n STRING COMMENT 'added'")
    t.sql("ALTER TABLE t ADD COLUMNS (a INT FIRST, b DECIMAL(5, 2) AFTER id, l ARRAY<INT>)")
    t.sql("INSERT INTO t VALUES (9, 2, 1.5, 'x', array(1))")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE n IS NULL")
    t.sql("SELECT count(a), min(b), max(n) FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 2)
    t.history("t")


def case_add_that_is_there(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    t.sql("ALTER TABLE t ADD COLUMN id INT")
    t.sql("ALTER TABLE t ADD COLUMN ID STRING")
    t.sql("ALTER TABLE t ADD COLUMN s.A INT")
    t.sql("ALTER TABLE t ADD COLUMNS (x INT, x INT)")
    t.sql("ALTER TABLE t ADD COLUMNS (x INT, X INT)")
    t.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS id INT")
    t.sql("ALTER TABLE t ADD COLUMN y STRUCT<q: INT, Q: INT>")
    t.history("t")


def case_add_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, l ARRAY<INT>) USING delta")
    t.sql("ALTER TABLE t ADD COLUMN n INT NOT NULL")
    t.sql("ALTER TABLE t ADD COLUMN n STRUCT<a: INT NOT NULL>")
    t.sql("ALTER TABLE t ADD COLUMN n ARRAY<STRUCT<a: INT NOT NULL>>")
    t.sql("ALTER TABLE t ADD COLUMN n INT DEFAULT 5")
    t.sql("ALTER TABLE t ADD COLUMN `a b` INT")
    t.sql("ALTER TABLE t ADD COLUMN `a,b` STRUCT<`c=d`: INT>")
    t.sql("ALTER TABLE t ADD COLUMN i INTERVAL YEAR TO MONTH")
    t.sql("ALTER TABLE t ADD COLUMN n INT AFTER nope")
    t.sql("ALTER TABLE t ADD COLUMN id.a INT")
    t.sql("ALTER TABLE t ADD COLUMN l.a INT")
    t.sql("ALTER TABLE t ADD COLUMN l.element INT")
    t.sql("ALTER TABLE t ADD COLUMN l.element.a INT")
    t.sql("ALTER TABLE t ADD COLUMN nope.a INT")
    t.sql("ALTER TABLE t ADD COLUMN n NOPE")
    t.sql("ALTER TABLE nope ADD COLUMN n INT")
    t.history("t")


def case_add_nested(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT, in: STRUCT<b: INT>>, l ARRAY<STRUCT<a: INT>>,
        m MAP<STRUCT<k: INT>, STRUCT<v: INT>>) USING delta""")
    t.sql("""INSERT INTO t VALUES (named_struct('a', 1, 'in', named_struct('b', 2)),
        array(named_struct('a', 3)), map(named_struct('k', 4), named_struct('v', 5)))""")
    t.sql("ALTER TABLE t ADD COLUMN s.z STRING COMMENT 'deep'")
    t.sql("ALTER TABLE t ADD COLUMN s.in.y INT FIRST")
    t.sql("ALTER TABLE t ADD COLUMN s.x INT AFTER a")
    t.sql("ALTER TABLE t ADD COLUMN l.element.z INT")
    t.sql("ALTER TABLE t ADD COLUMN m.value.z INT FIRST")
    t.sql("ALTER TABLE t ADD COLUMN m.key.z INT")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 2)
    t.history("t")


def case_add_below_a_new_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD COLUMNS (s STRUCT<a: INT>, s.b INT)")
    t.sql("ALTER TABLE t ADD COLUMN `x.y` INT")
    t.sql("ALTER TABLE t ADD COLUMN `größe` INT")
    t.sql("INSERT INTO t VALUES (1, 2, 3)")
    t.sql("DESCRIBE t")
    t.history("t")


def case_add_types_with_features(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD COLUMN at TIMESTAMP_NTZ")
    t.sql("ALTER TABLE t ADD COLUMN v VARIANT")
    t.sql("ALTER TABLE t ADD COLUMN c CHAR(3)")
    t.sql("ALTER TABLE t ADD COLUMN w VARCHAR(3) COMMENT 'short'")
    t.sql("ALTER TABLE t ADD COLUMN l ARRAY<VARCHAR(2)>")
    t.sql("ALTER TABLE t ADD COLUMN n VOID")
    t.sql("DESCRIBE t")
    t.log("t", 1)


def case_add_to_a_partitioned_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'x')")
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    t.sql("ALTER TABLE t ADD COLUMN P STRING")
    t.sql("INSERT INTO t VALUES (2, 'y', 3)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")


def case_add_over_null_parents(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    t.sql("INSERT INTO t VALUES (1, NULL), (2, named_struct('a', NULL))")
    t.sql("ALTER TABLE t ADD COLUMN s.b INT")
    t.sql("SELECT id, s, s IS NULL AS nothing, s.b FROM t")
    t.sql("SELECT id FROM t WHERE s.b IS NULL")


def case_add_mapped(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT) USING delta {MAPPED}")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t ADD COLUMNS (`a b` STRUCT<`c d`: INT>, e INT FIRST)")
    t.sql("ALTER TABLE t ADD COLUMN `a b`.`x,y` INT")
    t.sql("INSERT INTO t VALUES (2, 3, named_struct('c d', 4, 'x,y', 5))")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")
