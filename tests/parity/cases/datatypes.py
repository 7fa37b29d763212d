"""Values of every type: written, read back, filtered, evolved from Python rows."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

COLUMNS = """b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE,
    dec DECIMAL(10,2), big DECIMAL(38,18), s STRING, bin BINARY, day DATE, at TIMESTAMP,
    ntz TIMESTAMP_NTZ"""
ORDINARY = """(true, 1Y, 2S, 3, 4L, 1.5F, 2.25D, 12.34BD, 1234567890.123456789012345678BD, 'text',
    X'00FF10', DATE'2024-02-29', TIMESTAMP'2024-02-29 12:34:56.789012',
    TIMESTAMP_NTZ'2024-02-29 12:34:56.789012')"""
LOWEST = """(false, -128Y, -32768S, -2147483648, -9223372036854775808L, float('-Infinity'),
    double('-Infinity'), -99999999.99BD, -99999999999999999999.999999999999999999BD, '', X'',
    DATE'0001-01-01', TIMESTAMP'0001-01-01 00:00:00', TIMESTAMP_NTZ'0001-01-01 00:00:00')"""
HIGHEST = """(true, 127Y, 32767S, 2147483647, 9223372036854775807L, float('NaN'), double('NaN'),
    99999999.99BD, 99999999999999999999.999999999999999999BD, 'zoë 😀 日本 \\n\\t"\\\\', X'FFFFFF',
    DATE'9999-12-31', TIMESTAMP'9999-12-30 23:59:59.999999',
    TIMESTAMP_NTZ'9999-12-30 23:59:59.999999')"""
NOTHING = "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"


def case_types_round_trip(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t ({COLUMNS}) USING delta")
    t.sql(f"INSERT INTO t VALUES {ORDINARY}, {NOTHING}")
    t.sql(f"INSERT INTO t VALUES {LOWEST}")
    t.sql(f"INSERT INTO t VALUES {HIGHEST}")
    t.sql(
        "SELECT * EXCEPT (day, at, ntz), CAST(day AS STRING) AS day, CAST(at AS STRING) AS at,"
        " CAST(ntz AS STRING) AS ntz FROM t"
    )
    t.log("t", 1)
    t.sql("DESCRIBE t")


def case_types_found_by_filters(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t ({COLUMNS}) USING delta")
    t.sql(f"INSERT INTO t VALUES {ORDINARY}")
    t.sql(f"INSERT INTO t VALUES {LOWEST}")
    t.sql(f"INSERT INTO t VALUES {HIGHEST}")
    t.sql(f"INSERT INTO t VALUES {NOTHING}")
    for condition in (
        "b",
        "i8 = 127",
        "i16 < 0",
        "i32 = 3",
        "i64 > 4",
        "f = float('NaN')",
        "d > 2.25",
        "d = double('-Infinity')",
        "dec = 12.34",
        "big > 1",
        "s = ''",
        "s > 'zo'",
        "bin = X''",
        "bin > X'00'",
        "day = DATE'2024-02-29'",
        "day > DATE'9999-01-01'",
        "at = TIMESTAMP'2024-02-29 12:34:56.789012'",
        "at > TIMESTAMP'2024-02-29 12:34:56.789'",
        "ntz = TIMESTAMP_NTZ'2024-02-29 12:34:56.789012'",
        "s IS NULL",
        "i32 IS NOT NULL",
        "i32 IN (3, -2147483648)",
        "s LIKE 'zo%'",
        "f < 0",
        "at <= TIMESTAMP'0001-01-01 00:00:00'",
    ):
        t.sql(f"SELECT i8, i32 FROM t WHERE {condition}")


def case_types_nested(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (s STRUCT<a: INT, b: STRUCT<c: DATE, d: ARRAY<STRING>>>,
        l ARRAY<ARRAY<INT>>, m MAP<STRING, STRUCT<x: DECIMAL(5,1), y: TIMESTAMP>>,
        k MAP<STRUCT<a: INT>, ARRAY<MAP<INT, BINARY>>>) USING delta""")
    t.sql("""INSERT INTO t VALUES (
        named_struct('a', 1, 'b', named_struct('c', DATE'2020-01-01', 'd', array('x', NULL))),
        array(array(1, NULL), array(), NULL),
        map('ä', named_struct('x', 1.5, 'y', TIMESTAMP'2020-01-01 00:00:00')),
        map(named_struct('a', 1), array(map(1, X'01'), NULL))), (NULL, NULL, NULL, NULL)""")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_types_not_null_inside(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT NOT NULL> NOT NULL,
        l ARRAY<INT> NOT NULL) USING delta""")
    t.log("t")
    t.sql("INSERT INTO t VALUES (1, named_struct('a', 1), array(1, NULL))")
    t.sql("INSERT INTO t VALUES (1, named_struct('a', 1), NULL)")
    t.sql("INSERT INTO t VALUES (1, NULL, array())")
    t.sql("SELECT * FROM t")


def case_types_from_python(t: Recorder) -> None:
    rows = [
        (
            1,
            "a",
            1.5,
            True,
            dt.date(2020, 1, 2),
            dt.datetime(2020, 1, 2, 3, 4, 5, 6),  # noqa: DTZ001
            Decimal("1.10"),
            b"\x01",
            [1, None],
            {"k": 1},
            (1, "x"),
        ),
        (2, None, None, None, None, None, None, None, None, None, None),
    ]
    schema = (
        "id INT, s STRING, d DOUBLE, b BOOLEAN, day DATE, at TIMESTAMP_NTZ,"
        " dec DECIMAL(6,2), bin BINARY, l ARRAY<INT>, m MAP<STRING, INT>,"
        " r STRUCT<a: INT, b: STRING>"
    )
    frame = t.spark.createDataFrame(rows, schema)
    t.attempt("save", lambda: frame.write.format("delta").save(t.path))
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))
    t.attempt("append", lambda: frame.write.format("delta").mode("append").save(t.path))
    t.value("count", lambda: t.spark.read.format("delta").load(t.path).count())
    t.log(t.path)


def case_types_nullability_of_a_frame(t: Recorder) -> None:
    frame = t.spark.createDataFrame([(1, [1])], "id INT NOT NULL, l ARRAY<INT>")
    t.attempt("save", lambda: frame.write.format("delta").save(t.path))
    t.attempt("table", lambda: frame.write.format("delta").saveAsTable("t"))
    t.attempt("writeTo", lambda: frame.writeTo("u").using("delta").create())
    t.show("path", lambda: t.spark.read.format("delta").load(t.path))
    t.show("t", lambda: t.spark.table("t"))
    t.show("u", lambda: t.spark.table("u"))


def case_types_variant(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, v VARIANT) USING delta")
    t.log("t")
    t.sql("""INSERT INTO t SELECT 1, parse_json('{"a": [1, "x", null]}')""")
    t.sql("INSERT INTO t VALUES (2, NULL)")
    t.sql("SELECT id, CAST(v AS STRING) AS v, variant_get(v, '$.a[0]', 'int') AS a FROM t")


def case_types_void_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n VOID) USING delta")
    t.sql("INSERT INTO t VALUES (1, NULL)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t")
    t.sql("INSERT INTO t (id) VALUES (2)")
    t.sql("SELECT count(*) AS n FROM t")


def case_types_collated_string(t: Recorder) -> None:
    t.sql("CREATE TABLE t (s STRING COLLATE UNICODE_CI) USING delta")
    t.sql("INSERT INTO t VALUES ('a'), ('A')")
    t.sql("SELECT count(*) AS n FROM t WHERE s = 'a'")


def case_types_timestamps_in_zones(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (at TIMESTAMP, ntz TIMESTAMP_NTZ, p TIMESTAMP) USING delta"
        " PARTITIONED BY (p)"
    )
    t.conf("spark.sql.session.timeZone", "America/New_York")
    t.sql(
        "INSERT INTO t VALUES (TIMESTAMP'2020-07-01 00:00:00', TIMESTAMP_NTZ'2020-07-01 00:00:00',"
        " TIMESTAMP'2020-07-01 00:00:00.5')"
    )
    t.log("t", 1)
    t.conf("spark.sql.session.timeZone", "Asia/Kolkata")
    t.sql(
        "SELECT CAST(at AS STRING) AS at, CAST(ntz AS STRING) AS ntz, CAST(p AS STRING) AS p FROM t"
    )
    t.sql("SELECT count(*) AS n FROM t WHERE p = TIMESTAMP'2020-07-01 09:30:00.5'")


def case_types_old_dates(t: Recorder) -> None:
    t.sql("CREATE TABLE t (d DATE, at TIMESTAMP, p DATE) USING delta PARTITIONED BY (p)")
    t.sql(
        "INSERT INTO t VALUES (DATE'1500-02-28', TIMESTAMP'1582-10-04 12:00:00',"
        " DATE'1500-02-28'), (DATE'1582-10-15', TIMESTAMP'1900-01-01 00:00:00', DATE'0099-01-01')"
    )
    t.sql("SELECT CAST(d AS STRING) AS d, CAST(at AS STRING) AS at, CAST(p AS STRING) AS p FROM t")
    t.log("t", 1)


def case_types_wide_and_deep_schema(t: Recorder) -> None:
    columns = ", ".join(f"c{n} INT" for n in range(120))
    t.sql(f"CREATE TABLE t ({columns}) USING delta")
    t.attempt(
        "insert",
        lambda: t.spark.sql("INSERT INTO t SELECT " + ", ".join(str(n) for n in range(120))),
    )
    t.sql("SELECT c0, c40, c119 FROM t WHERE c119 = 119 AND c50 > 1")
