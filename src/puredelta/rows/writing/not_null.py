"""NOT NULL of columns, of fields of structs, and of what is in arrays and maps."""

from __future__ import annotations

import pyarrow as pa

from puredelta.errors import DeltaInvariantViolationError
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType

Path = tuple[str, ...]


def check_not_null(column: pa.ChunkedArray, field: StructField) -> None:
    """Refuse nulls where a column must have none.

    A field inside a struct counts even where the struct itself may be null, as in Spark.

    Args:
        column: the values, in the table's type.
        field: the table's field.

    Raises:
        DeltaInvariantViolationError: DELTA_NOT_NULL_CONSTRAINT_VIOLATED.
    """
    for chunk in column.chunks:
        _check(chunk, field.data_type, (field.name,), nullable=field.nullable)


def _check(array: pa.Array, data_type: DataType, path: Path, *, nullable: bool) -> None:
    if not nullable and array.null_count:
        raise DeltaInvariantViolationError(
            "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName=".".join(path)
        )
    match data_type:
        case StructType(fields):
            # Of a null struct all parts are null.
            for part, field in zip(array.flatten(), fields, strict=True):
                _check(part, field.data_type, (*path, field.name), nullable=field.nullable)
        case ArrayType(element, contains_null):
            _check(array.flatten(), element, (*path, "element"), nullable=contains_null)
        case MapType(key, value, contains_null):
            keys, values = array.keys, array.items
            _check(keys, key, (*path, "key"), nullable=False)
            _check(values, value, (*path, "value"), nullable=contains_null)
