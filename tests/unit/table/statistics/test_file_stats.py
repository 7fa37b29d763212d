"""Statistics by footer and by rows, against those of delta-spark and by cases."""

import datetime
import json
import math
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.schema.arrow import to_arrow
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.statistics.file_stats import (
    columns_safe_in_footers,
    stats_from_arrow,
    stats_from_footer,
)
from puredelta.table.statistics.indexed_columns import Indexing

GOLDEN = Path(__file__).parents[3] / "golden" / "stats"
GOLDEN_NAMES = sorted(path.stem for path in GOLDEN.glob("*.parquet"))
USUAL = Indexing()
LISTS_AND_MAPS = {"arr", "m", "ast"}


def schema(**columns):
    return StructType(tuple(StructField(name, kind) for name, kind in columns.items()))


def footer_of(table, **options):
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    return pq.read_metadata(pa.BufferReader(sink.getvalue()))


def by_footer(values, kind, indexing=USUAL, **options):
    columns = schema(c=kind)
    table = pa.table({"c": pa.array(values, to_arrow(columns).field("c").type)})
    return json.loads(stats_from_footer(footer_of(table, **options), columns, indexing))


def by_rows(values, kind, indexing=USUAL):
    columns = schema(c=kind)
    table = pa.table({"c": pa.array(values, to_arrow(columns).field("c").type)})
    return json.loads(stats_from_arrow(table, columns, indexing))


def without_what_json_lacks(bounds):
    """Drop NaN and infinities, which the reference writes as texts."""
    return {
        key: without_what_json_lacks(value) if isinstance(value, dict) else value
        for key, value in bounds.items()
        if value not in ("NaN", "Infinity", "-Infinity")
    }


def as_read(stats):
    """Round floats as a reader with 4-byte floats does."""
    for side in ("minValues", "maxValues"):
        stats[side] = without_what_json_lacks(stats[side])
        if "f" in stats[side]:
            stats[side]["f"] = pa.scalar(stats[side]["f"], pa.float32()).as_py()
    return stats


@pytest.mark.parametrize("name", GOLDEN_NAMES)
def test_stats_by_rows_equal_those_of_the_reference(name):
    columns = schema_from_json((GOLDEN / "schema.json").read_text())
    expected = json.loads((GOLDEN / f"{name}.stats.json").read_text())

    found = stats_from_arrow(pq.read_table(GOLDEN / f"{name}.parquet"), columns)

    assert as_read(json.loads(found)) == as_read(expected)


@pytest.mark.parametrize("name", GOLDEN_NAMES)
def test_stats_by_footer_equal_those_of_the_reference_but_for_lists_and_maps(name):
    columns = schema_from_json((GOLDEN / "schema.json").read_text())
    expected = json.loads((GOLDEN / f"{name}.stats.json").read_text())
    for column in LISTS_AND_MAPS:
        del expected["nullCount"][column]

    found = stats_from_footer(pq.read_metadata(GOLDEN / f"{name}.parquet"), columns)

    assert as_read(json.loads(found)) == as_read(expected)


def test_decimals_keep_all_their_digits():
    columns = schema_from_json((GOLDEN / "schema.json").read_text())

    found = stats_from_footer(pq.read_metadata(GOLDEN / "bounds_and_nulls.parquet"), columns)

    assert '"d9":-9999999.99,' in found
    assert '"d18":-12345678901234.5678,' in found
    assert '"d38":-1234567890123456789012345678.0123456789,' in found
    assert '"d9":1.50,' in found


def test_row_groups_are_put_together():
    found = by_footer([5, None, 1, None, None, None, 9, 7], INTEGER, row_group_size=2)

    assert found["minValues"] == {"c": 1}
    assert found["maxValues"] == {"c": 9}
    assert found["nullCount"] == {"c": 4}


def test_nulls_alone_leave_no_bounds():
    assert by_footer([None, None], STRING) == {
        "numRecords": 2,
        "minValues": {},
        "maxValues": {},
        "nullCount": {"c": 2},
    }


