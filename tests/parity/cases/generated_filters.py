"""Filters on the columns that partition columns are generated from: the rows of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.generating import generated_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

ZONE = "spark.sql.session.timeZone"
TIMES = (
    "2024-01-01 00:00:00",
    "2024-02-29 12:30:00",
    "2024-03-10 01:59:59.999999",
    "2024-03-10 03:00:00",
    "2023-12-31 23:59:59",
    "1969-12-31 23:00:00",
    "1582-10-10 05:00:00",
)


def _timed(t: Recorder, *generated: str, kind: str = "TIMESTAMP") -> None:
    """Make a table of times that is partitioned by what is generated from them."""
    names = ", ".join(one.split(" ", 1)[0] for one in generated)
    generated_table(t, "id INT", f"ts {kind}", *generated, by=names)
    rows = ", ".join(f"({place}, {kind}'{text}')" for place, text in enumerate(TIMES))
    t.sql(f"INSERT INTO t (id, ts) SELECT id, ts FROM VALUES {rows}, (99, NULL) AS v(id, ts)")


def _texts(t: Recorder, *generated: str) -> None:
    names = ", ".join(one.split(" ", 1)[0] for one in generated)
    generated_table(t, "id INT", "s STRING", *generated, by=names)
    t.sql(
        "INSERT INTO t (id, s) SELECT id, s FROM VALUES (1, 'abcd'), (2, 'abd'), (3, 'b'), (4, ''),"
        " (5, NULL), (6, 'ab'), (7, 'ébc'), (8, 'Ab') AS v(id, s)"
    )


def _asked(t: Recorder, *conditions: str) -> None:
    for condition in conditions:
        t.sql(f"SELECT id FROM t WHERE {condition}")


OF_TIMES = (
    "ts = '2024-02-29 12:30:00'",
    "ts <=> TIMESTAMP'2024-02-29 12:30:00'",
    "ts < '2024-01-01'",
    "ts <= '2024-01-01 00:00:00'",
    "'2024-03-10 02:00:00' < ts",
    "ts >= '2024-03-10'",
    "ts BETWEEN '2023-12-31' AND '2024-02-29 23:59:59'",
    "ts IN (TIMESTAMP'2024-01-01 00:00:00', TIMESTAMP'1969-12-31 23:00:00')",
    "ts IS NULL",
    "ts IS NOT NULL AND ts < '1970-01-01'",
    "ts <=> NULL",
    "ts < '1600-01-01' OR ts > '2024-03-10 02:00:00'",
    "NOT (ts >= '2024-01-01')",
)


def case_filters_on_a_date(t: Recorder) -> None:
    _timed(t, "d DATE := CAST(ts AS DATE)")
    _asked(
        t,
        *OF_TIMES,
        "CAST(ts AS DATE) = DATE'2024-03-10'",
        "ts >= DATE'2024-03-10'",
        "ts > '2024-01-01' AND d < '2024-03-01'",
    )


def case_filters_on_a_year(t: Recorder) -> None:
    _timed(t, "y INT := YEAR(ts)")
    _asked(t, *OF_TIMES, "YEAR(ts) = 2023")


def case_filters_on_a_year_and_a_month(t: Recorder) -> None:
    _timed(t, "y INT := YEAR(ts)", "m INT := MONTH(ts)")
    _asked(t, *OF_TIMES)


def case_filters_on_a_year_a_month_and_a_day(t: Recorder) -> None:
    _timed(t, "y INT := YEAR(ts)", "m INT := MONTH(ts)", "d INT := DAY(ts)")
    _asked(t, *OF_TIMES)


def case_filters_down_to_the_hour(t: Recorder) -> None:
    _timed(t, "y INT := YEAR(ts)", "m INT := MONTH(ts)", "d INT := DAY(ts)", "h INT := HOUR(ts)")
    _asked(t, *OF_TIMES)


def case_filters_on_a_month_alone(t: Recorder) -> None:
    _timed(t, "m INT := MONTH(ts)")
    _asked(t, *OF_TIMES)


def case_filters_on_a_month_as_text(t: Recorder) -> None:
    _timed(t, "m STRING := DATE_FORMAT(ts, 'yyyy-MM')")
    _asked(t, *OF_TIMES)


def case_filters_on_an_hour_as_text(t: Recorder) -> None:
    _timed(t, "h STRING := DATE_FORMAT(ts, 'yyyy-MM-dd-HH')")
    _asked(t, *OF_TIMES)


def case_filters_on_truncated_times(t: Recorder) -> None:
    _timed(t, "q TIMESTAMP := DATE_TRUNC('QUARTER', ts)")
    _asked(t, *OF_TIMES)


def case_filters_on_truncated_hours(t: Recorder) -> None:
    _timed(t, "h TIMESTAMP := DATE_TRUNC('HOUR', ts)")
    _asked(t, *OF_TIMES)


def case_filters_on_truncated_dates(t: Recorder) -> None:
    _timed(t, "m DATE := TRUNC(ts, 'MM')")
    _asked(t, *OF_TIMES)


def case_filters_on_the_same_time(t: Recorder) -> None:
    _timed(t, "same TIMESTAMP := ts")
    _asked(t, *OF_TIMES)


def case_filters_on_the_beginning_of_a_text(t: Recorder) -> None:
    _texts(t, "p STRING := SUBSTRING(s, 1, 2)")
    _asked(
        t,
        "s = 'abcd'",
        "s < 'abd'",
        "s <= 'ab'",
        "s > 'abc'",
        "'ab' <= s",
        "s = ''",
        "s IS NULL",
        "s IN ('b', 'ébc')",
        "s LIKE 'ab%'",
        "s <=> 'Ab'",
        "s > 'z'",
    )


def case_filters_on_the_middle_of_a_text(t: Recorder) -> None:
    _texts(t, "p STRING := SUBSTRING(s, 2, 2)", "q STRING := SUBSTRING(s, -2, 1)")
    _asked(t, "s = 'abcd'", "s < 'abd'", "s > 'abc'", "s IS NULL", "s = 'ébc'", "s = ''")


def case_filters_on_dates(t: Recorder) -> None:
    generated_table(
        t,
        "id INT",
        "d DATE",
        "y INT := YEAR(d)",
        "w DATE := TRUNC(d, 'WEEK')",
        "m STRING := DATE_FORMAT(d, 'yyyy-MM')",
        by="y, w, m",
    )
    t.sql(
        "INSERT INTO t (id, d) SELECT id, d FROM VALUES (1, DATE'2024-02-29'),"
        " (2, DATE'2024-03-01'), (3, DATE'0001-01-01'), (4, DATE'9999-12-31'), (5, NULL)"
        " AS v(id, d)"
    )
    _asked(
        t,
        "d = '2024-02-29'",
        "d > '2024-02-29'",
        "d < DATE'1000-01-01'",
        "d >= TIMESTAMP'2024-02-29 12:00:00'",
        "d IN (DATE'9999-12-31', DATE'0001-01-01')",
        "d IS NULL",
        "YEAR(d) = 2024",
        "d BETWEEN '2024-02-29' AND '2024-03-01'",
    )


def case_filters_on_numbers_and_their_copies(t: Recorder) -> None:
    generated_table(t, "id INT", "i INT", "l BIGINT := CAST(i AS BIGINT)", "n INT := i", by="l, n")
    t.sql("INSERT INTO t (id, i) VALUES (1, 1), (2, -5), (3, 2147483647), (4, NULL), (5, 0)")
    _asked(t, "i = 1", "i < 0", "i >= 1", "i > 2147483646L", "i IN (0, 1)", "i IS NULL", "i <> 1")


def case_filters_on_a_field_of_a_struct(t: Recorder) -> None:
    generated_table(t, "id INT", "e STRUCT<ts: TIMESTAMP>", "d DATE := CAST(e.ts AS DATE)", by="d")
    t.sql(
        "INSERT INTO t (id, e) SELECT id, named_struct('ts', ts) FROM VALUES"
        " (1, TIMESTAMP'2024-01-01 10:00:00'), (2, TIMESTAMP'2024-01-02 10:00:00'), (3, NULL)"
        " AS v(id, ts)"
    )
    t.sql("INSERT INTO t (id, e) VALUES (4, NULL)")
    _asked(t, "e.ts < '2024-01-02'", "e.ts = '2024-01-02 10:00:00'", "e.ts IS NULL", "e IS NULL")


def case_filters_on_names_in_other_letters(t: Recorder) -> None:
    generated_table(t, "id INT", "MyTime TIMESTAMP", "D DATE := CAST(mytime AS DATE)", by="D")
    t.sql(
        "INSERT INTO t (id, MyTime) VALUES (1, TIMESTAMP'2024-01-01 10:00:00'),"
        " (2, TIMESTAMP'2024-01-02 10:00:00')"
    )
    _asked(t, "MYTIME < '2024-01-02'", "`mytime` = '2024-01-02 10:00:00'")


def case_filters_around_the_change_of_clocks(t: Recorder) -> None:
    t.conf(ZONE, "America/New_York")
    generated_table(
        t,
        "id INT",
        "ts TIMESTAMP",
        "d DATE := CAST(ts AS DATE)",
        "h STRING := DATE_FORMAT(ts, 'yyyy-MM-dd-HH')",
        by="d, h",
    )
    t.sql(
        "INSERT INTO t (id, ts) VALUES (1, TIMESTAMP'2024-03-10 06:59:59Z'),"
        " (2, TIMESTAMP'2024-03-10 07:00:00Z'), (3, TIMESTAMP'2024-11-03 05:30:00Z'),"
        " (4, TIMESTAMP'2024-11-03 06:30:00Z'), (5, TIMESTAMP'2024-11-04 04:59:59Z')"
    )
    _asked(
        t,
        "ts < '2024-03-10 02:30:00'",
        "ts >= '2024-03-10 02:30:00' AND ts < '2024-04-01'",
        "ts >= '2024-11-03 01:30:00' AND ts < '2024-11-03 01:30:01'",
        "ts BETWEEN '2024-11-03' AND '2024-11-03 23:59:59'",
        "ts = TIMESTAMP'2024-11-03 06:30:00Z'",
    )


def case_filters_in_another_zone_than_the_writer(t: Recorder) -> None:
    t.conf(ZONE, "Asia/Tokyo")
    _timed(t, "d DATE := CAST(ts AS DATE)")
    t.conf(ZONE, "America/Los_Angeles")
    _asked(
        t,
        "ts = TIMESTAMP'2024-02-29 03:30:00Z'",
        "ts >= TIMESTAMP'2024-02-29 03:30:00Z' AND ts < TIMESTAMP'2024-02-29 03:30:01Z'",
        "ts <= TIMESTAMP'2023-12-31 14:59:59Z'",
    )


def case_filters_without_derived_ones(t: Recorder) -> None:
    t.conf("spark.databricks.delta.generatePartitionFilters", "false")
    _timed(t, "d DATE := CAST(ts AS DATE)")
    _asked(t, *OF_TIMES)


def case_filters_in_other_queries(t: Recorder) -> None:
    _timed(t, "d DATE := CAST(ts AS DATE)")
    t.sql("SELECT count(*), min(id), max(d) FROM t WHERE ts >= '2024-01-01'")
    t.sql(
        "SELECT a.id, b.id FROM t a JOIN t b ON a.d = b.d AND a.id < b.id"
        " WHERE a.ts > '2024-03-10' AND b.ts < '2025-01-01'"
    )
    t.sql("SELECT id FROM (SELECT id, ts AS x FROM t) WHERE x < '1970-01-01'")
    t.sql("SELECT id FROM t WHERE ts = (SELECT max(ts) FROM t)")
