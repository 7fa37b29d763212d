"""What a refused row's error says of it, and what conditions may be about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.saving import refusal

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _told(t: Recorder, columns: str, check: str, *values: str) -> None:
    """Show what is told of rows that a constraint refuses."""
    t.sql(f"CREATE TABLE t ({columns}) USING delta")
    t.sql(f"ALTER TABLE t ADD CONSTRAINT c CHECK ({check})")
    for value in values:
        refusal(t, value, lambda v=value: t.spark.sql(f"INSERT INTO t VALUES ({v})"))
    t.sql("SELECT * FROM t")


def case_numbers(t: Recorder) -> None:
    _told(t, "a INT, b BIGINT, c DOUBLE", "a > 5", "1, 2, 3.5", "NULL, 2, 3.5", "-7, 2, 3.5")


def case_doubles_and_decimals(t: Recorder) -> None:
    _told(
        t,
        "a DOUBLE, b DECIMAL(10, 2)",
        "a > 5",
        "1.5, 2",
        "double('-Infinity'), 2",
        "NULL, 2",
        "double('NaN'), 2",
    )


def case_texts(t: Recorder) -> None:
    _told(t, "s STRING", "s < 'm'", "'z'", "'zäöü €'", "'z \"quoted\" \\\\ \\n line'", "NULL")


def case_booleans(t: Recorder) -> None:
    _told(t, "a BOOLEAN, b BOOLEAN", "a = b", "true, false", "true, NULL", "true, true")


def case_sorted_by_name(t: Recorder) -> None:
    _told(t, "z INT, a INT, m INT, Q INT", "z > a", "1, 2, 3, 4")


def case_nested_fields(t: Recorder) -> None:
    _told(
        t,
        "s STRUCT<a: INT, b: STRUCT<c: STRING>>",
        "s.a > 5",
        "named_struct('a', 1, 'b', named_struct('c', 'x'))",
        "named_struct('a', CAST(NULL AS INT), 'b', NULL)",
        "NULL",
        "named_struct('a', 6, 'b', NULL)",
    )


def case_deeper_fields(t: Recorder) -> None:
    _told(
        t,
        "s STRUCT<a: INT, b: STRUCT<c: STRING>>",
        "s.b.c = 'x'",
        "named_struct('a', 1, 'b', named_struct('c', 'y'))",
        "named_struct('a', 1, 'b', NULL)",
    )


def case_dates_and_times(t: Recorder) -> None:
    """Theirs are numbers of days and microseconds; ours are written as SQL has them."""
    _told(
        t,
        "d DATE, ts TIMESTAMP",
        "d > '2020-01-01'",
        "DATE'2019-05-06', TIMESTAMP'2019-01-02 03:04:05.678'",
        "NULL, NULL",
    )


def case_arrays_and_maps(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a ARRAY<INT>, m MAP<STRING, INT>) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (a[0] > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT d CHECK (m['k'] > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT e CHECK (size(a) < 3)")
    t.sql("INSERT INTO t VALUES (array(1), map('k', 6))")
    t.sql("INSERT INTO t VALUES (array(6), map('k', 5))")
    t.sql("INSERT INTO t VALUES (array(6), map('x', 6))")
    t.sql("INSERT INTO t VALUES (array(6, 7, 8), map('k', 6))")
    t.sql("INSERT INTO t VALUES (array(6, 7), map('k', 6))")
    t.sql("SELECT * FROM t")


def case_functions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (s STRING, n INT, d DATE) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT a CHECK (length(trim(s)) BETWEEN 1 AND 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT b CHECK (n IN (1, 2, 3))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (s RLIKE '^[a-z]+$')")
    t.sql("ALTER TABLE t ADD CONSTRAINT e CHECK (CASE WHEN n = 1 THEN d IS NULL ELSE true END)")
    t.sql("INSERT INTO t VALUES ('   ', 1, NULL)")
    t.sql("INSERT INTO t VALUES ('abc', 4, NULL)")
    t.sql("INSERT INTO t VALUES ('ABC', 1, NULL)")
    t.sql("INSERT INTO t VALUES ('abc', 1, current_date())")
    t.sql("INSERT INTO t VALUES ('abc', 1, NULL), ('abc', 2, DATE'2020-01-01')")
    t.sql("SELECT * FROM t ORDER BY n")


def case_quoted_names(t: Recorder) -> None:
    t.sql("CREATE TABLE t (`order` INT, `Äpfel` INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (`order` > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT `d` CHECK (`äpfel` > 5)")
    t.sql("INSERT INTO t VALUES (1, 6)")
    t.sql("INSERT INTO t VALUES (6, 1)")
    t.sql("INSERT INTO t VALUES (6, 6)")
    t.sql("SELECT * FROM t")


def case_names_in_another_case(t: Recorder) -> None:
    t.sql("CREATE TABLE t (Id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (iD > 5)")
    refusal(t, "1", lambda: t.spark.sql("INSERT INTO t VALUES (1)"))
    t.conf("spark.sql.caseSensitive", "true")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT INTO t VALUES (6)")
    t.sql("SELECT * FROM t")


def case_session_without_ansi(t: Recorder) -> None:
    t.sql("CREATE TABLE t (s STRING) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (CAST(s AS INT) > 5)")
    t.conf("spark.sql.ansi.enabled", "false")
    t.sql("INSERT INTO t VALUES ('a')")
    t.sql("INSERT INTO t VALUES ('5')")
    t.sql("INSERT INTO t VALUES ('6')")
    t.sql("SELECT * FROM t")


def case_session_in_another_zone(t: Recorder) -> None:
    t.sql("CREATE TABLE t (at TIMESTAMP) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (at > '2020-01-01 00:00:00')")
    t.conf("spark.sql.session.timeZone", "Asia/Tokyo")
    t.sql("INSERT INTO t VALUES (TIMESTAMP'2020-01-01 00:30:00')")
    t.sql("INSERT INTO t VALUES (TIMESTAMP'2019-12-31 23:30:00')")
    t.sql("SELECT count(*) AS n FROM t")


def case_conditions_of_today(t: Recorder) -> None:
    t.sql("CREATE TABLE t (d DATE, n INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (d <= current_date())")
    t.sql("INSERT INTO t VALUES (DATE'2020-01-01', 1)")
    t.sql("INSERT INTO t VALUES (DATE'9999-01-01', 1)")
    t.sql("SELECT * FROM t")
