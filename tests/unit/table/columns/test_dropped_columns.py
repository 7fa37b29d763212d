"""Columns that files have and their table does not."""

import pyarrow as pa
import pytest

from puredelta.schema.datatypes import (
    INTEGER,
    STRING,
    VARIANT,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.column_mapping import PARQUET_ID_KEY
from puredelta.table.columns.dropped_columns import has_other_columns, may_have_dropped

PAIR = pa.struct([("a", pa.int32()), ("b", pa.int32())])
ONE = StructType((StructField("a", INTEGER),))
TABLE = StructType((StructField("id", INTEGER), StructField("v", STRING)))


def table(name, data_type):
    return StructType((StructField(name, data_type),))


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        ([("id", pa.int32()), ("v", pa.string())], False),
        ([("id", pa.int32())], False),
        ([("ID", pa.int64())], False),
        ([], False),
        ([("id", pa.int32()), ("w", pa.string())], True),
        ([("id", pa.int32()), ("_row", pa.int64())], False),
    ],
)
def test_columns_of_a_file_are_looked_for_in_the_table(columns, outcome):
    assert has_other_columns(pa.schema(columns), TABLE, {"_row"}) is outcome


@pytest.mark.parametrize(
    ("in_file", "in_table"),
    [
        (PAIR, ONE),
        (pa.list_(PAIR), ArrayType(ONE, True)),
        (pa.map_(pa.string(), PAIR), MapType(STRING, ONE, True)),
        (pa.map_(PAIR, pa.string()), MapType(ONE, STRING, True)),
        (pa.list_(pa.list_(PAIR)), ArrayType(ArrayType(ONE, True), True)),
        (pa.struct([("a", PAIR)]), table("a", ONE)),
    ],
)
def test_fields_at_any_depth_are_found(in_file, in_table):
    assert has_other_columns(pa.schema([("s", in_file)]), table("s", in_table))


def test_parts_of_a_variant_are_no_columns():
    stored = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])

    assert not has_other_columns(pa.schema([("v", stored)]), table("v", VARIANT))


def test_ids_tell_columns_where_they_find_them():
    known = StructType((StructField("x", INTEGER, metadata={PARQUET_ID_KEY: 1}),))

    def file(name, number):
        return pa.schema([pa.field(name, pa.int32(), metadata={"PARQUET:field_id": number})])

    assert not has_other_columns(file("other name", "1"), known)
    assert has_other_columns(file("x", "2"), known)


def test_table_that_maps_columns_knows_whether_one_is_gone():
    mapped = {"delta.columnMapping.mode": "name"}

    assert not may_have_dropped(TABLE, {**mapped, "delta.columnMapping.maxColumnId": "2"})
    assert may_have_dropped(TABLE, {**mapped, "delta.columnMapping.maxColumnId": "3"})
    assert may_have_dropped(TABLE, {})
