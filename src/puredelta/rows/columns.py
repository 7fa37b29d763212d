"""Columns of a Parquet file as columns of the table: by name or id, in the table's type.

Protocol: Reader Requirements for Column Mapping; Reader Requirements for Type Widening.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.schema.datatypes import (
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)
from puredelta.table.columns.char_lengths import char_length
from puredelta.table.columns.column_mapping import ID_KEY, MappingMode, physical_name

_ID_IN_FILES = b"PARQUET:field_id"
_SHREDDED = "typed_value"
_MOST_DIGITS, _LONG_DIGITS = 76, 19
_LISTS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)


def find_in_file(have: Sequence[pa.Field], want: StructField, mode: MappingMode) -> int | None:
    """Return the position of a column among those of a file, or of a struct in it; None: not there.

    Args:
        have: the fields of the file.
        want: the field of the table.
        mode: how the table's columns are found.
    """
    if mode is MappingMode.ID:
        ids = [_id(field) for field in have]
        if any(ids):
            wanted = str(want.metadata.get(ID_KEY)).encode()
            return ids.index(wanted) if wanted in ids else None
    name = physical_name(want, mode)
    names = [field.name for field in have]
    if name in names:
        return names.index(name)
    # Spark finds columns in any case, unless two of them differ in nothing else.
    alike = [at for at, known in enumerate(names) if known.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def as_table_has(
    array: pa.Array, data_type: DataType, target: pa.DataType, mode: MappingMode
) -> pa.Array:
    """Return a column of a file in the type that the table has for it.

    Inner fields are found as columns are; those that the file does not have are null.

    Args:
        array: as Arrow reads it from the file.
        data_type: the table's, with CHAR where that is declared.
        target: the type of Arrow for it.
        mode: how the table's columns are found.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_ROWS_NEED_SPARK for a shredded variant.
        pa.ArrowInvalid: A value is none of the table's type.
    """
    if pa.types.is_null(target):
        return pa.nulls(len(array))
    match data_type:
        case UserDefinedType(_, inner):
            return as_table_has(array, inner, target, mode)
        case _ if not _is_same_shape(array.type, target):
            raise pa.ArrowTypeError(f"it has {array.type} where the table has {target}")
        case StructType():
            return _struct(array, data_type, target, mode)
        case ArrayType(element):
            if not pa.types.is_list(array.type):
                # Other libraries write lists of other forms, and Arrow reads them back as such.
                array = array.cast(pa.list_(array.type.value_type))
            values = as_table_has(array.values, element, target.value_type, mode)
            return _with_parts(array, target, values)
        case MapType(key, value):
            keys = as_table_has(array.keys, key, target.key_type, mode)
            values = as_table_has(array.items, value, target.item_type, mode)
            fields = [target.key_field, target.item_field]
            return _with_parts(
                array, target, pa.StructArray.from_arrays([keys, values], fields=fields)
            )
        case UnknownType(text):
            return padded(_cast(array, target), text)
        case _ if data_type == VARIANT:
            return _variant(array, target)
        case _:
            return _cast(array, target)


def padded(texts: pa.Array, declared: str) -> pa.Array:
    """Return texts of a type as `char(3)`, with the blanks up to its length that Spark reads."""
    length = char_length(declared)
    return pc.utf8_rpad(texts, length) if length else texts


def _id(field: pa.Field) -> bytes | None:
    return (field.metadata or {}).get(_ID_IN_FILES)


def _struct(
    array: pa.StructArray, data_type: StructType, target: pa.StructType, mode: MappingMode
) -> pa.Array:
    have = list(array.type)
    parts = []
    for field, wanted in zip(data_type, target, strict=True):
        at = find_in_file(have, field, mode)
        parts.append(
            pa.nulls(len(array), wanted.type)
            if at is None
            else as_table_has(array.field(at), field.data_type, wanted.type, mode)
        )
    if not parts:
        return array.cast(target)
    return pa.StructArray.from_arrays(parts, fields=list(target), mask=array.is_null())


def _with_parts(array: pa.Array, target: pa.DataType, parts: pa.Array) -> pa.Array:
    """Return lists, or maps, with other parts at the same places."""
    return pa.Array.from_buffers(
        target, len(array), array.buffers()[:2], array.null_count, array.offset, [parts]
    )


def _variant(array: pa.StructArray, target: pa.StructType) -> pa.Array:
    names = array.type.names
    if _SHREDDED in names:
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_ROWS_NEED_SPARK", reason="a file has variants that are shredded"
        )
    parts = [array.field(names.index(field.name)).cast(field.type) for field in target]
    return pa.StructArray.from_arrays(parts, fields=list(target), mask=array.is_null())


def _is_same_shape(have: pa.DataType, target: pa.DataType) -> bool:
    """Say whether one type of Arrow is nested where another is."""
    types = pa.types
    if types.is_list(target):
        return any(is_list(have) for is_list in _LISTS)
    if types.is_struct(target) or types.is_map(target):
        kind = types.is_struct if types.is_struct(target) else types.is_map
        return bool(kind(have))
    return not types.is_nested(have)


def _is_allowed(have: pa.DataType, target: pa.DataType) -> bool:
    """Say whether values of a file can be those of the table; Arrow would make texts of numbers.

    Protocol: Type Widening. Besides the changes there, files have texts and points in time in
    several types.
    """
    types = pa.types
    if types.is_null(have):
        return True
    if types.is_integer(have):
        is_day = types.is_date(target) and have.bit_width == 32
        is_real = types.is_float64(target) and have.bit_width <= 32
        return bool(types.is_integer(target) or types.is_decimal(target) or is_day or is_real)
    if types.is_floating(have):
        return bool(types.is_floating(target) and have.bit_width <= target.bit_width)
    if types.is_boolean(have) or types.is_boolean(target):
        return bool(have == target)
    for is_kind in (types.is_temporal, types.is_decimal):
        if is_kind(have):
            return bool(is_kind(target))
    # Texts and bytes.
    return bool(types.is_dictionary(have) or not types.is_primitive(target))


def _cast(array: pa.Array, target: pa.DataType) -> pa.Array:
    have = array.type
    if have == target:
        return array
    if not _is_allowed(have, target):
        raise pa.ArrowTypeError(f"it has {have} where the table has {target}")
    if pa.types.is_timestamp(have) and have.unit == "ns":
        # Instants before 1970 are rounded down, too, as all others are.
        array = pc.floor_temporal(array, unit="microsecond")
        return array.cast(pa.timestamp("us", have.tz)).cast(target)
    if pa.types.is_integer(have) and pa.types.is_decimal(target):
        digits = min(_LONG_DIGITS + target.scale, _MOST_DIGITS)
        return array.cast(pa.decimal256(digits, target.scale)).cast(target)
    return array.cast(target)
