"""Which values become values of a column, and that none of them changes."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from puredelta.errors import DeltaError
from puredelta.rows.writing.exact_casts import cast_exactly
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

NAN = float("nan")
UTC = dt.timezone.utc
MONEY = DecimalType(5, 2)
PAIR = StructType((StructField("a", LONG), StructField("b", STRING)))
PAIRS = pa.struct({"B": pa.string(), "A": pa.int8()})


def cast(array: pa.Array, data_type):
    column = pa.chunked_array([array])
    return cast_exactly(column, data_type, type_to_arrow(data_type), ("c",)).to_pylist()


@pytest.mark.parametrize(
    ("array", "data_type", "expected"),
    [
        (pa.array([1, None], pa.int32()), LONG, [1, None]),
        (pa.array([127], pa.int64()), BYTE, [127]),
        (pa.array([255], pa.uint8()), SHORT, [255]),
        (pa.array([2**64 - 1], pa.uint64()), DecimalType(20, 0), [Decimal(2**64 - 1)]),
        (pa.array([3.0, None]), INTEGER, [3, None]),
        (pa.array([2**53]), DOUBLE, [float(2**53)]),
        (pa.array([0.5, NAN, None]), FLOAT, pytest.approx([0.5, NAN, None], nan_ok=True)),
        (pa.array([0.5], pa.float32()), DOUBLE, [0.5]),
        (pa.array([1.5], pa.float16()), FLOAT, [1.5]),
        (pa.array([12]), MONEY, [Decimal("12.00")]),
        (pa.array([Decimal("1.5")], pa.decimal128(2, 1)), MONEY, [Decimal("1.50")]),
        (pa.array([Decimal("1.50")], pa.decimal256(60, 2)), MONEY, [Decimal("1.50")]),
        (pa.array([Decimal("7.00")], pa.decimal128(5, 2)), INTEGER, [7]),
        (pa.array(["x", None], pa.large_string()), STRING, ["x", None]),
        (pa.array(["x"], pa.string_view()), STRING, ["x"]),
        (pa.array(["x", "x", None]).dictionary_encode(), STRING, ["x", "x", None]),
        (pa.RunEndEncodedArray.from_arrays([2], [5]), LONG, [5, 5]),
        (pa.array([b"ab", None], pa.binary(2)), BINARY, [b"ab", None]),
        (pa.array([True]), BOOLEAN, [True]),
        (pa.array([dt.date(2026, 1, 2)], pa.date64()), DATE, [dt.date(2026, 1, 2)]),
        (pa.array([1000], pa.timestamp("ns", "Europe/Oslo")), TIMESTAMP,
         [dt.datetime(1970, 1, 1, 0, 0, 0, 1, UTC)]),
        (pa.array([1], pa.timestamp("s")), TIMESTAMP_NTZ,
         [dt.datetime.fromisoformat("1970-01-01 00:00:01")]),
        (pa.nulls(2), PAIR, [None, None]),
        (pa.array([None, {"B": "x", "A": 1}], PAIRS), PAIR, [None, {"a": 1, "b": "x"}]),
        (pa.array([[9], None, [], [1, None]], pa.list_(pa.int8())).slice(1), ArrayType(LONG),
         [None, [], [1, None]]),
        (pa.array([[9, 9], None, [1, 2]], pa.list_(pa.int8(), 2)).slice(1), ArrayType(LONG),
         [None, [1, 2]]),
        (pa.array([[9], None, [1]], pa.list_view(pa.int8())).slice(1), ArrayType(LONG),
         [None, [1]]),
        (pa.array([[{"B": "x", "A": 1}, None]], pa.large_list(PAIRS)), ArrayType(PAIR),
         [[{"a": 1, "b": "x"}, None]]),
        (pa.array([[("z", 9)], None, [("a", 1), ("b", None)]], pa.map_(pa.string(), pa.int8()))
         .slice(1), MapType(STRING, LONG), [None, [("a", 1), ("b", None)]]),
    ],
)  # fmt: skip
def test_values_stay_what_they_are(array, data_type, expected):
    assert cast(array, data_type) == expected


@pytest.mark.parametrize(
    ("array", "data_type"),
    [
        (pa.array(["1"]), INTEGER),
        (pa.array([1]), STRING),
        (pa.array([1]), BOOLEAN),
        (pa.array([True]), INTEGER),
        (pa.array([1.5]), MONEY),
        (pa.array([Decimal("1.5")]), DOUBLE),
        (pa.array([dt.date(2026, 1, 2)]), TIMESTAMP_NTZ),
        (pa.array([1], pa.timestamp("us")), TIMESTAMP),
        (pa.array([1], pa.timestamp("us", "UTC")), TIMESTAMP_NTZ),
        (pa.array([1], pa.timestamp("us")), DATE),
        (pa.array(["x"]), BINARY),
        (pa.array([[1]]), LONG),
        (pa.array([1]), ArrayType(LONG)),
        (pa.array(["x"]), PAIR),
    ],
)
def test_another_type_is_refused(array, data_type):
    with pytest.raises(DeltaError) as caught:
        cast(array, data_type)

    assert caught.value.getCondition() == "PUREDELTA_WRITE_TYPE_DIFFERS"
    assert caught.value.parameters["column"] == "c"


@pytest.mark.parametrize(
    ("array", "data_type", "column"),
    [
        (pa.array([1, 128]), BYTE, "c"),
        (pa.array([1.5]), INTEGER, "c"),
        (pa.array([NAN]), INTEGER, "c"),
        (pa.array([2**53 + 1]), DOUBLE, "c"),
        (pa.array([2**24 + 1]), FLOAT, "c"),
        (pa.array([0.1]), FLOAT, "c"),
        (pa.array([1e300]), FLOAT, "c"),
        (pa.array([1000]), MONEY, "c"),
        (pa.array([Decimal("1.555")]), MONEY, "c"),
        (pa.array([Decimal("1.5")]), INTEGER, "c"),
        (pa.array([1], pa.timestamp("ns")), TIMESTAMP_NTZ, "c"),
        (pa.array([[0], [300]]), ArrayType(BYTE), "c.element"),
        (pa.array([{"a": 2**40}]), StructType((StructField("a", INTEGER),)), "c.a"),
    ],
)
def test_a_value_that_would_change_is_refused(array, data_type, column):
    with pytest.raises(DeltaError) as caught:
        cast(array, data_type)

    assert caught.value.getCondition() == "PUREDELTA_WRITE_VALUE_DIFFERS"
    assert caught.value.parameters["column"] == column


def test_values_of_null_lists_do_not_count():
    hidden = pa.ListArray.from_arrays([0, 1, 2], pa.array([300, 1]), mask=pa.array([True, False]))

    assert cast(hidden, ArrayType(BYTE)) == [None, [1]]


def test_fields_of_structs_are_found_by_name():
    with pytest.raises(DeltaError, match="no column bb"):
        cast(pa.array([{"a": 1, "bb": "x"}]), PAIR)
    twice = pa.array([{"a": 1, "A": 2}], pa.struct({"a": pa.int8(), "A": pa.int8()}))
    with pytest.raises(DeltaError, match=r"c\.a"):
        cast(twice, PAIR)
