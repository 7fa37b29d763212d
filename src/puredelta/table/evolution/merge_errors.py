"""Errors of types that do not become one, with the types as PySpark writes them."""

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
from puredelta.table.evolution.type_comparison import class_name

# PySpark's own classes have names of their own; every other one is `udt`.
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
    """Write a type as PySpark does, which writes the name of a class, not what it stores."""
    return simple_string(_without_classes(data_type))


def _without_classes(data_type: DataType) -> DataType:
    match data_type:
        case StructType(fields):
            parts = [replace(part, data_type=_without_classes(part.data_type)) for part in fields]
            return StructType(tuple(parts))
        case ArrayType(element):
            return ArrayType(_without_classes(element))
        case MapType(key, value):
            return MapType(_without_classes(key), _without_classes(value))
        case UserDefinedType():
            _, _, name = (class_name(data_type) or "").rpartition(".")
            return UnknownType(_CLASS_TEXTS.get(name, "udt"))
    return data_type
