"""Files that were written before ALTER TABLE are good after it, or not."""

import pytest

from puredelta.log.actions import Format, Metadata
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import (
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    VOID,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import ID_KEY, MODE_KEY
from puredelta.table.columns.later_schemas import are_files_valid


def metadata(mode="none", **columns):
    fields = []
    for number, (name, given) in enumerate(columns.items(), 1):
        physical, kind = given if isinstance(given, tuple) else (name, given)
        mapped = {} if mode == "none" else {PHYSICAL_NAME_KEY: physical, ID_KEY: number}
        fields.append(StructField(name, kind, metadata=mapped))
    return Metadata(
        id="t",
        format=Format(),
        schema_string=schema_to_json(StructType(tuple(fields))),
        partition_columns=[],
        configuration={MODE_KEY: mode},
    )


def struct(**fields):
    return StructType(tuple(StructField(name, kind) for name, kind in fields.items()))


@pytest.mark.parametrize(
    ("before", "after", "valid"),
    [
        ({"a": INTEGER}, {"a": INTEGER, "b": STRING}, True),
        ({"a": INTEGER}, {"b": STRING, "a": INTEGER}, True),
        ({"a": INTEGER}, {"a": LONG}, True),
        ({"a": LONG}, {"a": INTEGER}, False),
        ({"a": INTEGER}, {"a": STRING}, False),
        ({"a": VOID}, {"a": STRING}, True),
        ({"a": INTEGER, "b": INTEGER}, {"a": INTEGER}, False),
        ({"s": struct(x=INTEGER)}, {"s": struct(x=INTEGER, y=STRING)}, True),
        ({"s": struct(x=INTEGER, y=STRING)}, {"s": struct(x=INTEGER)}, False),
        ({"s": struct(x=INTEGER)}, {"s": INTEGER}, False),
        ({"l": ArrayType(INTEGER)}, {"l": ArrayType(DOUBLE)}, True),
        ({"l": ArrayType(LONG)}, {"l": ArrayType(INTEGER)}, False),
        ({"m": MapType(INTEGER, LONG)}, {"m": MapType(LONG, LONG)}, True),
        ({"m": MapType(LONG, LONG)}, {"m": MapType(LONG, INTEGER)}, False),
    ],
)
def test_columns_of_files_have_to_be_there_with_their_values(before, after, valid):
    assert are_files_valid(metadata(**before), metadata(**after)) is valid


def test_mapped_columns_are_known_by_their_names_in_files():
    before = metadata("name", a=("c1", INTEGER), b=("c2", STRING))

    assert are_files_valid(before, metadata("name", z=("c1", INTEGER), b=("c2", STRING)))
    assert are_files_valid(before, metadata("name", a=("c1", INTEGER)))
    assert are_files_valid(before, metadata("name", a=("c1", LONG), b=("c3", INTEGER)))
    assert not are_files_valid(before, metadata("name", a=("c2", INTEGER)))


@pytest.mark.parametrize(
    ("old", "new", "valid"),
    [("none", "name", True), ("none", "id", False), ("name", "none", False), ("name", "id", False)],
)
def test_mapping_may_only_begin(old, new, valid):
    assert are_files_valid(metadata(old, a=INTEGER), metadata(new, a=INTEGER)) is valid
