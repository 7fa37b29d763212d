"""CHAR(n) in rules and conditions: CHECK, generated columns, DELETE, UPDATE, MERGE, overwrites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import make, merge, source
from tests.parity.generating import after

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

COLUMNS = "id INT, c CHAR(5)"
SHORT_AND_FULL = ("(1, 'ab'), (2, 'abcde'), (3, NULL)",)
SHOWN = "SELECT id, concat(c, '|') AS c FROM t"


def case_char_in_checks_of_full_texts(t: Recorder) -> None:
    make(t, "(1, 'abcde')", columns=COLUMNS)
    t.sql("ALTER TABLE t ADD CONSTRAINT full CHECK (c = 'abcde')")
    t.sql("ALTER TABLE t ADD CONSTRAINT other CHECK (c = 'abcdf')")
    t.sql("ALTER TABLE t ADD CONSTRAINT long CHECK (length(c) = 5)")
    after(
        t,
        "INSERT INTO t VALUES (2, 'abcde')",
        "INSERT INTO t VALUES (3, 'vwxyz')",
        "INSERT INTO t VALUES (4, NULL)",
    )


def case_char_in_checks_that_blanks_do_not_change(t: Recorder) -> None:
    make(t, *SHORT_AND_FULL, columns=COLUMNS)
    t.sql("ALTER TABLE t ADD CONSTRAINT trimmed CHECK (c IS NULL OR trim(c) LIKE 'ab%')")
    t.sql("ALTER TABLE t ADD CONSTRAINT above CHECK (c IS NULL OR c >= 'aa')")
    t.sql("ALTER TABLE t ADD CONSTRAINT none CHECK (c IS NOT NULL)")
    after(
        t,
        "INSERT INTO t VALUES (4, 'abc')",
        "INSERT INTO t VALUES (5, 'a')",
        "UPDATE t SET c = 'abx' WHERE id = 1",
        "UPDATE t SET c = 'x' WHERE id = 1",
    )


def case_char_in_a_check_of_a_short_text(t: Recorder) -> None:
    make(t, "(1, 'ab')", columns=COLUMNS)
    t.sql("ALTER TABLE t ADD CONSTRAINT short CHECK (c = 'ab')")
    after(
        t,
        "INSERT INTO t VALUES (2, 'ab')",
        "INSERT INTO t VALUES (3, 'ab   ')",
        "INSERT INTO t VALUES (4, 'abc')",
        "UPDATE t SET id = 5 WHERE id = 1",
        "UPDATE t SET c = 'b' WHERE id = 2",
    )


def case_char_in_generated_columns(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, c CHAR(5), full BOOLEAN GENERATED ALWAYS AS (c = 'abcde'),"
        " u STRING GENERATED ALWAYS AS (upper(trim(c))),"
        " none BOOLEAN GENERATED ALWAYS AS (c IS NULL)) USING delta"
    )
    after(
        t,
        "INSERT INTO t (id, c) VALUES (1, 'abcde'), (2, 'ab'), (3, NULL)",
        "INSERT INTO t VALUES (4, 'ab', false, 'AB', false)",
        "INSERT INTO t VALUES (5, 'ab', false, 'ABC', false)",
    )


def case_char_in_a_generated_column_of_a_short_text(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, c CHAR(5), k BOOLEAN GENERATED ALWAYS AS (c = 'ab')) USING delta"
    )
    after(
        t,
        "INSERT INTO t (id, c) VALUES (1, 'ab')",
        "INSERT INTO t VALUES (2, 'ab', true)",
        "UPDATE t SET c = 'x' WHERE id = 1",
    )


def case_char_in_conditions_of_changes(t: Recorder) -> None:
    make(t, *SHORT_AND_FULL, columns=COLUMNS)
    t.sql("UPDATE t SET id = 12 WHERE c = 'abcde'")
    t.sql("UPDATE t SET id = 13 WHERE c IS NULL")
    t.sql("UPDATE t SET c = 'xy' WHERE trim(c) = 'ab'")
    t.sql(SHOWN)
    t.sql("DELETE FROM t WHERE c LIKE 'xy%'")
    t.sql("DELETE FROM t WHERE c = 'abcdz'")
    t.sql(SHOWN)


def case_char_in_conditions_that_skip_files(t: Recorder) -> None:
    make(t, "(1, 'ab')", "(2, 'abcde')", "(3, 'x')", columns=COLUMNS)
    t.sql("SELECT id FROM t WHERE c = 'ab'")
    t.sql("UPDATE t SET id = 11 WHERE c = 'ab'")
    t.sql("DELETE FROM t WHERE c IN ('x', 'y')")
    t.sql(SHOWN)


def case_char_assigned_by_merge(t: Recorder) -> None:
    make(t, *SHORT_AND_FULL, columns=COLUMNS)
    source(t, "(1, 'x'), (9, 'z')")
    merge(
        t,
        "MATCHED THEN UPDATE SET c = s.v",
        "NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.v)",
    )
    t.sql(SHOWN)
    source(t, "(8, 'longer than five')")
    merge(t, "NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.v)")


def case_char_in_conditions_of_merge(t: Recorder) -> None:
    make(t, *SHORT_AND_FULL, columns=COLUMNS)
    source(t, "(1, 'x'), (2, 'y')")
    merge(
        t,
        "MATCHED AND t.c = 'ab' THEN UPDATE SET c = s.v",
        "MATCHED AND trim(t.c) = 'abcde' THEN DELETE",
    )
    t.sql(SHOWN)


def case_char_nested_in_conditions_of_changes(t: Recorder) -> None:
    make(t, "(1, struct('ab')), (2, struct('abc'))", columns="id INT, s STRUCT<c: CHAR(3)>")
    t.sql("UPDATE t SET id = 12 WHERE s.c = 'abc'")
    t.sql("UPDATE t SET s.c = 'x' WHERE trim(s.c) = 'ab'")
    t.sql("SELECT id, concat(s.c, '|') AS c FROM t")
    t.sql("DELETE FROM t WHERE s.c = 'abc'")
    t.sql("SELECT id, concat(s.c, '|') AS c FROM t")


def case_char_behind_views(t: Recorder) -> None:
    make(t, *SHORT_AND_FULL, columns=COLUMNS)
    t.sql("CREATE TEMPORARY VIEW w AS SELECT * FROM t")
    t.sql("UPDATE w SET id = 12 WHERE c = 'abcde'")
    t.sql("DELETE FROM w WHERE c IS NULL")
    source(t, "(1, 'x')")
    t.sql("MERGE INTO w USING s ON w.id = s.id WHEN MATCHED THEN UPDATE SET c = s.v")
    t.sql(SHOWN)
