"""Errors of types that cannot be merged, with the types as PySpark writes them."""

from dataclasses import replace

from puredelta.errors import DeltaAnalysisError, DeltaError
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    UnknownType,
    UserDefinedType,
    simple_string,
)
from puredelta.table.evolution.type_comparison import class_name, collated_type

# PySpark's own classes have names of their own; all others are `udt`.
_CLASS_TEXTS = {"VectorUDT": "vector", "MatrixUDT": "matrix"}


def cannot_merge(
    kept: DataType, given: DataType, path: str, given_path: str | None = None
) -> DeltaAnalysisError:
    """Return the error for a column whose types have none in common.

    Args:
        kept: the table's type.
        given: the data's.
        path: the table's column.
        given_path: the data's column, if it is spelled otherwise.
    """
    return DeltaAnalysisError(
        "DELTA_FAILED_TO_MERGE_FIELDS",
        currentField=path,
        updateField=path if given_path is None else given_path,
        currentDataType=type_text(kept),
        updateDataType=type_text(given),
    )


def incompatible_types(kept: DataType, given: DataType) -> DeltaError:
    """Return why two types have nothing in common: the cause of `cannot_merge`."""
    if isinstance(kept, DecimalType) and isinstance(given, DecimalType):
        ranges = f"{type_text(kept)} and {type_text(given)}"
        return DeltaAnalysisError("DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE", decimalRanges=ranges)
    return DeltaAnalysisError(
        "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
        currentDataType=type_text(kept),
        updateDataType=type_text(given),
    )


def type_text(data_type: DataType) -> str:
    """Write a type as PySpark does: with the names of classes, not what they store."""
    return simple_string(_as_shown(data_type))


def _as_shown(data_type: DataType) -> DataType:
    match data_type:
        case StructType(fields):
            types = [_as_shown(collated_type(field)) for field in fields]
            parts = zip(fields, types, strict=True)
            return StructType(tuple(replace(part, data_type=shown) for part, shown in parts))
        case ArrayType(element):
            return ArrayType(_as_shown(element))
        case MapType(key, value):
            return MapType(_as_shown(key), _as_shown(value))
        case UserDefinedType():
            _, _, name = (class_name(data_type) or "").rpartition(".")
            return UnknownType(_CLASS_TEXTS.get(name, "udt"))
    return data_type
