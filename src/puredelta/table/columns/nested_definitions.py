"""Definitions of generated and identity columns with a nested field, where they have no effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import StructType
from puredelta.table.protocol.feature_activation import GENERATION_KEY, IDENTITY_PREFIX, all_fields


def refuse_inside(schema: StructType) -> None:
    """Refuse nested fields that define a generated or identity column.

    Raises:
        DeltaAnalysisError: as of `refused_inside`.
    """
    for column in schema:
        # The definition of the column itself is allowed, so it is taken away first.
        for field in all_fields(StructType((replace(column, metadata={}),))):
            if any(key.startswith((GENERATION_KEY, IDENTITY_PREFIX)) for key in field.metadata):
                raise refused_inside(column.name, field.name, field.metadata)


def refused_inside(column: str, field: str, metadata: Mapping[str, object]) -> DeltaAnalysisError:
    """Return the error for a nested field that defines a generated or identity column.

    Returns:
        PUREDELTA_GENERATED_COLUMN_IN_STRUCT, PUREDELTA_IDENTITY_IN_STRUCT.
    """
    if GENERATION_KEY in metadata:
        return DeltaAnalysisError(
            "PUREDELTA_GENERATED_COLUMN_IN_STRUCT", fieldName=field, columnName=column
        )
    return DeltaAnalysisError("PUREDELTA_IDENTITY_IN_STRUCT", colName=field)
