"""Columns of type void: a table may have them until data brings a type, its files may not.

Parquet has no place for void, so rows are written without such columns and fields; a column that
a file does not have reads as null, whatever its type is by then.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import ArrayType, DataType, MapType, NullType, StructField, StructType

from puredelta.errors.classes import DeltaAnalysisError


def has_null_type(data_type: DataType) -> bool:
    """Say whether a type is void or has void inside."""
    if isinstance(data_type, StructType):
        return any(has_null_type(field.dataType) for field in data_type)
    if isinstance(data_type, ArrayType):
        return has_null_type(data_type.elementType)
    if isinstance(data_type, MapType):
        return has_null_type(data_type.keyType) or has_null_type(data_type.valueType)
    return isinstance(data_type, NullType)


def without_null_type(column: Column, field: StructField, path: str) -> Column:
    """Return a column that is not void, without the fields of its structs that are.

    Args:
        column: the values.
        field: what they are.
        path: where, for errors.

    Raises:
        DeltaAnalysisError: DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE for void in arrays and
            maps, DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS for structs in which
            nothing is left.
    """
    data_type = field.dataType
    if not has_null_type(data_type):
        return column
    if not isinstance(data_type, StructType):
        raise DeltaAnalysisError(
            "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE",
            columName=path,
            dataType=data_type.simpleString(),
        )
    kept = [part for part in data_type if not isinstance(part.dataType, NullType)]
    if not kept:
        raise DeltaAnalysisError(
            "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS", columnName=path
        )
    parts = [
        without_null_type(column.getField(part.name), part, f"{path}.{part.name}").alias(part.name)
        for part in kept
    ]
    # A struct of fields of a null struct would be a struct of nulls.
    return F.when(column.isNull(), F.lit(None)).otherwise(F.struct(*parts))
