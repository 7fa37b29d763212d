"""ALTER TABLE ... ALTER COLUMN: several columns, or several changes, in one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, b STRING, c DATE, s STRUCT<x: INT, y: INT>) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'b', NULL, named_struct('x', 1, 'y', 2))")


def case_several_comments(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', b COMMENT 'two', s.y COMMENT 'three'")
    t.log("t", 2)
    t.history("t")


def case_several_positions(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN c FIRST, a AFTER b")
    t.sql("ALTER TABLE t ALTER COLUMN b FIRST, s FIRST")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_several_kinds(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', b FIRST, s.x AFTER y")
    t.sql("ALTER TABLE t ALTER COLUMN c DROP NOT NULL, a TYPE INT")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_several_of_one_column(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', a FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN s COMMENT 'one', s.x COMMENT 'two'")
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', A COMMENT 'two'")
    t.sql("ALTER TABLE t CHANGE COLUMN a a INT COMMENT 'both' AFTER b")
    t.log("t", 2)


def case_several_with_a_wrong_one(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', nope COMMENT 'two'")
    t.sql("ALTER TABLE t ALTER COLUMN a COMMENT 'one', b TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN a FIRST, b AFTER nope")
    t.history("t")


def case_several_columns_added(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD COLUMNS (d INT COMMENT 'new' FIRST, e INT AFTER a, s.z STRING)")
    t.sql("ALTER TABLE t ADD COLUMNS (f INT AFTER d, g INT AFTER f)")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")
