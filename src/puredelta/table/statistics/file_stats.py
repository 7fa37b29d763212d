"""Statistics of a data file, from its Parquet footer or from the rows while they are in memory.

Protocol: Per-file Statistics. A footer knows the bounds of each column chunk without a pass over
the data. It does not count null lists and maps, so their null counts are left out. Where it has no
bounds (INT96, very long strings), these are left out too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
)
from puredelta.table.statistics.arrow_bounds import bounds_from_arrow
from puredelta.table.statistics.bound_encoding import (
    JsonValue,
    date_bound,
    decimal_bound,
    double_bound,
    lower_text,
    timestamp_bound,
    upper_text,
)
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.footer_stats import FooterStats, MissingBounds
from puredelta.table.statistics.indexed_columns import (
    ALL_COLUMNS,
    Indexing,
    Leaf,
    Path,
    indexed_leaves,
)

USUAL = Indexing()
"""The statistics of a table whose properties say nothing about them."""

_ENCODER = msgspec.json.Encoder()
_NUMBERS = (BYTE, SHORT, INTEGER, LONG)

Bound = Callable[[Any], "JsonValue | None"]


def stats_from_footer(
    footer: Any,
    schema: StructType,
    indexing: Indexing = USUAL,
    *,
    tight_bounds: bool = False,
) -> str:
    """Return the statistics of a Parquet file by its footer.

    Args:
        footer: A `pyarrow.parquet.FileMetaData`.
        schema: The columns of the table that lie in its files, without partition columns.
        indexing: Which of them get statistics.
        tight_bounds: Say that the bounds are exact: for tables that support deletion vectors.

    Returns:
        The JSON text for `AddFile.stats`.
    """
    return _of_footers(schema, indexing).of(footer, tight_bounds=tight_bounds)


class FooterStatistics:
    """Returns the statistics of many files of a table by their footers.

    Args:
        schema: The columns of the table that lie in its files, without partition columns.
        indexing: Which of them get statistics.
    """

    def __init__(self, schema: StructType, indexing: Indexing = USUAL) -> None:
        self._prefix = indexing.prefix
        self._leaves = _planned(schema, indexing)
        self._facts = FooterStats(self._leaves)

    def of(self, footer: Any, *, tight_bounds: bool = False) -> str:
        """Return the statistics of a file; see `stats_from_footer`."""
        facts, exact = self._facts.of(footer), tight_bounds or None
        return _stats(footer.num_rows, self._leaves, facts, self._prefix, tight_bounds=exact)

    def with_silent(self, footer: Any) -> tuple[str, list[MissingBounds]]:
        """Return the statistics of a file, and the columns whose bounds its footer lacks."""
        facts = self._facts.of(footer)
        silent = self._facts.silent(footer, facts)
        text = _stats(footer.num_rows, self._leaves, facts, self._prefix, tight_bounds=None)
        return text, silent

    def completed(self, footer: Any, found: Mapping[Path, ColumnBounds]) -> str:
        """Return the statistics of a file, some columns of which have been read.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
            found: The bounds of the columns that were read.
        """
        facts = {**self._facts.of(footer), **found}
        return _stats(footer.num_rows, self._leaves, facts, self._prefix, tight_bounds=None)


@lru_cache(maxsize=64)
def _of_footers(schema: StructType, indexing: Indexing) -> FooterStatistics:
    return FooterStatistics(schema, indexing)


def stats_from_arrow(
    rows: pa.Table,
    schema: StructType,
    indexing: Indexing = USUAL,
    *,
    tight_bounds: bool = False,
) -> str:
    """Return the statistics of a file by the rows that go into it.

    Unlike a footer, rows show how many lists and maps are null, and whether a column holds NaN.

    Args:
        rows: The data columns, in the Arrow types of the schema.
        schema: The columns of the table that lie in its files, without partition columns.
        indexing: Which of them get statistics.
        tight_bounds: Say that the bounds are exact: for tables that support deletion vectors.
    """
    leaves = _planned(schema, indexing)
    facts = bounds_from_arrow(rows, leaves)
    exact = tight_bounds or None
    return _stats(rows.num_rows, leaves, facts, indexing.prefix, tight_bounds=exact)


def stats_from_bounds(
    num_rows: int,
    facts: Mapping[Path, ColumnBounds],
    schema: StructType,
    indexing: Indexing = USUAL,
    *,
    tight_bounds: bool | None = None,
) -> str:
    """Return the statistics of a file from bounds that the caller knows.

    Args:
        num_rows: How many rows it has.
        facts: What is known of each column that gets statistics.
        schema: The columns of the table that lie in its files, without partition columns.
        indexing: Which of them get statistics.
        tight_bounds: Say that the bounds are exact, or that they may be wider; None says neither.
    """
    leaves = _planned(schema, indexing)
    return _stats(num_rows, leaves, facts, indexing.prefix, tight_bounds=tight_bounds)


def columns_safe_in_footers(schema: StructType) -> list[str]:
    """Name the columns whose statistics Arrow may write into a footer: all but floats.

    Arrow leaves NaN out of the bounds of a column, Spark orders it above all numbers; so when Spark
    pushes `x > 1` down to such a file, it skips rows with NaN.

    Args:
        schema: The data columns of a file.

    Returns:
        Dotted paths for `pyarrow.parquet.write_table(..., write_statistics=...)`.
    """
    leaves = _planned(schema, Indexing(count=ALL_COLUMNS))
    return [
        ".".join(leaf.path)
        for leaf in leaves
        if leaf.data_type not in (FLOAT, DOUBLE)
        and not isinstance(leaf.data_type, (ArrayType, MapType))
    ]


@lru_cache(maxsize=256)
def _planned(schema: StructType, indexing: Indexing) -> tuple[Leaf, ...]:
    return tuple(leaf for leaf in indexed_leaves(schema, indexing) if leaf.data_type != VOID)


def _stats(
    num_rows: int,
    leaves: Iterable[Leaf],
    facts: Mapping[Path, ColumnBounds],
    prefix: int,
    *,
    tight_bounds: bool | None,
) -> str:
    minimum: dict[str, Any] = {}
    maximum: dict[str, Any] = {}
    nulls: dict[str, Any] = {}
    for leaf in leaves:
        known = facts[leaf.path]
        bounds = _bounds(leaf.data_type, prefix)
        if bounds is not None:
            _put(minimum, leaf.path, _encoded(bounds[0], known.minimum))
            _put(maximum, leaf.path, _encoded(bounds[1], known.maximum))
        if known.nulls is not None:
            _put(nulls, leaf.path, known.nulls)
    stats: dict[str, Any] = {
        "numRecords": num_rows,
        "minValues": minimum,
        "maxValues": maximum,
        "nullCount": nulls,
    }
    # Without the key bounds count as tight; delta-spark writes it for tables with deletion vectors
    # only.
    if tight_bounds is not None:
        stats["tightBounds"] = tight_bounds
    return _ENCODER.encode(stats).decode()


def _encoded(bound: Bound, value: Any) -> JsonValue | None:
    return None if value is None else bound(value)


def _put(tree: dict[str, Any], path: Path, value: Any) -> None:
    """Set a value in nested objects; those above it are made even when there is no value."""
    # delta-spark writes an empty object for a struct whose values are all null.
    for part in path[:-1]:
        tree = tree.setdefault(part, {})
    if value is not None:
        tree[path[-1]] = value


@lru_cache(maxsize=256)
def _bounds(data_type: DataType, prefix: int) -> tuple[Bound, Bound] | None:
    """Return the writers of minimum and maximum of a type; None for types without bounds."""
    if data_type in _NUMBERS:
        return _same(int)
    if data_type in (FLOAT, DOUBLE):
        return _same(double_bound)
    if isinstance(data_type, DecimalType):
        scale = data_type.scale
        return _same(lambda unscaled: decimal_bound(unscaled, scale))
    if data_type == DATE:
        return _same(date_bound)
    if data_type == TIMESTAMP:
        # Both bounds are rounded down: readers add a millisecond to the maximum.
        return _same(lambda micros: timestamp_bound(micros, "Z"))
    if data_type == TIMESTAMP_NTZ:
        return _same(lambda micros: timestamp_bound(micros, ""))
    if data_type == STRING:
        return (
            lambda text: lower_text(text, prefix),
            lambda text: upper_text(text, prefix),
        )
    return None


def _same(bound: Bound) -> tuple[Bound, Bound]:
    return bound, bound
