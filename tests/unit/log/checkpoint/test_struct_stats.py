"""Statistics in columns become the text that they are elsewhere."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa

from puredelta.log.checkpoint.struct_stats import stats_texts


def text_of(value: object, kind: pa.DataType) -> str:
    return stats_texts(pa.array([{"v": value}], pa.struct([("v", kind)]))).to_pylist()[0]


def test_values_are_written_by_their_types():
    moment = dt.datetime.fromisoformat("2024-01-02T03:04:05.123")
    cases = [
        (7, pa.int8(), 7),
        (2**62, pa.int64(), 2**62),
        (1.5, pa.float32(), 1.5),
        (1e300, pa.float64(), 1e300),
        (Decimal("-12.345"), pa.decimal128(20, 3), -12.345),
        (True, pa.bool_(), True),
        ("ä", pa.string(), "ä"),
        ("ä", pa.large_string(), "ä"),
        (dt.date(2024, 2, 29), pa.date32(), "2024-02-29"),
        (moment, pa.timestamp("us", "UTC"), "2024-01-02T03:04:05.123Z"),
        (moment, pa.timestamp("us"), "2024-01-02T03:04:05.123"),
        (moment, pa.timestamp("ms", "UTC"), "2024-01-02T03:04:05.123Z"),
        # What Arrow makes of INT96.
        (moment, pa.timestamp("ns"), "2024-01-02T03:04:05.123Z"),
        (moment.replace(microsecond=1), pa.timestamp("us"), "2024-01-02T03:04:05.000001"),
    ]

    for value, kind, expected in cases:
        assert json.loads(text_of(value, kind)) == {"v": expected}, kind


def test_text_is_escaped():
    for value in ('a"b', "back\\slash", "line\nbreak", "\x01", "tab\t\"'", ""):
        assert json.loads(text_of(value, pa.string())) == {"v": value}


def test_numbers_that_json_does_not_have_are_text():
    kind = pa.float64()

    found = [json.loads(text_of(value, kind))["v"] for value in (float("nan"), float("-inf"))]

    assert found == ["NaN", "-Infinity"]


def test_nulls_are_left_out_at_every_level():
    kind = pa.struct([("a", pa.int64()), ("s", pa.struct([("x", pa.string())])), ("b", pa.int64())])
    rows = [
        {"a": 1, "s": {"x": "y"}, "b": 2},
        {"a": None, "s": {"x": None}, "b": 2},
        {"a": None, "s": None, "b": None},
        None,
    ]

    found = stats_texts(pa.array(rows, kind)).to_pylist()

    assert found == ['{"a":1,"s":{"x":"y"},"b":2}', '{"s":{},"b":2}', "{}", None]


def test_what_has_no_bounds_is_left_out():
    kind = pa.struct([("l", pa.list_(pa.int64())), ("b", pa.binary()), ("n", pa.int64())])

    found = stats_texts(pa.array([{"l": [1], "b": b"x", "n": 1}], kind)).to_pylist()

    assert found == ['{"n":1}']


def test_names_are_escaped_and_no_rows_are_no_texts():
    kind = pa.struct([('q"', pa.int64())])

    assert json.loads(stats_texts(pa.array([{'q"': 1}], kind)).to_pylist()[0]) == {'q"': 1}
    assert len(stats_texts(pa.array([], kind))) == 0
