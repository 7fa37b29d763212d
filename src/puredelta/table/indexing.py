"""Which columns of a table get statistics, and how much of a string their bounds keep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.schema.datatypes import DataType, StructType
from puredelta.table.properties import SKIPPING_COLUMNS, SKIPPING_NUM_COLUMNS, SKIPPING_PREFIX

Path = tuple[str, ...]

ALL_COLUMNS = -1

# One part of a column's path: plain, or in back-ticks with doubled ones inside.
_PART = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([^`.,]+?))\s*(?=[.,]|$)")


@dataclass(frozen=True, slots=True)
class Indexing:
    """What the properties of a table say about statistics.

    Attributes:
        count: How many leaf columns, from the first on; -1 for all.
        columns: Exactly these columns and what lies below them; overrides `count`.
        prefix: How many characters of a string its bounds keep; 0 for no bounds of strings.
    """

    count: int = 32
    columns: tuple[Path, ...] | None = None
    prefix: int = 32


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column without parts of its own, by its path from the root."""

    path: Path
    data_type: DataType


def indexing_of(configuration: Mapping[str, str]) -> Indexing:
    """Read the properties of a table that say which columns get statistics."""
    named = SKIPPING_COLUMNS.of(configuration)
    return Indexing(
        count=SKIPPING_NUM_COLUMNS.of(configuration),
        columns=None if named is None else tuple(parse_column_list(named)),
        prefix=SKIPPING_PREFIX.of(configuration),
    )


def indexed_leaves(schema: StructType, indexing: Indexing) -> tuple[Leaf, ...]:
    """List the columns that get statistics, depth first.

    Args:
        schema: The columns that lie in the files, so without partition columns.
        indexing: What the table asks for.
    """
    leaves = list(_leaves(schema, ()))
    if indexing.columns is not None:
        wanted = [tuple(part.lower() for part in path) for path in indexing.columns]
        return tuple(leaf for leaf in leaves if _is_below(leaf.path, wanted))
    return tuple(leaves if indexing.count == ALL_COLUMNS else leaves[: indexing.count])


def parse_column_list(text: str) -> list[Path]:
    """Read a comma-separated list of column paths.

    >>> parse_column_list("a, b.c, `x,y`.z")
    [('a',), ('b', 'c'), ('x,y', 'z')]

    Raises:
        DeltaIllegalArgumentError: The text is no such list.
    """
    paths: list[Path] = []
    parts: list[str] = []
    at = 0
    while text.strip() and at <= len(text):
        found = _PART.match(text, at)
        if found is None:
            raise DeltaIllegalArgumentError("DELTA_INVALID_COLUMN_LIST", columns=text)
        quoted, plain = found.groups()
        parts.append(quoted.replace("``", "`") if quoted is not None else plain)
        at = found.end() + 1
        if found.end() == len(text) or text[found.end()] == ",":
            paths.append(tuple(parts))
            parts = []
    return paths


def _leaves(schema: StructType, above: Path) -> Iterator[Leaf]:
    for field in schema.fields:
        path = (*above, field.name)
        if isinstance(field.data_type, StructType):
            yield from _leaves(field.data_type, path)
        else:
            yield Leaf(path, field.data_type)


def _is_below(path: Path, wanted: list[Path]) -> bool:
    lowered = tuple(part.lower() for part in path)
    return any(lowered[: len(one)] == one for one in wanted)
