"""The SQL of Columns of Spark Connect; tests/ways has what a server makes of it."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest
from pyspark.sql.connect import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.api.connect.column_sql import column_sql
from puredelta.errors import DeltaUnsupportedOperationError

SESSION = SimpleNamespace(client=None)


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (True, "true"),
        (7, "CAST(7 AS INT)"),
        (1 << 40, "CAST(1099511627776 AS BIGINT)"),
        (0.1, "CAST('0.1' AS DOUBLE)"),
        (float("-inf"), "CAST('-inf' AS DOUBLE)"),
        ("it's \\ it", r"'it\'s \\ it'"),
        (b"\x00\xff", "X'00ff'"),
        (Decimal("1.50"), "CAST('1.50' AS DECIMAL(10, 2))"),
        (Decimal("12345678901.5"), "CAST('12345678901.5' AS DECIMAL(12, 1))"),
        (date(1500, 1, 1), "DATE'1500-01-01'"),
        (timedelta(microseconds=-1), "make_dt_interval(0, 0, 0, -1 / 1000000BD)"),
        (["a", "b"], "`array`('a', 'b')"),
    ],
)
def test_literals(value, sql):
    assert column_sql(F.lit(value), SESSION) == sql


def test_times_are_instants():
    moment = datetime(2026, 1, 2, 3, 4, 5, 6).astimezone()

    micros = int(moment.timestamp()) * 1_000_000 + 6
    assert column_sql(F.lit(moment), SESSION) == f"timestamp_micros({micros})"


@pytest.mark.parametrize(
    ("column", "sql"),
    [
        (F.col("t.id") == F.col("s.id"), "`==`(t.id, s.id)"),
        (~F.col("`a b`").isNull(), "`not`(`isNull`(`a b`))"),
        (F.expr("a + 1").alias("b"), "(a + 1)"),
        (F.col("a").cast("string"), "CAST(a AS string)"),
        (F.col("a")["x"], "a['x']"),
        (F.call_function("db.f", F.col("a")), "db.f(a)"),
        (F.count_distinct("a"), "`count`(DISTINCT a)"),
    ],
)
def test_expressions(column, sql):
    assert column_sql(column, SESSION) == sql


def test_functions_with_one_and_two_variables():
    one = column_sql(F.transform("a", lambda x: x + F.lit(1)), SESSION)
    two = column_sql(F.transform("a", lambda x, n: x + n), SESSION)

    assert " -> `+`(" in one
    assert "(`" not in one.partition(" -> ")[0].removeprefix("`transform`(a, ")
    assert two.partition(" -> ")[0].endswith("`)")


@pytest.mark.parametrize("column", [F.col("*"), F.udf(lambda a: a)("a"), F.asc("a")])
def test_what_sql_cannot_say_is_refused(column):
    with pytest.raises(DeltaUnsupportedOperationError, match="PUREDELTA_CONNECT_COLUMN"):
        column_sql(column, SimpleNamespace(client=SimpleNamespace(_user_agent=None)))
