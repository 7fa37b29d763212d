"""Filters: which rows Arrow keeps, and what statistics are asked."""

from datetime import date, datetime, timezone
from decimal import Decimal

import pyarrow as pa
import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.rows.filters import read_filter
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    STRING,
    TIMESTAMP,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.predicate import And, Column, Comparison, Literal, Or, Unknown

TYPES = {
    "id": INTEGER,
    "name": STRING,
    "day": DATE,
    "at": TIMESTAMP,
    "price": DecimalType(5, 2),
    "share": DOUBLE,
}
SCHEMA = StructType(tuple(StructField(name, kind) for name, kind in TYPES.items()))
ROWS = pa.table({"id": pa.array([1, 2, 3, None], pa.int32()), "name": ["a", None, "b", "a"]})


def kept(given):
    return ROWS.filter(read_filter(given, SCHEMA).expression)["id"].to_pylist()


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ([("id", ">", 1)], [2, 3]),
        ([("ID", "<=", "2")], [1, 2]),
        ([("id", "!=", 2), ("name", "==", "b")], [3]),
        ([[("id", "=", 1)], [("id", "=", 3), ("name", "=", "b")]], [1, 3]),
        ([("id", "in", [2, 3, 9])], [2, 3]),
        ([("id", "IN", [])], []),
        ([("id", "not in", [2])], [1, 3]),
        ([("name", "not in", ["b"])], [1, None]),
        ([("id", "<", 2.5)], [1, 2]),
    ],
)
def test_rows_that_are_kept(given, ids):
    assert kept(given) == ids


@pytest.mark.parametrize(
    ("name", "value", "plain"),
    [
        ("id", 3, 3),
        ("name", "x", "x"),
        ("day", date(1970, 1, 3), 2),
        ("day", "1970-01-03", 2),
        ("at", datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), 1_000_000),
        ("price", Decimal("1.5"), 150),
        ("share", 0.5, 0.5),
    ],
)
def test_statistics_get_values_of_the_column(name, value, plain):
    found = read_filter([(name, ">=", value)], SCHEMA).condition

    expected = Comparison(">=", Column((name,)), Literal(plain, TYPES[name]))
    assert found == Or((And((expected,)),))


@pytest.mark.parametrize(("name", "value"), [("id", 2.5), ("share", float("nan")), ("name", "")])
def test_statistics_are_not_asked_about_other_values(name, value):
    assert read_filter([(name, "<", value)], SCHEMA).condition == Or((And((Unknown(),)),))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "an empty one"),
        ({"id": 3}, "it is no list"),
        ([[]], "an empty one"),
        ([("id", 3)], "a column, an operator and a value"),
        ([("id", "~", 3)], "'~' is none of"),
    ],
)
def test_what_is_no_filter_is_refused(given, reason):
    with pytest.raises(DeltaIllegalArgumentError, match=reason) as raised:
        read_filter(given, SCHEMA)
    assert raised.value.condition == "PUREDELTA_FILTER_INVALID"


def test_unknown_column_is_named():
    with pytest.raises(DeltaAnalysisError, match="like it: price"):
        read_filter([("prise", "=", 1)], SCHEMA)
