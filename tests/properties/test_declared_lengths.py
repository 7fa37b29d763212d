"""Declared lengths are read as they were written, whatever the names."""

import hypothesis.strategies as st
from hypothesis import given

from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    INTEGER,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.schema.walk import each_field
from puredelta.table.columns.char_lengths import with_declared_lengths

NAMES = st.text("aB :,<>()`.é", min_size=1, max_size=4)
PLAIN = st.sampled_from([INTEGER, STRING, DecimalType(10, 2)])
LENGTHS = st.one_of(st.none(), st.integers(1, 99).map("varchar({})".format))


def _fields(types):
    field = st.builds(_field, NAMES, types, LENGTHS)
    return st.lists(field, min_size=1, max_size=3, unique_by=lambda one: one.name.lower())


def _field(name, data_type, length):
    metadata = {DECLARED_TYPE_KEY: length} if length and data_type == STRING else {}
    return StructField(name, data_type, metadata=metadata)


TYPES = st.recursive(
    PLAIN,
    lambda types: st.one_of(
        _fields(types).map(lambda fields: StructType(tuple(fields))),
        types.map(ArrayType),
        st.builds(MapType, types, types),
    ),
    max_leaves=6,
)


@given(_fields(TYPES))
def test_lengths_at_the_top_are_read_as_they_were_written(fields):
    schema = StructType((StructField("s", StructType(tuple(fields))),))

    once = with_declared_lengths(schema, schema)

    assert with_declared_lengths(once, once) == once
    assert with_declared_lengths(schema, once) == once


@given(_fields(TYPES), NAMES)
def test_names_do_not_matter(fields, name):
    schema = StructType((StructField("s", StructType(tuple(fields))),))
    numbered = _with_numbers(schema)
    told = with_declared_lengths(numbered, numbered)
    renamed = each_field(told, lambda field: StructField(f"{name}{field.name}", *_rest(field)))

    found = with_declared_lengths(told, renamed)

    assert _sizes(found) == _sizes(told)


def _rest(field):
    return field.data_type, field.nullable, field.metadata


def _with_numbers(schema):
    numbers = iter(range(1, 1000))

    def numbered(field):
        metadata = {**field.metadata, "delta.columnMapping.id": next(numbers)}
        return StructField(field.name, field.data_type, field.nullable, metadata)

    return each_field(schema, numbered)


def _sizes(schema):
    """The lengths at the top, in order; a name may hold none of the letters of a length."""
    text = str(schema.fields[0].metadata.get(DECLARED_TYPE_KEY, ""))
    return [part.split(")")[0] for part in text.split("varchar(")[1:]]
