"""The schema that users see, without the metadata that only the log needs."""

from __future__ import annotations

from dataclasses import replace

from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.columns.column_mapping import unmapped_schema, without_mapping
from puredelta.table.protocol.defaults import EXISTING_KEY
from puredelta.table.protocol.feature_activation import (
    GENERATION_KEY,
    IDENTITY_PREFIX,
    TYPE_CHANGES_KEY,
)

# Spark would fill columns that a file lacks with the value of the last one; in Delta they are null.
_INTERNAL_KEYS = (TYPE_CHANGES_KEY, GENERATION_KEY, IDENTITY_PREFIX, EXISTING_KEY)


def visible_schema(schema: StructType) -> StructType:
    """Leave out the metadata of column mapping, widened types, generated and identity columns.

    Values that Spark would fill in for columns younger than a file are left out, too.

    Comments, keys of users, defaults, invariants and lengths of CHAR and VARCHAR stay.
    """
    return each_field(unmapped_schema(schema), _visible)


def internal_metadata(field: StructField) -> dict[str, object]:
    """Return the metadata of a field that `visible_schema` leaves out."""
    shown = without_mapping(_visible(field).metadata)
    return {key: value for key, value in field.metadata.items() if key not in shown}


def _visible(field: StructField) -> StructField:
    kept = {
        key: value for key, value in field.metadata.items() if not key.startswith(_INTERNAL_KEYS)
    }
    return field if len(kept) == len(field.metadata) else replace(field, metadata=kept)
