"""Statistics really bound: no row is below the least or above the greatest value told."""

import datetime
import json
import math
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from puredelta.schema.arrow import to_arrow
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    StructField,
    StructType,
)
from puredelta.table.statistics.bound_encoding import lower_text, upper_text
from puredelta.table.statistics.file_stats import stats_from_arrow, stats_from_footer
from puredelta.table.statistics.indexed_columns import Indexing
from tests.properties.table_strategies import columns, ordered_types, texts

MILLISECOND = datetime.timedelta(milliseconds=1)


def bound_as_value(bound, kind, *, upper):
    """Read a bound as a reader does, who adds the millisecond that an upper one may lack."""
    if kind == DATE:
        return datetime.date.fromisoformat(bound)
    if kind in (TIMESTAMP, TIMESTAMP_NTZ):
        moment = datetime.datetime.fromisoformat(bound.removesuffix("Z"))
        moment += MILLISECOND if upper else datetime.timedelta(0)
        return moment.replace(tzinfo=datetime.timezone.utc) if kind == TIMESTAMP else moment
    return bound


def comparable(value):
    """NaN is above all other numbers."""
    if isinstance(value, float):
        return (1, Decimal(0)) if math.isnan(value) else (0, Decimal(value))
    if isinstance(value, (int, Decimal)):
        return (0, Decimal(value))
    return value


def check(text, kind, found):
    stats = json.loads(text, parse_float=float if kind in (FLOAT, DOUBLE) else Decimal)
    present = [value for value in found if value is not None]
    assert stats["numRecords"] == len(found)
    assert stats["nullCount"]["c"] == len(found) - len(present)
    if "c" in stats["minValues"]:
        least = bound_as_value(stats["minValues"]["c"], kind, upper=False)
        assert all(comparable(least) <= comparable(value) for value in present)
    if "c" in stats["maxValues"]:
        greatest = bound_as_value(stats["maxValues"]["c"], kind, upper=True)
        assert all(comparable(value) <= comparable(greatest) for value in present)
    if not present:
        assert stats["minValues"] == stats["maxValues"] == {}


def table_of(kind, found):
    schema = StructType((StructField("c", kind),))
    return schema, pa.table({"c": pa.array(found, to_arrow(schema).field("c").type)})


@given(columns(ordered_types()), st.integers(1, 10), st.integers(1, 5))
def test_footers_bound_all_rows(column, group_size, prefix):
    kind, found = column
    schema, table = table_of(kind, found)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=group_size)
    footer = pq.read_metadata(pa.BufferReader(sink.getvalue()))

    check(stats_from_footer(footer, schema, Indexing(prefix=prefix)), kind, found)


@given(columns(ordered_types()), st.integers(1, 5))
def test_rows_bound_themselves(column, prefix):
    kind, found = column
    schema, table = table_of(kind, found)

    check(stats_from_arrow(table, schema, Indexing(prefix=prefix)), kind, found)


@given(columns(ordered_types()), st.integers(1, 10))
def test_footer_knows_no_more_than_the_rows(column, group_size):
    kind, found = column
    schema, table = table_of(kind, found)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=group_size)
    footer = pq.read_metadata(pa.BufferReader(sink.getvalue()))

    by_footer = json.loads(stats_from_footer(footer, schema))
    by_rows = json.loads(stats_from_arrow(table, schema))

    for side in ("minValues", "maxValues"):
        for name, bound in by_footer[side].items():
            assert bound == by_rows[side].get(name, bound)


@given(texts(), st.integers(1, 40))
def test_cut_texts_bound_the_whole(text, prefix):
    least, greatest = lower_text(text, prefix), upper_text(text, prefix)

    assert least <= text
    assert len(least) <= prefix
    assert greatest is None or text <= greatest
    # Readers compare by bytes, which is the order of code points.
    assert least.encode() <= text.encode()
    assert greatest is None or text.encode() <= greatest.encode()
