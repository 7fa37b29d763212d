"""Statistics are parsed for the columns that are asked for, and nothing that is odd gets in."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from puredelta.log.file_stats import Batches, file_stats, num_records, parsed_stats
from puredelta.log.files import files_table
from tests.unit.log.logs import add

COUNTS = pa.struct([("numRecords", pa.int64())])
KINDS = {
    ("l",): (pa.int64(), 4, 4),
    ("i",): (pa.int32(), -3, -3),
    ("f",): (pa.float32(), 1.5, 1.5),
    ("d",): (pa.float64(), 1e300, 1e300),
    ("dc",): (pa.decimal128(20, 3), 12.345, Decimal("12.345")),
    ("s",): (pa.string(), 'a"\n', 'a"\n'),
    ("dt",): (pa.date32(), "2024-02-29", dt.date(2024, 2, 29)),
    ("tn",): (
        pa.timestamp("us"),
        "2024-01-02T03:04:05.123",
        dt.datetime.fromisoformat("2024-01-02T03:04:05.123"),
    ),
    ("st", "x"): (pa.int64(), 9, 9),
}
ODD_VALUES = {
    ("l",): [2**70, "x", True, 1.5, {"a": 1}],
    ("d",): ["NaN", "Infinity", "x", []],
    ("dc",): ["x", 10**30, 1.23456],
    ("s",): [7, {}, True],
    ("dt",): ["oops", 7],
    ("tn",): ["never", 5],
    ("st", "x"): ["y"],
}


def nested(path: tuple[str, ...], value: object) -> dict:
    for name in reversed(path):
        value = {name: value}
    return value


def table(*stats: object) -> pa.Table:
    texts = [one if isinstance(one, str | None) else json.dumps(one) for one in stats]
    return files_table([add(f"f{number}", stats=text) for number, text in enumerate(texts)])


@pytest.mark.parametrize("path", KINDS)
def test_bounds_have_the_type_of_the_column(path):
    kind, written, expected = KINDS[path]
    files = table(
        {
            "numRecords": 3,
            "minValues": nested(path, written),
            "maxValues": nested(path, written),
            "nullCount": nested(path, 1),
            "tightBounds": False,
        },
        None,
        {},
    )

    found = file_stats(files, {path: kind})

    assert found.least[path].to_pylist() == [expected, None, None]
    assert found.greatest[path].to_pylist() == [expected, None, None]
    assert found.least[path].type == kind
    assert found.null_counts[path].to_pylist() == [1, None, None]
    assert found.num_records.to_pylist() == [3, None, None]
    assert found.tight_bounds.to_pylist() == [False, None, None]


def test_points_in_time_are_read_in_any_zone():
    kind = pa.timestamp("us", "UTC")
    texts = ["2024-01-02T03:04:05.123Z", "2024-01-02T05:04:05.123+02:00"]
    files = table(*({"maxValues": {"t": text}} for text in texts))

    first, second = file_stats(files, {("t",): kind}).greatest[("t",)].to_pylist()

    assert first == second == dt.datetime(2024, 1, 2, 3, 4, 5, 123000, dt.timezone.utc)


@pytest.mark.parametrize(
    ("path", "odd"), [(path, odd) for path, values in ODD_VALUES.items() for odd in values]
)
def test_value_that_does_not_fit_is_unknown_and_spoils_no_other(path, odd):
    kind, written, expected = KINDS[path]
    good = {"numRecords": 3, "minValues": nested(path, written)}
    files = table(good, {"numRecords": 4, "minValues": nested(path, odd)}, good)

    found = file_stats(files, {path: kind})

    assert found.least[path].to_pylist() == [expected, None, expected]
    assert found.num_records.to_pylist() == [3, 4, 3]


@pytest.mark.parametrize("text", ["not json", "[1]", "7", '{"numRecords":', '{"numRecords":"x"}'])
def test_text_that_is_no_statistics_is_unknown(text):
    assert num_records(table({"numRecords": 1}, text, {"numRecords": 2})).to_pylist() == [
        1,
        None,
        2,
    ]


def test_text_over_several_lines_is_one_text():
    files = table('{\n "numRecords": 5\n}', {"numRecords": 6})

    assert num_records(files).to_pylist() == [5, 6]


def test_long_tables_are_parsed_in_parts():
    stats = [{"numRecords": number} for number in range(250)]
    stats[77] = {"numRecords": "odd"}

    found = parsed_stats(table(*stats)["stats"], COUNTS, Batches(rows=100, few=10))

    assert pc.struct_field(found, "numRecords").to_pylist() == [
        None if number == 77 else number for number in range(250)
    ]


def test_text_longer_than_a_block_is_parsed():
    stats = {"numRecords": 1, "minValues": {"s": "x" * 1000}}

    found = parsed_stats(table(stats, None, stats)["stats"], COUNTS, Batches(block=64))

    assert pc.struct_field(found, "numRecords").to_pylist() == [1, None, 1]


def test_column_without_bounds_has_a_count():
    found = file_stats(table({"nullCount": {"a": 2}}), {("a",): pa.null()})

    assert found.null_counts[("a",)].to_pylist() == [2]
    assert found.least == {}


def test_no_files_have_no_statistics():
    assert num_records(table()).to_pylist() == []


@pytest.mark.parametrize(
    "odd", ["null", " null", "null{}", "[]", "7", "", " ", '{}\n{"a":1}', "{}{}"]
)
def test_text_that_is_no_object_shifts_no_other(odd):
    # Arrow ends the process at `null`, and counts objects and not texts.
    found = num_records(table(odd, '{"numRecords":1}', "", '{"numRecords":2}'))

    assert found.to_pylist() == [None, 1, None, 2]


@pytest.mark.parametrize("number", ["1e-999999999", "0E-999999999", "1e999999999"])
def test_decimal_of_a_huge_exponent_is_unknown(number):
    stats = f'{{"numRecords":1,"minValues":{{"dc":{number}}}}}'
    found = file_stats(table(stats, stats), {("dc",): pa.decimal128(20, 3)})

    assert found.least["dc",].to_pylist() == [None, None]
