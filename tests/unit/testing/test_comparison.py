"""Tables that are equal pass, and the message shows each way in which others differ."""

import re
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from puredelta.testing import assert_table_equal


class Flight(NamedTuple):
    """A row of Python with names."""

    id: int
    city: str | None


NO_ZONE = datetime.fromisoformat("2026-01-02T03:00:00")
ROWS = [{"id": 1, "city": "Oslo"}, {"id": 2, "city": None}]
TABLE = pa.Table.from_pylist(ROWS)
SAME = [
    TABLE,
    TABLE.take([1, 0]).select(["city", "id"]),
    TABLE.to_pandas(),
    pl.from_arrow(TABLE),
    ROWS,
    [{"id": 2}, {"city": "Oslo", "id": 1}],
    [Flight(1, "Oslo"), Flight(2, None)],
    TABLE.set_column(1, "city", TABLE["city"].dictionary_encode()),
]


def message(*tables, **options):
    with pytest.raises(AssertionError) as failed:
        assert_table_equal(*tables, **options)
    return str(failed.value)


@pytest.mark.parametrize("expected", SAME)
@pytest.mark.parametrize("actual", SAME)
def test_same_rows_in_any_form_and_order_are_equal(actual, expected):
    assert_table_equal(actual, expected)


def test_values_of_tuples_are_in_the_order_of_columns():
    assert_table_equal(TABLE, [(1, "Oslo"), (2, None)])
    assert_table_equal(TABLE.select(["city", "id"]), [("Oslo", 1), (None, 2)])


@pytest.mark.parametrize(
    ("expected", "shown"),
    [
        (
            [(1, "Oslo"), (2, "Rome")],
            "2 rows found, 2 expected. Rows: changed id=2; city: expected 'Rome', found null",
        ),
        ([(1, "Oslo")], "2 rows found, 1 expected. Rows: extra id=2, city=null"),
        (
            [(1, "Oslo"), (2, None), (2, None), (3, "Bern")],
            "2 rows found, 4 expected. Rows: missing id=2, city=null missing id=3, city='Bern'",
        ),
        ([], "2 rows found, 0 expected. Rows: extra id=1, city='Oslo' extra id=2, city=null"),
        (
            pa.table({"id": pa.array([1, 2], pa.int32()), "town": ["Oslo", None]}),
            (
                "2 rows found, 2 expected. Columns: id: expected int, found bigint"
                " town: expected string, not found city: not expected, found string"
            ),
        ),
        (
            [("1", "Oslo"), ("2", None)],
            (
                "2 rows found, 2 expected. Columns: id: expected string, found bigint Rows:"
                " changed city='Oslo'; id: expected '1', found 1"
                " changed city=null; id: expected '2', found 2"
            ),
        ),
    ],
)
def test_message_shows_how_tables_differ(expected, shown):
    found = message(TABLE, expected)

    assert " ".join(found.split()) == f"The tables differ: {shown}"


def test_message_lays_rows_out_in_lines():
    assert message(TABLE, [(1, "Oslo"), (2, "Rome"), (3, "Bern")]).splitlines() == [
        "The tables differ: 2 rows found, 3 expected.",
        "Rows:",
        "  changed  id=2; city: expected 'Rome', found null",
        "  missing  id=3, city='Bern'",
    ]


def test_message_shows_the_first_of_many_rows():
    shown = message([{"id": 1}], [{"id": 1}, *({"id": n} for n in range(10, 45))])

    assert len(re.findall("missing", shown)) == 20
    assert shown.endswith("... and 15 more that differ")


def test_rows_that_share_most_values_count_as_changed():
    found = [{"a": n, "b": n, "c": n} for n in range(4)]
    expected = [{"a": 0, "b": 0, "c": 9}, {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 7, "c": 7}]

    lines = message(found, expected).splitlines()[2:]

    assert lines == [
        "  changed  a=0, b=0; c: expected 9, found 0",
        "  missing  a=2, b=7, c=7",
        "  extra    a=2, b=2, c=2",
        "  extra    a=3, b=3, c=3",
    ]


def test_order_counts_where_it_is_asked_for():
    turned = TABLE.take([1, 0])

    assert_table_equal(TABLE, TABLE, check_row_order=True, check_column_order=True)
    assert "row 0: expected id=2, city=null; found id=1, city='Oslo'" in message(
        TABLE, turned, check_row_order=True
    )
    assert "row 1: missing  id=2, city=null" in message(
        TABLE.slice(0, 1), TABLE, check_row_order=True
    )
    assert "row 1: extra    id=2, city=null" in message(
        TABLE, TABLE.slice(0, 1), check_row_order=True
    )
    assert "order: expected city, id, found id, city" in message(
        TABLE, TABLE.select(["city", "id"]), check_column_order=True
    )


