"""Partition values survive the way into the log and back, in every type."""

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import BINARY, STRING, StructField, StructType
from puredelta.storage.location import unescape_partition_name
from puredelta.table.partition_values import (
    NULL_FOLDER,
    partition_folder,
    text_from_value,
    typed_column,
    value_from_text,
    values_from_folder,
)
from tests.properties.table_strategies import partition_types, same_number, texts, typed_values


@given(typed_values(partition_types()), st.sampled_from(["UTC", "Asia/Tokyo"]))
def test_value_survives_the_log(typed, zone):
    kind, value = typed
    text = text_from_value(value, kind)
    # The log has no empty text, and binary only where it is text.
    assume(text is not None)
    assume(kind != BINARY or value.decode("utf-8", "replace").encode() == value)

    assert same_number(value_from_text(text, kind, zone), value)


@given(typed_values(partition_types()))
def test_arrow_column_holds_the_same_value(typed):
    kind, value = typed
    text = text_from_value(value, kind)
    assume(kind != BINARY or value.decode("utf-8", "replace").encode() == value)

    column = typed_column(pa.array([text, text], pa.string()), kind)

    assert column.type == type_to_arrow(kind)
    read = value_from_text(text, kind)
    for found in column.to_pylist():
        assert same_number(found, read)


@given(st.lists(st.none() | texts(), min_size=1, max_size=3))
def test_folder_tells_its_texts(found):
    assume(NULL_FOLDER not in found)
    names = [f"c{number}" for number in range(len(found))]
    schema = StructType(tuple(StructField(name, STRING) for name in names))
    values = {name: text or None for name, text in zip(names, found, strict=True)}

    folder = partition_folder(values, names)

    assert folder.count("/") == len(names) - 1
    assert values_from_folder(folder, schema, names) == values
    assert unescape_partition_name(folder.partition("=")[0]) == names[0]
