"""From Arrow's types to ours."""

from collections.abc import Mapping

import pyarrow as pa

from puredelta.errors import DeltaUnsupportedOperationError
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
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

_MOST_DIGITS = 38

_LISTS = (
    pa.types.is_list,
    pa.types.is_large_list,
    pa.types.is_fixed_size_list,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)

_PRIMITIVES: Mapping[pa.DataType, DataType] = {
    pa.null(): VOID,
    pa.bool_(): BOOLEAN,
    pa.int8(): BYTE,
    pa.int16(): SHORT,
    pa.int32(): INTEGER,
    pa.int64(): LONG,
    # The next type that holds all values; those of 64 bits need 20 digits.
    pa.uint8(): SHORT,
    pa.uint16(): INTEGER,
    pa.uint32(): LONG,
    pa.uint64(): DecimalType(20, 0),
    pa.float16(): FLOAT,
    pa.float32(): FLOAT,
    pa.float64(): DOUBLE,
    pa.string(): STRING,
    pa.large_string(): STRING,
    pa.string_view(): STRING,
    pa.binary(): BINARY,
    pa.large_binary(): BINARY,
    pa.binary_view(): BINARY,
    pa.date32(): DATE,
    pa.date64(): DATE,
}


def from_arrow(schema: pa.Schema) -> StructType:
    """Return the columns of a table for those of Arrow; names and nullability stay.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_ARROW_TYPE_UNKNOWN.
    """
    return StructType(tuple(_field(field, ()) for field in schema))


def is_list(kind: pa.DataType) -> bool:
    """Say whether a type of Arrow is a list, in any of its forms."""
    return any(is_one(kind) for is_one in _LISTS)


def _field(field: pa.Field, above: tuple[str, ...]) -> StructField:
    path = (*above, field.name)
    return StructField(field.name, _type(field.type, path), field.nullable)


def _type(kind: pa.DataType, path: tuple[str, ...]) -> DataType:
    known = _PRIMITIVES.get(kind)
    if known is not None:
        return known
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return _type(kind.value_type, path)
    if pa.types.is_timestamp(kind):
        return TIMESTAMP_NTZ if kind.tz is None else TIMESTAMP
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS and kind.scale >= 0:
        return DecimalType(kind.precision, kind.scale)
    if pa.types.is_fixed_size_binary(kind):
        return BINARY
    if is_list(kind):
        return ArrayType(_type(kind.value_type, (*path, "element")), kind.value_field.nullable)
    if pa.types.is_map(kind):
        value = kind.item_field
        return MapType(
            _type(kind.key_type, (*path, "key")),
            _type(value.type, (*path, "value")),
            value.nullable,
        )
    if pa.types.is_struct(kind):
        return StructType(tuple(_field(field, path) for field in kind))
    raise DeltaUnsupportedOperationError(
        "PUREDELTA_ARROW_TYPE_UNKNOWN", column=".".join(path), type=str(kind)
    )
