"""From our types to Arrow's."""

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
    VARIANT,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UserDefinedType,
    simple_string,
)

_PRIMITIVES: dict[DataType, pa.DataType] = {
    STRING: pa.string(),
    LONG: pa.int64(),
    INTEGER: pa.int32(),
    SHORT: pa.int16(),
    BYTE: pa.int8(),
    FLOAT: pa.float32(),
    DOUBLE: pa.float64(),
    BOOLEAN: pa.bool_(),
    BINARY: pa.binary(),
    DATE: pa.date32(),
    # Both count microseconds, as Spark does; only instants have a zone.
    TIMESTAMP: pa.timestamp("us", "UTC"),
    TIMESTAMP_NTZ: pa.timestamp("us"),
    # Protocol: Variant data in Parquet.
    VARIANT: pa.struct(
        [
            pa.field("value", pa.binary(), nullable=False),
            pa.field("metadata", pa.binary(), nullable=False),
        ]
    ),
    VOID: pa.null(),
}


def to_arrow(schema: StructType) -> pa.Schema:
    """Return the Arrow schema of a table.

    Raises:
        DeltaUnsupportedOperationError: A column has a type that we do not know.
    """
    return pa.schema([_field(field) for field in schema])


def type_to_arrow(data_type: DataType) -> pa.DataType:
    """Return the Arrow type for one of ours.

    Raises:
        DeltaUnsupportedOperationError: It is, or holds, a type that we do not know.
    """
    if data_type in _PRIMITIVES:
        return _PRIMITIVES[data_type]
    match data_type:
        # What Spark has no decimals of either.
        case DecimalType(precision, scale) if 0 <= scale <= precision and 0 < precision <= 38:
            return pa.decimal128(precision, scale)
        case ArrayType(element, contains_null):
            return pa.list_(pa.field("element", type_to_arrow(element), contains_null))
        case MapType(key, value, contains_null):
            return pa.map_(
                pa.field("key", type_to_arrow(key), nullable=False),
                pa.field("value", type_to_arrow(value), contains_null),
            )
        case StructType(fields):
            return pa.struct([_field(field) for field in fields])
        case UserDefinedType(_, sql_type):
            return type_to_arrow(sql_type)
    raise DeltaUnsupportedOperationError("DELTA_NO_ARROW_TYPE", dataType=simple_string(data_type))


def _field(field: StructField) -> pa.Field:
    return pa.field(field.name, type_to_arrow(field.data_type), field.nullable)
