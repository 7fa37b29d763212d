"""The differences between two schemas of a table, column by column, at every depth.

Where columns are mapped, the column id identifies a column, whatever its name; elsewhere the name.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.column_mapping import ID_KEY, identity, unmapped_schema
from puredelta.table.columns.type_change_rules import type_text
from puredelta.table.protocol.defaults import default_of

Path = tuple[str, ...]

_COMMENT = "comment"


class Kind(Enum):
    """What became of a column."""

    ADDED = "added"
    DROPPED = "dropped"
    RENAMED = "renamed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """What became of one column.

    Attributes:
        kind: The kind of change.
        column: its path; its old one where it was renamed.
        before: how it was: its type and the rest of its definition, its name where it was renamed,
            its position where it was moved; None where it is new.
        after: how it is; None where it is gone.
    """

    kind: Kind
    column: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        match self.kind:
            case Kind.ADDED:
                return f"{self.column}: added, {self.after}"
            case Kind.DROPPED:
                return f"{self.column}: dropped, it was {self.before}"
            case Kind.RENAMED:
                return f"{self.column}: renamed to {self.after}"
            case _:
                return f"{self.column}: {self.before} -> {self.after}"


def schema_differences(before: StructType, after: StructType) -> tuple[SchemaDifference, ...]:
    """List how two schemas differ, in the order of the columns; what is new comes last."""
    if _has_ids(before) != _has_ids(after):
        # Mapping comes or goes: the columns are the same ones, by their names.
        before, after = unmapped_schema(before), unmapped_schema(after)
    return tuple(_in_structs(before, after, ()))


def definition(field: StructField) -> str:
    """Return a column as a statement would define it, without its name: `BIGINT NOT NULL`.

    What is inside a struct, an array or a map is left to lines of its own.
    """
    parts = [_kind_of(field), "" if field.nullable else "NOT NULL"]
    default, comment = default_of(field.metadata), field.metadata.get(_COMMENT)
    if default is not None:
        parts.append(f"DEFAULT {default}")
    if comment:
        parts.append(f"COMMENT '{comment}'")
    return " ".join(part for part in parts if part)


def _in_structs(before: StructType, after: StructType, above: Path) -> Iterator[SchemaDifference]:
    now = {identity(field): field for field in after}
    existing = {identity(field) for field in before}
    for field in before:
        kept = now.get(identity(field))
        path = (*above, field.name)
        if kept is None:
            yield SchemaDifference(Kind.DROPPED, quote_path(path), definition(field), None)
        else:
            yield from _in_fields(field, kept, path)
    yield from _moved(before, after, above)
    for field in after:
        if identity(field) not in existing:
            name = quote_path((*above, field.name))
            yield SchemaDifference(Kind.ADDED, name, None, _whole(field))


def _in_fields(before: StructField, after: StructField, path: Path) -> Iterator[SchemaDifference]:
    name = quote_path(path)
    if before.name != after.name:
        yield SchemaDifference(Kind.RENAMED, name, before.name, after.name)
    old, new = definition(before), definition(after)
    if old != new:
        yield SchemaDifference(Kind.CHANGED, name, old, new)
    yield from _in_types(before.data_type, after.data_type, path)


def _in_types(before: DataType, after: DataType, path: Path) -> Iterator[SchemaDifference]:
    match before, after:
        case StructType(), StructType():
            yield from _in_structs(before, after, path)
        case ArrayType(old), ArrayType(new):
            yield from _in_parts("element", old, new, path)
        case MapType(old_key, old_value), MapType(key, value):
            yield from _in_parts("key", old_key, key, path)
            yield from _in_parts("value", old_value, value, path)


def _in_parts(part: str, old: DataType, new: DataType, path: Path) -> Iterator[SchemaDifference]:
    yield from _in_fields(StructField(part, old), StructField(part, new), (*path, part))


def _moved(before: StructType, after: StructType, above: Path) -> Iterator[SchemaDifference]:
    old = [key for key in map(identity, before) if key in set(map(identity, after))]
    new = [key for key in map(identity, after) if key in set(old)]
    if old == new:
        return
    # Moved are the columns outside the longest common order: a column that moves to the front
    # shifts all others, which have not moved.
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    stayed = {key for block in blocks for key in old[block.a : block.a + block.size]}
    names = {identity(field): field.name for field in after}
    for column in new:
        if column not in stayed:
            name = quote_path((*above, names[column]))
            yield SchemaDifference(
                Kind.MOVED, name, _position(column, old, before), _position(column, new, after)
            )


def _position(column: Hashable, order: Sequence[Hashable], schema: StructType) -> str:
    index = order.index(column)
    if index == 0:
        return "FIRST"
    names = {identity(field): field.name for field in schema}
    return f"AFTER {quote_path([names[order[index - 1]]])}"


def _has_ids(schema: StructType) -> bool:
    return any(ID_KEY in field.metadata for field in schema)


def _kind_of(field: StructField) -> str:
    match field.data_type:
        case StructType():
            return "STRUCT"
        case ArrayType():
            return "ARRAY"
        case MapType():
            return "MAP"
        case _:
            return type_text(field)


def _whole(field: StructField) -> str:
    """Return the definition of a new column, with all that is inside it."""
    kind, facts = _kind_of(field), definition(field)
    nested = isinstance(field.data_type, (StructType, ArrayType, MapType))
    return simple_string(field.data_type) + facts[len(kind) :] if nested else facts
