"""The names of columns in files that were there before they became part of an Iceberg table.

Iceberg finds columns by their ids, and lets files without ids in under a mapping of names. A Delta
table finds columns by ids in all of its files or by names in all of them; by names, then, which
have to be the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from puredelta.conversion.footers import StoreFooters, parsed_footer
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaError, DeltaUnsupportedOperationError
from puredelta.table.statistics.footer_parsing import DAMAGED

_ID = b"PARQUET:field_id"
_ROOT = -1


@dataclass(frozen=True, slots=True)
class _Found:
    """A column of a file: where it is, its name, and its id unless the table has no such column."""

    above: int
    name: str
    number: int | None


@dataclass(frozen=True, slots=True)
class NamesInFiles:
    """How columns are called in files.

    Attributes:
        names: The names of the table's columns, by their ids.
        others: The names, in small letters, that files use for other columns, each with the id of
            what it is a part of.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    others: frozenset[tuple[int, str]] = frozenset()


def names_in_files(
    files: Iterable[SourceFile], footers: StoreFooters, mapping: Any, wanted: frozenset[int]
) -> NamesInFiles | None:
    """Look how columns are called in the files of a table that has a mapping of names.

    Args:
        files: Its data files.
        footers: Reads their ends.
        mapping: The `NameMapping`.
        wanted: The ids of the columns that the table has.

    Returns:
        The names; None when all files have ids, and names do not matter.

    Raises:
        DeltaUnsupportedOperationError: Files disagree (DELTA_ICEBERG_NAMES_IN_FILES).
        DeltaRuntimeError: A file cannot be read (DELTA_FAILED_READ_FILE_FOOTER).
    """
    seen: dict[_Found, str] = {}
    without_ids = False
    for file, tail in footers.tails(files):
        columns = parsed_footer(footers.store.url, file, tail).schema.to_arrow_schema()
        has_ids = any(_number(column) is not None for column in columns)
        without_ids = without_ids or not has_ids
        found = _with_ids(columns, _ROOT) if has_ids else _by_names(columns, _ROOT, list(mapping))
        for column in found:
            seen.setdefault(column, file.path)
    return _agreed(seen, wanted) if without_ids else None


def check_ids(files: Iterable[SourceFile], footers: StoreFooters) -> None:
    """Refuse files in which neither ids nor a mapping of names would find a column.

    Args:
        files: Some data files; those that cannot be read are passed over.
        footers: Reads their ends.

    Raises:
        DeltaUnsupportedOperationError: DELTA_ICEBERG_FILES_WITHOUT_IDS.
    """
    for file, tail in footers.tails(files):
        try:
            columns = parsed_footer(footers.store.url, file, tail).schema.to_arrow_schema()
        except (DeltaError, *DAMAGED):
            continue
        if not any(_number(column) is not None for column in columns):
            raise DeltaUnsupportedOperationError("DELTA_ICEBERG_FILES_WITHOUT_IDS", path=file.path)


def _agreed(seen: dict[_Found, str], wanted: frozenset[int]) -> NamesInFiles:
    names: dict[int, _Found] = {}
    owners: dict[tuple[int, str], _Found] = {}
    for column, path in seen.items():
        other = owners.setdefault((column.above, column.name.lower()), column)
        if other.number != column.number and {other.number, column.number} & wanted:
            raise _disagreement(column, path, other, seen[other])
        if column.number in wanted:
            known = names.setdefault(column.number, column)
            if known.name != column.name:
                raise _disagreement(column, path, known, seen[known])
    others = {(column.above, column.name.lower()) for column in seen if column.number not in wanted}
    return NamesInFiles(
        {number: column.name for number, column in names.items()}, frozenset(others)
    )


def _with_ids(fields: Iterable[pa.Field], above: int) -> Iterator[_Found]:
    for column in fields:
        number = _number(column)
        yield _Found(above, column.name, number)
        if number is not None:
            for inner, parent in _parts(column.type, number):
                yield from _with_ids(inner, parent)


def _by_names(fields: Iterable[pa.Field], above: int, mapping: Sequence[Any]) -> Iterator[_Found]:
    for column in fields:
        known = next((entry for entry in mapping if column.name in entry.names), None)
        number = None if known is None else known.field_id
        yield _Found(above, column.name, number)
        if known is not None and number is not None:
            yield from _inside(column.type, number, known.fields)


def _inside(data_type: pa.DataType, above: int, mapping: Sequence[Any]) -> Iterator[_Found]:
    if pa.types.is_struct(data_type):
        yield from _by_names(data_type, above, mapping)
        return
    for name, inner in _elements(data_type):
        known = next((entry for entry in mapping if name in entry.names), None)
        if known is not None and known.field_id is not None:
            yield from _inside(inner.type, known.field_id, known.fields)


def _parts(data_type: pa.DataType, above: int) -> Iterator[tuple[Iterable[pa.Field], int]]:
    """Yield the structs in a column, each with the id of what it is the type of."""
    if pa.types.is_struct(data_type):
        yield data_type, above
    for _, inner in _elements(data_type):
        number = _number(inner)
        if number is not None:
            yield from _parts(inner.type, number)


def _elements(data_type: pa.DataType) -> list[tuple[str, pa.Field]]:
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type):
        return [("element", data_type.value_field)]
    if pa.types.is_map(data_type):
        return [("key", data_type.key_field), ("value", data_type.item_field)]
    return []


def _number(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_ID)
    return None if text is None else int(text)


def _disagreement(
    found: _Found, path: str, other: _Found, other_path: str
) -> DeltaUnsupportedOperationError:
    return DeltaUnsupportedOperationError(
        "DELTA_ICEBERG_NAMES_IN_FILES",
        column=found.name,
        path=path,
        otherColumn=other.name,
        otherPath=other_path,
    )