def test_file_without_rows_counts_none():
    assert by_footer([], INTEGER)["numRecords"] == 0
    assert by_rows([], INTEGER)["nullCount"] == {"c": 0}


@pytest.mark.parametrize("kind", [BOOLEAN, ArrayType(INTEGER)])
def test_types_without_order_have_no_bounds(kind):
    values = [True, None] if kind == BOOLEAN else [[1], None]

    assert by_footer(values, kind)["minValues"] == {}
    assert by_rows(values, kind) == {
        "numRecords": 2,
        "minValues": {},
        "maxValues": {},
        "nullCount": {"c": 1},
    }


def test_footer_cannot_count_null_lists():
    assert by_footer([[None], [], None], ArrayType(INTEGER))["nullCount"] == {}


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
def test_nan_takes_the_upper_bound_away(kind):
    values = [1.0, math.nan, -2.0, None]

    for found in (by_rows(values, kind), by_footer(values, kind)):
        assert found["minValues"] == {"c": -2.0}
        assert found["maxValues"] == {}
        assert found["nullCount"] == {"c": 1}


def test_upper_bounds_of_floats_are_trusted_only_where_nan_is_above_them():
    # Arrow leaves NaN out of a footer, so its upper bound may be one or not.
    assert by_footer([1.0, 2.0], DOUBLE)["maxValues"] == {}
    assert by_rows([1.0, 2.0], DOUBLE)["maxValues"] == {"c": 2.0}


def test_arrow_writes_no_statistics_of_floats_where_it_is_told_the_safe_columns():
    columns = schema(i=LONG, x=DOUBLE, s=schema(f=FLOAT, t=STRING), l=ArrayType(DOUBLE))
    table = pa.table(
        {"i": [1], "x": [math.nan], "s": [{"f": 1.0, "t": "a"}], "l": [[1.0]]},
        schema=to_arrow(columns),
    )

    footer = footer_of(table, write_statistics=columns_safe_in_footers(columns))

    group = footer.row_group(0)
    told = {group.column(n).path_in_schema: group.column(n).statistics for n in range(5)}
    assert {path for path, known in told.items() if known is not None} == {"i", "s.t"}


def test_statistics_switched_off_give_row_counts_only():
    found = by_footer([1, 2], INTEGER, write_statistics=False)

    assert found == {"numRecords": 2, "minValues": {}, "maxValues": {}, "nullCount": {}}


def test_int96_has_no_bounds():
    moment = datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)

    found = by_footer([moment, None], TIMESTAMP, use_deprecated_int96_timestamps=True)

    assert found["minValues"] == {}
    assert found["numRecords"] == 2


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_of_every_unit_are_cut_to_milliseconds(unit):
    columns = schema(c=TIMESTAMP, n=TIMESTAMP_NTZ)
    millis = pa.array([1_704_164_645_123, -1], pa.timestamp("ms"))
    table = pa.table(
        {
            "c": millis.cast(pa.timestamp(unit)).cast(pa.timestamp(unit, "UTC")),
            "n": millis.cast(pa.timestamp(unit)),
        }
    )

    found = json.loads(stats_from_footer(footer_of(table), columns))

    assert found["minValues"] == {"c": "1969-12-31T23:59:59.999Z", "n": "1969-12-31T23:59:59.999"}
    assert found["maxValues"] == {"c": "2024-01-02T03:04:05.123Z", "n": "2024-01-02T03:04:05.123"}


def test_file_type_that_does_not_fit_has_no_bounds():
    table = pa.table({"c": pa.array([1, 2], pa.timestamp("us"))})

    found = json.loads(stats_from_footer(footer_of(table), schema(c=LONG)))

    assert found["minValues"] == {}
    assert found["nullCount"] == {"c": 0}


def test_narrower_file_types_are_read_as_the_tables():
    table = pa.table(
        {"c": pa.array([1, 2], pa.int8()), "d": pa.array([Decimal("1.5")] * 2, pa.decimal128(4, 1))}
    )

    found = stats_from_footer(footer_of(table), schema(c=LONG, d=DecimalType(10, 3)))

    assert '"minValues":{"c":1,"d":1.500}' in found


