"""Columns as history shows them: name, type, nullability, metadata."""

import json
from collections.abc import Iterable

from puredelta.schema.codec import type_to_json
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, STRING, StructField


def column_json(field: StructField, path: Iterable[str]) -> dict[str, object]:
    """Return a column by its path; of a nested type only the kind is shown."""
    value = json.loads(type_to_json(field.data_type))
    return {
        "name": path_in_history(path),
        "type": value["type"] if isinstance(value, dict) else value,
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }


def declared_column_json(field: StructField, path: Iterable[str]) -> dict[str, object]:
    """Return a new column: CHAR and VARCHAR as they were declared."""
    entry = column_json(field, path)
    declared = field.metadata.get(DECLARED_TYPE_KEY)
    if declared is None:
        return entry
    kept = {key: value for key, value in field.metadata.items() if key != DECLARED_TYPE_KEY}
    kind = declared if field.data_type == STRING else entry["type"]
    return {**entry, "type": kind, "metadata": kept}


def path_in_history(path: Iterable[str]) -> str:
    """Join names to a path; only those that hold dots are quoted, as other writers have it."""
    return ".".join(f"`{name}`" if "." in name else name for name in path)
