"""Lengths that were declared for strings inside structs, arrays and maps: they follow the columns.

Spark stores `CHAR(n)` and `VARCHAR(n)` inside a column as the text of the whole column's type, in
the metadata of the top-level column: `struct<a:int,b:varchar(3)>`. Where a field in it is renamed,
dropped, added or moved, the text has to follow: writers of rows read it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace

from puredelta.schema.changes import ColumnAt, Path, find_column_position, with_column
from puredelta.schema.column_path import quote_name
from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    STRING,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    simple_string,
)
from puredelta.schema.walk import each_field
from puredelta.table.columns.column_mapping import identity

_CHAR = re.compile(r"char\((\d+)\)", re.IGNORECASE)

# Where a length is declared: what distinguishes the fields on the way to it, whatever their names.
_Position = tuple[Hashable, ...]
_Lengths = Mapping[_Position, str]

_PLAIN = re.compile(r"[^<>,(]+(?:\([^)]*\))?[^<>,(]*")
_SIZED = re.compile(r"(?:var)?char\(\d+\)")
_NAME = re.compile(r"(?:`(?:[^`]|``)*`|[^<>,:`]*):")
_BLANKS = re.compile(r"\s*")


def char_length(declared: str) -> int:
    """Return how many characters a reader fills a char(n) up to; 0 for other types.

    >>> char_length("CHAR(3)"), char_length("varchar(3)")
    (3, 0)
    """
    found = _CHAR.fullmatch(declared.strip())
    return int(found[1]) if found else 0


def with_declared_lengths(before: StructType, after: StructType) -> StructType:
    """Return a new schema of a table with the lengths that its old one declares.

    Lengths that nested fields declare of themselves, as new ones do, move to the top as well.

    Args:
        before: The old schema; the new one itself for a table that is new.
        after: The new schema.
    """
    known = {identity(field): field for field in before}
    return StructType(tuple(_followed(known.get(identity(field)), field) for field in after))


def declared_column(schema: StructType, path: Path) -> ColumnAt:
    """Find a column, with the length that is declared for its strings, at any depth.

    Args:
        schema: Where it is looked for.
        path: Its names, in any case.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
    """
    column = find_column_position(schema, path)
    field = column.field
    if len(column.path) == 1 or field.data_type != STRING or DECLARED_TYPE_KEY in field.metadata:
        return column
    length = _lengths(_top(schema, column)).get(_position(schema, column.path))
    if length is None:
        return column
    declared = replace(field, metadata={**field.metadata, DECLARED_TYPE_KEY: length})
    return replace(column, field=declared)


def with_declared_length(schema: StructType, column: ColumnAt, length: str | None) -> StructType:
    """Return a schema in which a column of strings has another declared length.

    Args:
        schema: The schema.
        column: A column in a struct, an array or a map, as `declared_column` finds it.
        length: `varchar(3)`, say; None for strings of any length.
    """
    top = _top(schema, column)
    lengths = dict(_lengths(top))
    position = _position(schema, column.path)
    lengths.pop(position, None)
    if length is not None:
        lengths[position] = length
    changed = _with_text(top, _text(top.data_type, lengths, ()))
    return with_column(schema, column.path[:1], lambda _: changed)


def _top(schema: StructType, column: ColumnAt) -> StructField:
    return find_column_position(schema, column.path[:1]).field


def _position(schema: StructType, path: Path) -> _Position:
    """Return what distinguishes a column from the others in its column at the top."""
    columns = (find_column_position(schema, path[: end + 1]) for end in range(1, len(path)))
    return tuple(
        identity(column.field) if column.in_struct else column.path[-1] for column in columns
    )


def _lengths(top: StructField) -> _Lengths:
    """Return the lengths that a top-level column declares; none where its text has another type."""
    try:
        read = dict(_Reader(str(top.metadata.get(DECLARED_TYPE_KEY) or "")).lengths(top.data_type))
    except ValueError:
        return {}
    # A field that declares a length itself is newer than the text of the whole column.
    return read | dict(_own(top.data_type))


def declared_type(field: StructField) -> DataType:
    """Return the type of a column with CHAR and VARCHAR where the column declares them."""
    text = str(field.metadata.get(DECLARED_TYPE_KEY) or "")
    try:
        return _sized(field.data_type, dict(_Reader(text).lengths(field.data_type)), ())
    except ValueError:
        # Another writer changed the column without the text.
        return field.data_type


def _sized(data_type: DataType, lengths: _Lengths, position: _Position) -> DataType:
    match data_type:
        case StructType():
            inner = (
                replace(
                    field, data_type=_sized(field.data_type, lengths, (*position, identity(field)))
                )
                for field in data_type
            )
            return StructType(tuple(inner))
        case ArrayType(element):
            sized = _sized(element, lengths, (*position, "element"))
            return replace(data_type, element_type=sized)
        case MapType(key, value):
            return replace(
                data_type,
                key_type=_sized(key, lengths, (*position, "key")),
                value_type=_sized(value, lengths, (*position, "value")),
            )
        case _:
            return UnknownType(lengths[position]) if position in lengths else data_type


def _followed(before: StructField | None, after: StructField) -> StructField:
    if not isinstance(after.data_type, (StructType, ArrayType, MapType)):
        return after
    text = after.metadata.get(DECLARED_TYPE_KEY)
    # A text that did not change still describes the fields of the old schema.
    is_old = before is not None and before.metadata.get(DECLARED_TYPE_KEY) == text
    read = _Reader(str(text or "")).lengths((before if before and is_old else after).data_type)
    try:
        lengths = dict(read) | dict(_own(after.data_type))
    except ValueError:
        # Another writer changed the column without the text, which stays as it is.
        return after
    return _with_text(after, _text(after.data_type, lengths, ()))


def _with_text(field: StructField, text: str) -> StructField:
    """Return a column with lengths at the top and nowhere in it; with none where there are none."""
    kept = {key: value for key, value in field.metadata.items() if key != DECLARED_TYPE_KEY}
    if _SIZED.search(text) is None:
        return field if len(kept) == len(field.metadata) else replace(field, metadata=kept)
    # A nested copy of a length would override the text after a later change.
    inner = each_field(StructType((field,)), _plain).fields[0].data_type
    return replace(field, data_type=inner, metadata={**field.metadata, DECLARED_TYPE_KEY: text})


def _own(data_type: DataType, position: _Position = ()) -> Iterator[tuple[_Position, str]]:
    """Yield the lengths that nested fields declare themselves."""
    for below, field in _parts(data_type):
        text = field.metadata.get(DECLARED_TYPE_KEY)
        if isinstance(text, str) and _SIZED.fullmatch(text):
            yield (*position, below), text
        yield from _own(field.data_type, (*position, below))


def _plain(field: StructField) -> StructField:
    kept = {key: value for key, value in field.metadata.items() if key != DECLARED_TYPE_KEY}
    return replace(field, metadata=kept)


def _parts(data_type: DataType) -> Iterator[tuple[Hashable, StructField]]:
    match data_type:
        case StructType():
            yield from ((identity(field), field) for field in data_type)
        case ArrayType(element):
            yield "element", StructField("element", element)
        case MapType(key, value):
            yield from (("key", StructField("key", key)), ("value", StructField("value", value)))


def _text(data_type: DataType, lengths: _Lengths, position: _Position) -> str:
    """Write a type as Spark does, with lengths in it; names that need quotes get them."""
    inner = [
        _text(part.data_type, lengths, (*position, below)) for below, part in _parts(data_type)
    ]
    match data_type:
        case StructType():
            named = zip(data_type.names, inner, strict=True)
            return (
                f"struct<{','.join(f'{quote_name(name)}:{declared}' for name, declared in named)}>"
            )
        case ArrayType():
            return f"array<{inner[0]}>"
        case MapType():
            return f"map<{inner[0]},{inner[1]}>"
        case _:
            return lengths.get(position, simple_string(data_type))


class _Reader:
    """Reads the text of a type whose names are known, since Spark does not quote all of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def lengths(
        self, data_type: DataType, position: _Position = ()
    ) -> Iterator[tuple[_Position, str]]:
        """Yield each position with its declared length; none for an empty text.

        Raises:
            ValueError: the text is no such type.
        """
        if not self._text:
            return
        match data_type:
            case StructType():
                opened = "struct<"
            case ArrayType():
                opened = "array<"
            case MapType():
                opened = "map<"
            case _:
                declared = self._plain_type()
                if _SIZED.fullmatch(declared):
                    yield position, declared
                return
        self._take(opened)
        for number, (below, part) in enumerate(_parts(data_type)):
            if number:
                self._take(",")
            if isinstance(data_type, StructType):
                self._take_name(part.name)
            yield from self.lengths(part.data_type, (*position, below))
        self._take(">")

    def _take(self, *texts: str) -> None:
        self._at = self._behind_blanks()
        found = next(
            (t for t in texts if self._text[self._at :].lower().startswith(t.lower())), None
        )
        if found is None:
            raise ValueError(self._text)
        self._at += len(found)

    def _take_name(self, name: str) -> None:
        try:
            self._take(f"{name}:", f"{quote_name(name)}:", f"`{name.replace('`', '``')}`:")
        except ValueError:
            # delta-spark renames fields and leaves the text, of which it then uses the order only.
            found = _NAME.match(self._text, self._behind_blanks())
            if found is None:
                raise
            self._at = found.end()

    def _plain_type(self) -> str:
        found = _PLAIN.match(self._text, self._behind_blanks())
        if found is None:
            raise ValueError(self._text)
        self._at = found.end()
        return found[0].strip().lower()

    def _behind_blanks(self) -> int:
        found = _BLANKS.match(self._text, self._at)
        return self._at if found is None else found.end()
