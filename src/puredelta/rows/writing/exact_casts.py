"""Columns of Arrow in the types of a table, where no value changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaIllegalArgumentError as IllegalArgument
from puredelta.schema.changes import not_found
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    simple_string,
)
from puredelta.schema.from_arrow import is_list
from puredelta.table.evolution.matching_rules import IN_DATA, check_distinct

Path = tuple[str, ...]

_INTEGERS = (BYTE, SHORT, INTEGER, LONG)
_FLOATS = (FLOAT, DOUBLE)
_LONG_DIGITS, _MOST_DIGITS = 20, 76
_FAMILIES: Mapping[DataType, Sequence[Callable[[pa.DataType], bool]]] = {
    STRING: (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    BINARY: (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    ),
    BOOLEAN: (pa.types.is_boolean,),
    DATE: (pa.types.is_date,),
}
_REFUSED = (pa.ArrowInvalid, pa.ArrowNotImplementedError)


def cast_exactly(
    column: pa.ChunkedArray, data_type: DataType, target: pa.DataType, path: Path
) -> pa.ChunkedArray:
    """Return a column in a type of a table.

    Numbers become other numbers, and points in time microseconds, where each value stays what it
    is; fields of structs are found by their names.

    Args:
        column: the rows' own.
        data_type: the table's type for it, whose fields have the names that users have.
        target: the type of Arrow for it, whose fields may have other names.
        path: of the column, for errors.

    Raises:
        DeltaIllegalArgumentError: PUREDELTA_WRITE_TYPE_DIFFERS, PUREDELTA_WRITE_VALUE_DIFFERS.
        DeltaAnalysisError: a struct has a field that the table does not have.
    """
    chunks = [_cast(chunk, data_type, target, path) for chunk in column.chunks]
    return pa.chunked_array(chunks, target)


def _cast(array: pa.Array, data_type: DataType, target: pa.DataType, path: Path) -> pa.Array:
    kind = array.type
    if pa.types.is_null(kind):
        return pa.nulls(len(array), target)
    if pa.types.is_dictionary(kind):
        return _cast(array.dictionary_decode(), data_type, target, path)
    if pa.types.is_run_end_encoded(kind):
        return _cast(pc.run_end_decode(array), data_type, target, path)
    match data_type:
        case StructType() if pa.types.is_struct(kind):
            return _struct(array, data_type, target, path)
        case ArrayType(element) if is_list(kind):
            return _list(array, element, target, path)
        case MapType() if pa.types.is_map(kind):
            return _map(array, data_type, target, path)
    if not _is_of_family(kind, data_type):
        raise IllegalArgument(
            "PUREDELTA_WRITE_TYPE_DIFFERS",
            column=quote_path(path),
            given=str(kind),
            wanted=simple_string(data_type),
        )
    return _leaf(array, data_type, target, path)


# --------------------------------------------------------------------------------- nested columns


def _struct(
    array: pa.StructArray, data_type: StructType, target: pa.StructType, path: Path
) -> pa.Array:
    names = array.type.names
    above = "".join(f"{name}." for name in path)
    check_distinct(names, above, IN_DATA)
    for name in names:
        if data_type.field(name) is None:
            raise not_found((name,), data_type)
    # Of a null struct all parts are null.
    parts = dict(zip((name.lower() for name in names), array.flatten(), strict=True))
    made = [
        pa.nulls(len(array), wanted.type)
        if field.name.lower() not in parts
        else _cast(parts[field.name.lower()], field.data_type, wanted.type, (*path, field.name))
        for field, wanted in zip(data_type, target, strict=True)
    ]
    return pa.StructArray.from_arrays(made, fields=list(target), mask=array.is_null())


def _list(array: pa.Array, element: DataType, target: pa.ListType, path: Path) -> pa.Array:
    # Other forms of lists have other buffers; the values of null lists are not taken along.
    values = _cast(array.flatten(), element, target.value_type, (*path, "element"))
    return pa.ListArray.from_arrays(_offsets(array), values, type=target, mask=array.is_null())


def _map(array: pa.MapArray, data_type: MapType, target: pa.MapType, path: Path) -> pa.Array:
    entries = pa.struct([array.type.key_field, array.type.item_field])
    pairs = array.cast(pa.list_(entries))
    keys, items = pairs.flatten().flatten()
    return pa.MapArray.from_arrays(
        _offsets(pairs),
        _cast(keys, data_type.key_type, target.key_type, (*path, "key")),
        _cast(items, data_type.value_type, target.item_type, (*path, "value")),
        type=target,
        mask=array.is_null(),
    )


def _offsets(lists: pa.Array) -> pa.Array:
    lengths = pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int32())
    return pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths)])


# -------------------------------------------------------------------------------------- values


def _is_of_family(kind: pa.DataType, data_type: DataType) -> bool:
    """Say whether values of a type of Arrow can be values of a type of a table, unchanged."""
    is_decimal, is_integer = pa.types.is_decimal(kind), pa.types.is_integer(kind)
    if data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        wanted = pa.types.is_timestamp(kind) and (kind.tz is None) == (data_type == TIMESTAMP_NTZ)
    elif data_type in _INTEGERS:
        wanted = is_integer or is_decimal or pa.types.is_floating(kind)
    elif data_type in _FLOATS:
        wanted = is_integer or pa.types.is_floating(kind)
    elif isinstance(data_type, DecimalType):
        wanted = is_integer or is_decimal
    else:
        wanted = any(is_one(kind) for is_one in _FAMILIES.get(data_type, ()))
    return bool(wanted)


def _leaf(array: pa.Array, data_type: DataType, target: pa.DataType, path: Path) -> pa.Array:
    kind = array.type
    if kind == target:
        return array
    try:
        if pa.types.is_integer(kind) and isinstance(data_type, DecimalType):
            digits = min(_LONG_DIGITS + data_type.scale, _MOST_DIGITS)
            return array.cast(pa.decimal256(digits, data_type.scale)).cast(target)
        if pa.types.is_fixed_size_binary(kind):
            return array.cast(pa.binary()).cast(target)
        made = array.cast(target)
    except _REFUSED as reason:
        _refuse(str(reason), data_type, path)
    if pa.types.is_float64(kind) and data_type == FLOAT:
        _check_no_digits_lost(array, made, data_type, path)
    return made


def _check_no_digits_lost(array: pa.Array, made: pa.Array, data_type: DataType, path: Path) -> None:
    """Refuse floats that lose digits, which Arrow casts without a word."""
    again = made.cast(array.type)
    is_same = pc.or_(pc.equal(array, again), pc.and_(pc.is_nan(array), pc.is_nan(again)))
    lost = array.filter(pc.invert(pc.fill_null(is_same, fill_value=True)))
    if len(lost):
        _refuse(f"{lost[0].as_py()!r} would lose digits", data_type, path)


def _refuse(reason: str, data_type: DataType, path: Path) -> NoReturn:
    raise IllegalArgument(
        "PUREDELTA_WRITE_VALUE_DIFFERS",
        column=quote_path(path),
        type=simple_string(data_type),
        reason=reason.rstrip("."),
    )
