"""Metadata of columns on its way through Spark's CREATE TABLE, which has no place for it.

It travels as a property of the table that is never stored: staging puts it on the columns.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote, unquote

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.protocol.feature_activation import DEFAULT_KEY, GENERATION_KEY, IDENTITY_PREFIX

COLUMNS = "puredelta.columns"
"""The property: metadata by column, as JSON."""

# A SQL string may contain these characters as they are. Quotes and backslashes are percent-encoded:
# whether a backslash escapes depends on a setting of the session.
_PLAIN = ' !"#$&()*+,/:;<=>?@[]^`{|}~'

# A list of columns has clauses for these keys.
_CLAUSES = ("comment", DEFAULT_KEY, "EXISTS_DEFAULT")

Metadata = Mapping[str, object]


def generated_always(expression: str) -> Metadata:
    """Return the metadata of a generated column."""
    return {GENERATION_KEY: expression}


def identity(start: int, step: int, *, by_default: bool) -> Metadata:
    """Return the metadata of an identity column that has not allocated a value yet.

    Args:
        start: its first value.
        step: the distance to the next value.
        by_default: writers may supply values too.
    """
    return {
        f"{IDENTITY_PREFIX}start": start,
        f"{IDENTITY_PREFIX}step": step,
        f"{IDENTITY_PREFIX}allowExplicitInsert": by_default,
    }


def without_place(metadata: Metadata) -> Metadata:
    """Return what the clauses of a column do not say: keys of users, and how it is generated."""
    # Other keys with the prefix "delta." describe columns of an existing table, such as the ids and
    # physical names of column mapping; a new table assigns its own.
    return {
        key: value
        for key, value in metadata.items()
        if key.startswith((GENERATION_KEY, IDENTITY_PREFIX))
        or not (key in _CLAUSES or key.startswith("delta."))
    }


def as_property(columns: Mapping[str, Metadata]) -> dict[str, str]:
    """Return the property that contains the metadata of columns; none where there is none."""
    by_column = {name: dict(metadata) for name, metadata in columns.items() if metadata}
    return (
        {COLUMNS: quote(json.dumps(by_column, ensure_ascii=False), safe=_PLAIN)}
        if by_column
        else {}
    )


def with_metadata(schema: StructType, properties: Mapping[str, str]) -> StructType:
    """Add the metadata in the property to the columns of a schema.

    Raises:
        DeltaAnalysisError: PUREDELTA_COLUMN_DEFINITION_LOST when it names other columns.
    """
    by_column: dict[str, Metadata] = json.loads(unquote(properties.get(COLUMNS, "{}")))
    # The clauses were cut out of the statement before Spark parsed it. If a name was read in a
    # different way there, the table would silently get a plain column instead of a generated one.
    if lost := by_column.keys() - set(schema.names):
        raise DeltaAnalysisError("PUREDELTA_COLUMN_DEFINITION_LOST", columns=sorted(lost))
    return StructType(tuple(_with(field, by_column.get(field.name, {})) for field in schema))


def _with(field: StructField, metadata: Metadata) -> StructField:
    return replace(field, metadata={**field.metadata, **metadata}) if metadata else field
