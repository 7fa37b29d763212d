"""Generated columns: values computed from the other columns of a row.

Protocol: Generated Columns. The log keeps the expression with the column, in SQL; whoever writes
computes values that are missing and checks those that are given.
"""

from __future__ import annotations

from collections.abc import Mapping

from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.feature_use import GENERATION_KEY
from puredelta.table.protocol import features_of, schema_of

FEATURE = "generatedColumns"


def generation_of(metadata: Mapping[str, object]) -> str | None:
    """Return the generation expression in a field's metadata, in SQL; None when there is none."""
    text = metadata.get(GENERATION_KEY)
    return text if isinstance(text, str) else None


def satisfy_generated_column_protocol(protocol: Protocol) -> bool:
    """Say whether writers of a table have to know generated columns."""
    return FEATURE in features_of(protocol)


def is_generated_column(field: StructField, protocol: Protocol | None = None) -> bool:
    """Say whether a field has a generation expression, one that counts where a protocol is given.

    Args:
        field: a field of a table's schema.
        protocol: the table's; under one that does not know generated columns there are none.
    """
    counts = protocol is None or satisfy_generated_column_protocol(protocol)
    return counts and generation_of(field.metadata) is not None


def get_generated_columns(snapshot: Snapshot) -> list[StructField]:
    """Return the generated columns of a version."""
    protocol = snapshot.protocol
    return [field for field in snapshot.schema if is_generated_column(field, protocol)]


def has_generated_columns(schema: StructType) -> bool:
    """Say whether a top-level field has a generation expression."""
    return any(is_generated_column(field) for field in schema)


def enforces_generated_columns(protocol: Protocol, metadata: Metadata) -> bool:
    """Say whether rows of a table have columns that are generated."""
    return satisfy_generated_column_protocol(protocol) and has_generated_columns(
        schema_of(metadata)
    )
