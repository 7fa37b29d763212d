"""ALTER TABLE ... REPLACE COLUMNS."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def _table(t: Recorder, more: str = "") -> None:
    t.sql(f"CREATE TABLE t (id INT, name STRING COMMENT 'was', n INT) USING delta {more}")
    t.sql("INSERT INTO t VALUES (1, 'a', 10)")


def case_replace_in_another_order(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t REPLACE COLUMNS (n INT, id INT COMMENT 'new', name STRING)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 2)
    t.history("t")


def case_replace_adds(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, z STRING, name STRING, n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (ID INT, z STRING, NAME STRING, n INT, y INT)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_replace_drops(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, name STRING)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (x INT)")
    t.history("t")


def case_replace_types(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t REPLACE COLUMNS (id BIGINT, name STRING, n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id STRING, name STRING, n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, name VARCHAR(5), n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT NOT NULL, name STRING, n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, name STRING, n INT, n INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, name STRING, n INT, `a b` INT)")
    t.history("t")


def case_replace_nested(t: Recorder) -> None:
    t.sql("CREATE TABLE t (s STRUCT<a: INT, b: INT>, l ARRAY<STRUCT<a: INT>>) USING delta")
    t.sql("INSERT INTO t VALUES (named_struct('a', 1, 'b', 2), array(named_struct('a', 3)))")
    t.sql("ALTER TABLE t REPLACE COLUMNS (s STRUCT<b: INT, a: INT>, l ARRAY<STRUCT<a: INT>>)")
    t.sql("""ALTER TABLE t REPLACE COLUMNS (s STRUCT<b: INT, a: INT, z: INT>,
        l ARRAY<STRUCT<y: INT, a: INT>>)""")
    t.sql("ALTER TABLE t REPLACE COLUMNS (s STRUCT<a: INT>, l ARRAY<STRUCT<a: INT>>)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_replace_mapped(t: Recorder) -> None:
    _table(t, MAPPED)
    t.sql("ALTER TABLE t REPLACE COLUMNS (n INT, id INT, name STRING)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (n INT, id INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (n INT, x INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (n INT, id INT, `a b` INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (N INT, id BIGINT, `a b` INT)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_replace_keeps_what_a_column_has(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT DEFAULT 5, v VARCHAR(3) COMMENT 'v', m INT NOT NULL) USING delta
        TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')""")
    t.sql("ALTER TABLE t REPLACE COLUMNS (v VARCHAR(3), id INT, m INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, v STRING, m INT)")
    t.sql("INSERT INTO t (v, m) VALUES ('abc', NULL)")
    t.sql("INSERT INTO t (id, v, m) VALUES (1, 'abcd', 2)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_replace_partitioned(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'x')")
    t.sql("ALTER TABLE t REPLACE COLUMNS (p STRING, id INT, n INT)")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, n INT)")
    t.log("t", 2)
