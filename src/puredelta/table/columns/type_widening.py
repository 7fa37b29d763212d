"""Which type of a column may become which wider one, and how the log records the change.

Protocol: Type Widening, Type Change Metadata. Values of the older type in older files are read as
the wider one, without loss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum

from puredelta.schema.codec import type_to_json
from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY
from puredelta.table.protocol.properties import TYPE_WIDENING

_INTEGERS = (BYTE, SHORT, INTEGER, LONG)
# Protocol, Type Widening: the digits before the point that a decimal must have to represent any
# number of the type. Byte and short need as many as integer, whose Parquet type they share.
_DIGITS = {BYTE: 10, SHORT: 10, INTEGER: 10, LONG: 20}


class Widening(Enum):
    """Which types a write may widen without a request such as ALTER TABLE."""

    NEVER = "never"
    SAME_FAMILY = "same_family_type"
    ALWAYS = "always"


def automatic_widening(configuration: Mapping[str, str], asked: str) -> Widening:
    """Return what writes may do to a table.

    Args:
        configuration: the table's properties.
        asked: the setting of the session.
    """
    if not TYPE_WIDENING.of(configuration):
        return Widening.NEVER
    return Widening(asked.strip().lower())


def widens(before: DataType, after: DataType, allowed: Widening = Widening.ALWAYS) -> bool:
    """Say whether a type may become another that holds all its values."""
    if allowed is Widening.NEVER:
        return False
    if _within_family(before, after):
        return True
    return allowed is Widening.ALWAYS and _across_families(before, after)


def with_type_changes(before: StructType, after: StructType) -> StructType:
    """Return a new schema of a table, with a record of the old type of each widened column."""
    return StructType(tuple(_recorded(before.field(field.name), field) for field in after))


def _within_family(before: DataType, after: DataType) -> bool:
    if before in _INTEGERS and after in _INTEGERS:
        return _INTEGERS.index(before) < _INTEGERS.index(after)
    if isinstance(before, DecimalType) and isinstance(after, DecimalType):
        return before != after and _has_room(after, before.precision - before.scale, before.scale)
    return (before, after) == (FLOAT, DOUBLE)


def _across_families(before: DataType, after: DataType) -> bool:
    if isinstance(after, DecimalType) and before in _DIGITS:
        return _has_room(after, _DIGITS[before], 0)
    return (before, after) == (DATE, TIMESTAMP_NTZ) or (
        before in (BYTE, SHORT, INTEGER) and after == DOUBLE
    )


def _has_room(data_type: DecimalType, digits: int, scale: int) -> bool:
    return data_type.precision - data_type.scale >= digits and data_type.scale >= scale


def _recorded(before: StructField | None, after: StructField) -> StructField:
    # A new column has no files of an older type.
    if before is None or before.data_type == after.data_type:
        return after
    changes = [
        _change(old, new, path) for path, old, new in _changed(before.data_type, after.data_type)
    ]
    inner = _recorded_inside(before.data_type, after.data_type)
    if not changes:
        return replace(after, data_type=inner)
    # Appended, since files of every older type may still exist.
    known = after.metadata.get(TYPE_CHANGES_KEY, [])
    assert isinstance(known, list)  # noqa: S101  # the log says so
    metadata = {**after.metadata, TYPE_CHANGES_KEY: [*known, *changes]}
    return replace(after, data_type=inner, metadata=metadata)


def _recorded_inside(before: DataType, after: DataType) -> DataType:
    match before, after:
        case StructType(), StructType():
            return with_type_changes(before, after)
        case ArrayType(old), ArrayType(new):
            return replace(after, element_type=_recorded_inside(old, new))
        case MapType(old_key, old_value), MapType(key, value):
            return replace(
                after,
                key_type=_recorded_inside(old_key, key),
                value_type=_recorded_inside(old_value, value),
            )
        case _:
            return after


def _changed(
    before: DataType, after: DataType, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], DataType, DataType]]:
    """Yield the changes below a field; fields of structs record their own."""
    match before, after:
        case StructType(), StructType():
            return
        case ArrayType(old), ArrayType(new):
            yield from _changed(old, new, (*path, "element"))
        case MapType(old_key, old_value), MapType(key, value):
            yield from _changed(old_key, key, (*path, "key"))
            yield from _changed(old_value, value, (*path, "value"))
        # A void column has no values in files that could be of the older type.
        case _ if before not in (after, VOID):
            yield path, before, after


def _change(before: DataType, after: DataType, path: tuple[str, ...]) -> dict[str, object]:
    change = {
        "toType": json.loads(type_to_json(after)),
        "fromType": json.loads(type_to_json(before)),
    }
    return {**change, "fieldPath": ".".join(path)} if path else change
