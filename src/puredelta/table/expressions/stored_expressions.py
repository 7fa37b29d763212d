"""Expressions in SQL that a table stores, and the columns that they name.

These are conditions that rows must meet, and generation expressions. No change of columns rewrites
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from puredelta.schema.column_path import lowered, quote_path
from puredelta.schema.datatypes import DataType, StructField, StructType
from puredelta.table.expressions.generated_columns import generation_of
from puredelta.table.expressions.invariants import invariant_of
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX, INVARIANT_KEY

Path = tuple[str, ...]

ColumnsOf = Callable[[str], Iterable[Path] | None]
"""Returns which columns an expression in SQL names; None for a text that it cannot read."""


def condition_texts(configuration: Mapping[str, str], schema: StructType) -> dict[str, str]:
    """Return all conditions that rows must meet, by where the table stores them."""
    return constraint_texts(configuration) | invariant_texts(schema)


def constraint_texts(configuration: Mapping[str, str]) -> dict[str, str]:
    """Return the expressions of CHECK constraints by the properties that store them."""
    return {
        key: text
        for key, text in sorted(configuration.items())
        if key.lower().startswith(CONSTRAINT_PREFIX)
    }


def invariant_texts(schema: StructType, above: Path = ()) -> dict[str, str]:
    """Return the conditions in the metadata of columns, at any depth of structs, by their location.

    Protocol: Column Invariants.
    """
    found: dict[str, str] = {}
    for field in schema:
        path = (*above, field.name)
        text = invariant_of(field.metadata, quote_path(path))
        if text is not None:
            found[f"{INVARIANT_KEY} of {quote_path(path)}"] = text
        if isinstance(field.data_type, StructType):
            found |= invariant_texts(field.data_type, path)
    return found


def generation_texts(schema: StructType) -> dict[str, str]:
    """Return the generation expressions of columns by the columns' names."""
    found = ((field.name, generation_of(field.metadata)) for field in schema)
    return {name: text for name, text in found if text is not None}


def naming(
    texts: Mapping[str, str],
    path: Path,
    schema: StructType,
    columns_of: ColumnsOf,
    *,
    whole: bool = False,
) -> str:
    """Return the expressions that name a column, a line each; '' for none.

    Args:
        texts: The expressions, in SQL, by what they belong to.
        path: The column, in any case of letters.
        schema: The table's.
        columns_of: Reads an expression; one that it cannot read may name any column.
        whole: Leave out expressions that only name fields below the column.
    """
    found = (
        f"{key} -> {text}"
        for key, text in texts.items()
        if _names_column(columns_of(text), lowered(path), schema, whole=whole)
    )
    return "\n".join(found)


def _names_column(
    named: Iterable[Path] | None, path: Path, schema: StructType, *, whole: bool
) -> bool:
    # An expression that cannot be parsed may name any column, so it protects all of them.
    if named is None:
        return True
    meant = [_in_schema(name, schema) for name in named]
    if any(is_at_or_below(path, column) for column in meant):
        return True
    return not whole and any(is_at_or_below(column, path) for column in meant)


def is_at_or_below(path: Path, above: Path) -> bool:
    """Say whether a column is another one, in small letters, or lies below it."""
    return lowered(path)[: len(above)] == above


def _in_schema(named: Path, schema: StructType) -> Path:
    """Return the column that a name in an expression means, as far as structs lead to it.

    The name may begin with the table's. What comes after an array or a map names no field.
    """
    # Expressions may qualify a column with the name of the table.
    start = next((at for at, part in enumerate(named) if schema.field(part) is not None), 0)
    found: list[str] = []
    inside: DataType = schema
    for part in named[start:]:
        field: StructField | None = inside.field(part) if isinstance(inside, StructType) else None
        if field is None:
            break
        found.append(field.name.lower())
        inside = field.data_type
    return tuple(found) or lowered(named)
