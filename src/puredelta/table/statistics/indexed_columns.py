"""Which columns of a table get statistics, and how much of a string their bounds keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructType,
    simple_string,
)
from puredelta.schema.physical import physical_path
from puredelta.table.protocol.properties import (
    SKIPPING_COLUMNS,
    SKIPPING_NUM_COLUMNS,
    SKIPPING_PREFIX,
)

Path = tuple[str, ...]

ALL_COLUMNS = -1

_UNORDERED = (BINARY, BOOLEAN, VOID)

# One part of a column's path: plain, or in back-ticks with doubled ones inside.
_PART = re.compile(r"\s*(?:`((?:[^`]|``)+)`|([^`.,]+?))\s*(?=[.,]|$)")


@dataclass(frozen=True, slots=True)
class Indexing:
    """What the properties of a table say about statistics.

    Attributes:
        count: How many leaf columns, from the first on; -1 for all.
        columns: Exactly these columns and what lies below them; overrides `count`.
        prefix: How many characters of a string its bounds record; 0 for no bounds of strings.
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


def as_in_files(indexing: Indexing, schema: StructType) -> Indexing:
    """Name the columns as the files of a table do that maps its columns.

    Args:
        indexing: What the table asks for, by the names that users have.
        schema: The table's schema.
    """
    if indexing.columns is None:
        return indexing
    return replace(
        indexing, columns=tuple(physical_path(path, schema) for path in indexing.columns)
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
    # The leaves are counted depth first, so a wide struct may use the whole count up.
    return tuple(leaves if indexing.count == ALL_COLUMNS else leaves[: indexing.count])


def check_columns(
    schema: StructType, partition_columns: Sequence[str], configuration: Mapping[str, str]
) -> None:
    """Refuse columns for statistics that do not exist or cannot have bounds.

    Raises:
        DeltaAnalysisError: A column is not in the schema.
        DeltaIllegalArgumentError: A column is named twice, partitions the table, or has a type
            without order.
    """
    named = indexing_of(configuration).columns or ()
    lowered = [tuple(part.lower() for part in path) for path in named]
    repeated = sorted({".".join(path) for path in lowered if lowered.count(path) > 1})
    if repeated:
        raise DeltaIllegalArgumentError("DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS", columns=repeated)
    leaves = list(_leaves(schema, ()))
    partitioning = {name.lower() for name in partition_columns}
    for path in named:
        below = [leaf for leaf in leaves if _is_below(leaf.path, [tuple(map(str.lower, path))])]
        if not below:
            raise DeltaAnalysisError(
                "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                columnName=".".join(path),
                tableSchema=simple_string(schema),
            )
        # Partition values are in the log, exact for each file; files do not contain the column.
        if path[0].lower() in partitioning:
            raise DeltaIllegalArgumentError(
                "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN",
                column=".".join(path),
            )
        _refuse_unordered(below)


def _refuse_unordered(leaves: Iterable[Leaf]) -> None:
    for leaf in leaves:
        if not is_ordered(leaf.data_type):
            raise DeltaIllegalArgumentError(
                "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE",
                column=".".join(leaf.path),
                type=simple_string(leaf.data_type),
            )


def is_ordered(data_type: DataType) -> bool:
    """Say whether values of a type have bounds: all but nested, binary, boolean and void ones."""
    nested = isinstance(data_type, (ArrayType, MapType, StructType))
    return not nested and data_type not in _UNORDERED


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
    return any(lowered[: len(prefix)] == prefix for prefix in wanted)
