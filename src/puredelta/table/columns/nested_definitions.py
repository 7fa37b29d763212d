"""Definitions that stand with a field inside a column, where none counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import StructType
from puredelta.table.protocol.feature_activation import GENERATION_KEY, IDENTITY_PREFIX, all_fields


def refuse_inside(schema: StructType) -> None:
    """Refuse fields inside columns that say how they are generated.

    Raises:
        DeltaAnalysisError: as of `refused_inside`.
    """
    for column in schema:
        for field in all_fields(StructType((replace(column, metadata={}),))):
            if any(key.startswith((GENERATION_KEY, IDENTITY_PREFIX)) for key in field.metadata):
                raise refused_inside(column.name, field.name, field.metadata)


def refused_inside(column: str, field: str, metadata: Mapping[str, object]) -> DeltaAnalysisError:
    """Return the error for a field inside a column that would be generated.

    Returns:
        PUREDELTA_GENERATED_COLUMN_IN_STRUCT, PUREDELTA_IDENTITY_IN_STRUCT.
    """
    if GENERATION_KEY in metadata:
        return DeltaAnalysisError(
            "PUREDELTA_GENERATED_COLUMN_IN_STRUCT", fieldName=field, columnName=column
        )
    return DeltaAnalysisError("PUREDELTA_IDENTITY_IN_STRUCT", colName=field)
