"""Which columns of an Iceberg table were widened: older files have the older types.

Protocol: Type Widening, Type Change Metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pyiceberg import types as iceberg

from puredelta.conversion.iceberg.columns import primitive
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.table.columns.type_widening import with_type_changes
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY, all_fields


def type_changes(history: Sequence[Any]) -> dict[int, list[object]]:
    """Return what the log has to say of columns that were widened.

    Args:
        history: All schemas that the table had, the oldest first.

    Returns:
        The changes of a column, the oldest first, by its id.
    """
    found: dict[int, list[object]] = {}
    schemas = [_by_numbers(schema.fields) for schema in history]
    for before, after in pairwise(schemas):
        for field in all_fields(with_type_changes(before, after)):
            changes = field.metadata.get(TYPE_CHANGES_KEY)
            if isinstance(changes, list):
                found.setdefault(int(field.name), []).extend(changes)
    return found


def _by_numbers(fields: Sequence[Any]) -> StructType:
    """Name columns by their ids, under which they are the same in all schemas."""
    return StructType(
        tuple(StructField(str(one.field_id), _type(one.field_type)) for one in fields)
    )


def _type(found: Any) -> DataType:
    match found:
        case iceberg.StructType():
            return _by_numbers(found.fields)
        case iceberg.ListType():
            return ArrayType(_type(found.element_type))
        case iceberg.MapType():
            return MapType(_type(found.key_type), _type(found.value_type))
    return primitive(found) or UnknownType(str(found))