@pytest.mark.parametrize(
    ("found", "expected", "options", "are_equal"),
    [
        (1.0, 1.0 + 1e-6, {}, True),
        (1.0, 1.001, {}, False),
        (1.0, 1.001, {"rtol": 0.01}, True),
        (1.0, 1.0 + 1e-9, {"rtol": 0, "atol": 0}, False),
        (0.0, 1e-9, {}, True),
        (0.0, -0.0, {"rtol": 0, "atol": 0}, True),
        (float("nan"), float("nan"), {}, True),
        (float("nan"), 1.0, {}, False),
        (float("nan"), None, {}, False),
        (float("inf"), float("inf"), {}, True),
        (float("inf"), -float("inf"), {}, False),
        (float("inf"), 1e300, {}, False),
    ],
)
def test_floats_need_to_be_close(found, expected, options, are_equal):
    tables = [pa.table({"x": pa.array([x], pa.float64())}) for x in (found, expected)]

    for nested in (False, True):
        if nested:
            tables = [pa.table({"m": pa.array([{"l": [t["x"][0].as_py()]}])}) for t in tables]
            tables[1] = tables[1].cast(tables[0].schema)
        if are_equal:
            assert_table_equal(*tables, **options)
        else:
            message(*tables, **options)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (Decimal("1.50"), pa.decimal128(10, 2)),
        (date(2026, 1, 2), pa.date32()),
        (datetime(2026, 1, 2, 3, tzinfo=timezone.utc), pa.timestamp("us", tz="UTC")),
        (NO_ZONE, pa.timestamp("us", tz="Asia/Tokyo")),
        (NO_ZONE, pa.timestamp("us")),
        (b"\x00", pa.binary()),
        ([1, None], pa.list_(pa.int16())),
        ({"a": 1, "b": None}, pa.struct([("a", pa.int8()), ("b", pa.string())])),
        ({"a": 1, "b": 2}.items(), pa.map_(pa.string(), pa.int64())),
        (True, pa.bool_()),
    ],
)
def test_rows_of_python_take_the_types_of_the_table(value, kind):
    value = list(value) if pa.types.is_map(kind) else value
    table = pa.table({"v": pa.array([value, None], kind)})

    assert_table_equal(table, [{"v": None}, {"v": value}])
    assert "missing  v=null" in message(table, [{"v": None}, {"v": None}])


@pytest.mark.parametrize(
    ("value", "wrong", "kind"),
    [
        (2, 2.5, pa.int32()),
        (2, Decimal("2.5"), pa.int32()),
        (date(2026, 1, 2), datetime(2026, 1, 2, 3, tzinfo=timezone.utc), pa.date32()),
        ([1, None], [1.5, None], pa.list_(pa.int16())),
        ({"a": 1}, {"a": 1.5}, pa.struct([("a", pa.int64())])),
        (1.5, Decimal("1.25"), pa.float64()),
        (Decimal("1.5"), Decimal("1.555"), pa.decimal128(5, 2)),
    ],
)
def test_nothing_is_cut_off_to_fit_a_type(value, wrong, kind):
    table = pa.table({"v": pa.array([value], kind)})

    assert_table_equal(table, [{"v": value}])
    message(table, [{"v": wrong}])


def test_entries_of_a_map_have_no_order():
    kind = pa.map_(pa.string(), pa.float64())
    found, expected = ([("a", 1.0), ("b", 2.0)], [("b", 2.0), ("a", 1.0 + 1e-9)])

    assert_table_equal(pa.table({"m": pa.array([found], kind)}), [{"m": expected}])


def test_types_can_be_left_out():
    found = pa.table({"n": pa.array([1, None], pa.int32()), "s": ["a", "b"]})
    expected = pd.DataFrame({"n": [None, 1.0], "s": ["b", "a"]})

    assert "n: expected double, found int" in message(found, expected)
    assert_table_equal(found, expected, check_types=False)
    assert "n: expected 2.5, found 1.0" in message(
        found, [{"n": 2.5, "s": "a"}, {"n": None, "s": "b"}], check_types=False
    )


def test_columns_can_be_chosen():
    assert_table_equal(TABLE, [(1, "x"), (2, "y")], columns=["id"])
    assert message(TABLE, ROWS, columns=["id", "day"]) == (
        "No column day in the actual table; it has id, city"
    )


@pytest.mark.parametrize(
    ("wrong", "error"),
    [(5, TypeError), ([1, 2], TypeError), (b"ab", TypeError), ([(1,)], ValueError)],
)
def test_what_is_no_table_is_refused(wrong, error):
    with pytest.raises(error):
        assert_table_equal(TABLE, wrong)


def test_tuples_on_both_sides_have_no_names():
    with pytest.raises(ValueError, match="use dictionaries"):
        assert_table_equal([(1, 2)], [(1, 2)])
