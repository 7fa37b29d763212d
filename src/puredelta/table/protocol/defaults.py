"""Defaults of columns: the values of rows whose writer leaves a column out.

Protocol: Default Columns. The log keeps the text of an expression in SQL with the column; it counts
for rows to come, so changing it changes no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import Protocol
from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.protocol.feature_activation import DEFAULT_KEY
from puredelta.table.protocol.protocol import features_of

FEATURE = "allowColumnDefaults"

# Spark's value for rows that are older than the column. In a Delta table these rows have null.
EXISTING_KEY = "EXISTS_DEFAULT"


def default_of(metadata: Mapping[str, object]) -> str | None:
    """Return the default in a column's metadata, in SQL; None when there is none."""
    text = metadata.get(DEFAULT_KEY)
    return text if isinstance(text, str) else None


def existing_default(field: StructField) -> str | None:
    """Return Spark's value for rows that are older than a column, in SQL; None for null."""
    text = field.metadata.get(EXISTING_KEY)
    return text if isinstance(text, str) and text.strip().upper() != "NULL" else None


def stored_defaults(schema: StructType) -> StructType:
    """Return a declared schema as the log keeps it: with defaults for rows to come only."""
    return each_field(schema, lambda field: _without(field, EXISTING_KEY))


def with_default(field: StructField, text: str | None) -> StructField:
    """Return a column with a default in SQL, or with none."""
    if text is None:
        return _without(field, DEFAULT_KEY)
    return replace(field, metadata={**field.metadata, DEFAULT_KEY: text})


def allows_defaults(protocol: Protocol) -> bool:
    """Say whether a table's columns may have defaults."""
    return FEATURE in features_of(protocol)


def without_defaults(schema: StructType) -> StructType:
    """Return a schema without any default."""
    return each_field(stored_defaults(schema), lambda field: with_default(field, None))


def check_allowed(schema: StructType, features: frozenset[str], command: str) -> None:
    """Refuse defaults in a table whose protocol does not allow them.

    Args:
        schema: the columns.
        features: those of the table's protocol.
        command: the statement, for the message.

    Raises:
        DeltaAnalysisError: WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED.
    """
    if FEATURE not in features and any(DEFAULT_KEY in field.metadata for field in schema):
        raise DeltaAnalysisError(
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED", commandType=command
        )


def _without(field: StructField, key: str) -> StructField:
    if key not in field.metadata:
        return field
    return replace(field, metadata={k: v for k, v in field.metadata.items() if k != key})
