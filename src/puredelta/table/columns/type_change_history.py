"""Columns whose type was widened: files that still have the older type, and removal of the record.

Protocol: Type Widening, Type Change Metadata.
"""

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.types as pt

from puredelta.schema.changes import ELEMENT, KEY, VALUE, Path
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY

# The types that can be widened. Timestamps differ in unit from writer to writer, without widening.
_KINDS = (pt.is_signed_integer, pt.is_floating, pt.is_decimal, pt.is_date, pt.is_timestamp)


def widened_fields(schema: StructType) -> Iterator[tuple[Path, StructField]]:
    """Yield the columns that record older types, outer ones first, with their paths."""
    yield from _widened_below((), schema)


def _widened_below(path: Path, data_type: DataType) -> Iterator[tuple[Path, StructField]]:
    match data_type:
        case StructType():
            for field in data_type:
                inner = (*path, field.name)
                if TYPE_CHANGES_KEY in field.metadata:
                    yield inner, field
                yield from _widened_below(inner, field.data_type)
        case ArrayType(element):
            yield from _widened_below((*path, ELEMENT), element)
        case MapType(key, value):
            yield from _widened_below((*path, KEY), key)
            yield from _widened_below((*path, VALUE), value)


def without_type_changes(schema: StructType) -> StructType:
    """Return a schema without the record of the types that its columns had before."""
    return each_field(schema, _without_changes)


def _without_changes(field: StructField) -> StructField:
    if TYPE_CHANGES_KEY not in field.metadata:
        return field
    kept = {key: value for key, value in field.metadata.items() if key != TYPE_CHANGES_KEY}
    return replace(field, metadata=kept)


def has_older_type(file: pa.DataType, table: pa.DataType) -> bool:
    """Return whether a column of a file has to be widened when it is read, at any depth.

    Args:
        file: The type in the file.
        table: The type in the table, with the names of the files.
    """
    if pt.is_struct(file) and pt.is_struct(table):
        inner = ((field, table.get_field_index(field.name)) for field in file)
        return any(
            # A field that the file lacks is read as null, whatever its type.
            index >= 0 and has_older_type(field.type, table.field(index).type)
            for field, index in inner
        )
    if pt.is_list(file) and pt.is_list(table):
        return has_older_type(file.value_type, table.value_type)
    if pt.is_map(file) and pt.is_map(table):
        return has_older_type(file.key_type, table.key_type) or has_older_type(
            file.item_type, table.item_type
        )
    if pt.is_timestamp(file) and pt.is_timestamp(table):
        return False
    return bool(file != table and any(is_kind(file) for is_kind in _KINDS))
