"""Conditions of Spark as expressions of Arrow: three-valued, NaN the greatest, or none at all."""

import pyarrow as pa
import pytest

from puredelta.rows.exact_conditions import rows_where
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.skipping.predicate import (
    UNKNOWN,
    And,
    CastValue,
    Column,
    Comparison,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
    YearValue,
)

SCHEMA = StructType(
    (
        StructField("i", INTEGER),
        StructField("d", DOUBLE),
        StructField("s", STRING),
        StructField("day", DATE),
        StructField("cut", STRING, metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(5)"}),
        StructField("inner", StructType((StructField("x", INTEGER),))),
    )
)
NAN = float("nan")
ROWS = pa.table(
    {
        "i": pa.array([1, 2, None, -3], pa.int32()),
        "d": pa.array([NAN, -0.0, None, 5.0]),
        "s": ["ab", "a%", None, ""],
        "day": pa.array([0, 1, None, 2], pa.int32()).cast(pa.date32()),
    }
)
N, D, S, DAY = (Column((name,)) for name in ("i", "d", "s", "day"))


def is_n(operator, value):
    return Comparison(operator, N, Literal(value, INTEGER))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Constant(True), [0, 1, 2, 3]),
        (Constant(None), []),
        (is_n("=", 2), [1]),
        (Not(is_n("=", 2)), [0, 3]),
        (is_n("<=>", 2), [1]),
        (Not(is_n("<=>", 2)), [0, 2, 3]),
        (Comparison("<", Literal(1, INTEGER), N), [1]),
        (Comparison(">=", CastValue(N, LONG), Literal(1, LONG)), [0, 1]),
        (Comparison("=", D, Literal(NAN, DOUBLE)), [0]),
        (Comparison(">", D, Literal(5.0, DOUBLE)), [0]),
        (Comparison("<", S, Literal("ab", STRING)), [1, 3]),
        (Comparison(">", DAY, Literal(0, DATE)), [1, 3]),
        (In(N, (1, 2), INTEGER), [0, 1]),
        (Not(In(N, (1, 2), INTEGER)), [3]),
        (Not(In(N, (1, 2), INTEGER, has_null=True)), []),
        (In(CastValue(N, LONG), (2,), LONG), [1]),
        (StartsWith(S, "a%"), [1]),
        (IsNull(N), [2]),
        (Not(IsNull(D)), [0, 1, 3]),
        (IsNull(is_n("=", 1)), [2]),
        (Not(IsTrue(is_n("=", 1))), [1, 2, 3]),
        (And((is_n(">", 0), Comparison("<", D, Literal(1.0, DOUBLE)))), [1]),
        (Or((IsNull(N), is_n("<", 0))), [2, 3]),
        (Not(And((is_n(">", 0), Constant(None)))), [3]),
    ],
)
def test_rows_for_which_a_condition_is_true(condition, expected):
    expression = rows_where(condition, SCHEMA)
    assert expression is not None
    found = ROWS.append_column("n", pa.array(range(4))).filter(expression)
    assert found["n"].to_pylist() == expected


@pytest.mark.parametrize(
    "condition",
    [
        UNKNOWN,
        And((is_n("=", 1), UNKNOWN)),
        Not(Or((is_n("=", 1), UNKNOWN))),
        is_n("=", None),
        Comparison("=", D, Literal(0.0, DOUBLE)),
        In(D, (5.0,), DOUBLE),
        Comparison("=", N, Column(("d",))),
        Comparison("=", CastValue(S, INTEGER), Literal(1, INTEGER)),
        Comparison("=", CastValue(N, DecimalType(10, 0)), Literal(1, DecimalType(10, 0))),
        Comparison("=", CastValue(Column(("i",)), STRING), Literal("1", STRING)),
        Comparison("=", YearValue(DAY), Literal(1970, INTEGER)),
        Comparison("=", Column(("cut",)), Literal("a", STRING)),
        Comparison("=", Column(("inner", "x")), Literal(1, INTEGER)),
        Comparison("=", Column(("gone",)), Literal(1, INTEGER)),
        IsNull(YearValue(DAY)),
    ],
    ids=repr,
)
def test_conditions_that_only_spark_can_decide(condition):
    assert rows_where(condition, SCHEMA) is None


def test_an_integer_is_not_made_narrower():
    schema = StructType((StructField("n", LONG),))
    condition = Comparison("=", CastValue(Column(("n",)), INTEGER), Literal(1, INTEGER))
    assert rows_where(condition, schema) is None