def test_column_that_the_file_lacks_is_null_throughout():
    table = pa.table({"c": [1, 2]})

    found = json.loads(stats_from_footer(footer_of(table), schema(c=LONG, later=STRING)))

    assert found["nullCount"] == {"c": 0, "later": 2}


def test_column_without_a_type_is_null_throughout():
    table = pa.table({"c": pa.nulls(2)})
    stats = json.loads(stats_from_footer(footer_of(table), schema(c=DOUBLE)))

    assert stats["nullCount"] == {"c": 2}


def test_column_in_another_case_is_found():
    found = json.loads(stats_from_footer(footer_of(pa.table({"C": [1]})), schema(c=LONG)))

    assert found["maxValues"] == {"c": 1}


def test_dots_in_names_that_read_as_paths_are_told_from_paths():
    columns = schema(**{"a.b": LONG, "a": schema(b=LONG)})
    table = pa.table({"a.b": [1], "a": [{"b": 5}]})

    for text in (stats_from_footer(footer_of(table), columns), stats_from_arrow(table, columns)):
        found = json.loads(text)
        assert found["nullCount"] == {"a.b": 0, "a": {"b": 0}}
        assert found["minValues"] == {"a.b": 1, "a": {"b": 5}}


def test_null_structs_count_in_their_parts():
    columns = schema(s=schema(x=LONG, y=STRING))
    table = pa.table({"s": [{"x": 1, "y": None}, None]}, schema=to_arrow(columns))

    for text in (stats_from_footer(footer_of(table), columns), stats_from_arrow(table, columns)):
        found = json.loads(text)
        assert found["nullCount"] == {"s": {"x": 1, "y": 2}}
        assert found["minValues"] == {"s": {"x": 1}}


def test_variants_are_counted_by_their_metadata():
    columns = schema(v=VARIANT)
    table = pa.table({"v": [{"value": b"1", "metadata": b"2"}, None]}, schema=to_arrow(columns))

    for text in (stats_from_footer(footer_of(table), columns), stats_from_arrow(table, columns)):
        assert json.loads(text)["nullCount"] == {"v": 1}


def test_void_columns_have_no_statistics():
    found = json.loads(stats_from_footer(footer_of(pa.table({"c": [1]})), schema(c=LONG, v=VOID)))

    assert found["nullCount"] == {"c": 0}


def test_bounds_are_told_to_be_tight_where_vectors_may_come():
    text = stats_from_footer(footer_of(pa.table({"c": [1]})), schema(c=LONG), tight_bounds=True)

    assert text.endswith(',"tightBounds":true}')


def test_only_indexed_columns_get_statistics():
    columns = schema(a=LONG, s=schema(x=LONG, y=LONG), b=LONG)
    table = pa.table({"a": [1], "s": [{"x": 2, "y": 3}], "b": [4]}, schema=to_arrow(columns))

    first = json.loads(stats_from_footer(footer_of(table), columns, Indexing(count=2)))
    named = json.loads(
        stats_from_footer(footer_of(table), columns, Indexing(columns=(("B",), ("s", "y"))))
    )

    assert first["maxValues"] == {"a": 1, "s": {"x": 2}}
    assert named["maxValues"] == {"s": {"y": 3}, "b": 4}


def test_years_that_others_cannot_read_have_no_bounds():
    table = pa.table({"c": pa.array([2_932_897, -800_000], pa.int32()).cast(pa.date32())})

    for text in (
        stats_from_footer(footer_of(table), schema(c=DATE)),
        stats_from_arrow(table, schema(c=DATE)),
    ):
        assert json.loads(text)["minValues"] == {}
        assert json.loads(text)["maxValues"] == {}


def test_bytes_that_are_no_text_have_no_bounds():
    table = pa.table({"c": pa.array([b"\xff\xfe"]).cast(pa.binary())})
    columns = table.schema.set(0, pa.field("c", pa.string()))
    broken = pa.table([pa.StringArray.from_buffers(1, *table["c"].chunk(0).buffers()[1:])], columns)

    found = json.loads(stats_from_footer(footer_of(broken), schema(c=STRING)))

    assert found["minValues"] == {}
