"""ALTER TABLE ... ALTER COLUMN below structs, arrays and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT, b: STRING, in: STRUCT<x: INT, y: INT>>,
        l ARRAY<STRUCT<a: INT, b: INT>>, m MAP<STRUCT<k: INT, j: INT>, STRUCT<v: INT, w: INT>>,
        ll ARRAY<ARRAY<STRUCT<a: INT, b: INT>>>, i ARRAY<INT>, n MAP<STRING, INT>) USING delta""")
    t.sql("""INSERT INTO t VALUES (
        named_struct('a', 1, 'b', 'b', 'in', named_struct('x', 2, 'y', 3)),
        array(named_struct('a', 4, 'b', 5)),
        map(named_struct('k', 6, 'j', 7), named_struct('v', 8, 'w', 9)),
        array(array(named_struct('a', 10, 'b', 11))), array(1), map('a', 1))""")


def case_nested_comments(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s.in.x COMMENT 'deep'")
    t.sql("ALTER TABLE t ALTER COLUMN l.element.b COMMENT 'in a list'")
    t.sql("ALTER TABLE t ALTER COLUMN m.key.k COMMENT 'in a key'")
    t.sql("ALTER TABLE t ALTER COLUMN m.value.V COMMENT 'in a value'")
    t.sql("ALTER TABLE t ALTER COLUMN ll.element.element.a COMMENT 'two deep'")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_nested_comments_refused(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN i.element COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN l.element COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN n.key COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN n.value COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN l.a COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN i.element.element COMMENT 'x'")
    t.history("t")


def case_nested_positions(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s.b FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN s.in.x AFTER y")
    t.sql("ALTER TABLE t ALTER COLUMN l.element.b FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN m.key.k AFTER j")
    t.sql("ALTER TABLE t ALTER COLUMN m.value.w FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN ll.element.element.b FIRST")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_nested_positions_refused(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s.a AFTER nope")
    t.sql("ALTER TABLE t ALTER COLUMN s.a AFTER x")
    t.sql("ALTER TABLE t ALTER COLUMN s.a AFTER l")
    t.sql("ALTER TABLE t ALTER COLUMN i.element FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN m.value AFTER key")
    t.sql("ALTER TABLE t ALTER COLUMN m.key AFTER value")
    t.history("t")


def case_nested_nullability(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT NOT NULL, b: INT>, l ARRAY<INT>,
        m MAP<INT, INT>) USING delta""")
    t.sql("ALTER TABLE t ALTER COLUMN s.a DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN s.b DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN l.element DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN m.value DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN m.key DROP NOT NULL")
    t.log("t", 1)


def case_nested_types_refused(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN s TYPE STRUCT<a: INT>")
    t.sql("ALTER TABLE t ALTER COLUMN l TYPE ARRAY<STRUCT<a: INT>>")
    t.sql("ALTER TABLE t ALTER COLUMN n TYPE MAP<STRING, BIGINT>")
    t.sql("ALTER TABLE t ALTER COLUMN i TYPE ARRAY<BIGINT>")
    t.sql("ALTER TABLE t ALTER COLUMN i TYPE ARRAY<INT>")
    t.sql("ALTER TABLE t ALTER COLUMN i.element TYPE BIGINT")
    t.sql("ALTER TABLE t ALTER COLUMN n.value TYPE BIGINT")
    t.sql("ALTER TABLE t ALTER COLUMN n.key TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN i TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN s.a TYPE INT")
    t.history("t")


def case_nested_hive_style(t: Recorder) -> None:
    _table(t)
    t.sql("""ALTER TABLE t CHANGE COLUMN s s STRUCT<a: INT, b: STRING, in: STRUCT<x: INT, y: INT>>
        COMMENT 'whole'""")
    t.sql("ALTER TABLE t CHANGE COLUMN s.a a INT COMMENT 'inner'")
    t.sql("ALTER TABLE t CHANGE COLUMN i i ARRAY<INT> FIRST")
    t.log("t", 2)
