"""COUNT, MIN and MAX of whole files, from their statistics and partition values in the log.

Protocol: Per-file Statistics. An answer is given only where statistics are exact: not for strings,
whose bounds are cut off; not for timestamps, whose bounds are whole milliseconds; not for decimals,
which some writers round; not for floating point numbers, whose bounds may leave out NaN and the
sign of zero; not where rows were deleted since the bounds were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaRuntimeError
from puredelta.log.file_stats import file_stats
from puredelta.log.files import num_deleted, partition_texts
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
)
from puredelta.table.skipping.columns import StatsColumn, columns_of_table
from puredelta.table.skipping.stats_cache import num_records_of, partition_values_of

COUNT, MIN, MAX = "count", "min", "max"

# Types whose bounds are exact.
_EXACT = (BYTE, SHORT, INTEGER, LONG, DATE)
_FLOATING = (FLOAT, DOUBLE)
_WIDE = r'"tightBounds"\s*:\s*false'

Answer: TypeAlias = str | None
"""A value as a string that Spark casts to the column's type; None is null."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate over all rows.

    Attributes:
        function: COUNT, MIN or MAX.
        column: The name of a column; None for COUNT(*).
    """

    function: str
    column: str | None = None


class UnansweredError(Exception):
    """The log cannot answer an aggregate exactly."""


def answers(
    snapshot: Snapshot, files: pa.Table, wanted: Sequence[Aggregate]
) -> list[Answer] | None:
    """Answer aggregates over all rows of some files; None when the log cannot answer all.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version.
        wanted: The aggregates.
    """
    try:
        # All or nothing: a query that has to scan for one aggregate gets the others with it.
        return [_answer(snapshot, files, aggregate) for aggregate in wanted]
    except UnansweredError:
        return None


def _answer(snapshot: Snapshot, files: pa.Table, wanted: Aggregate) -> Answer:
    rows = _known(num_records_of(files))
    if wanted.column is None:
        return _total(_without_deleted(rows, files))
    column = columns_of_table(snapshot).find((wanted.column,))
    if column is None:
        raise UnansweredError
    if column.is_partition:
        # Deleted rows can be subtracted here: all rows of a file have the same partition value.
        return _of_partitions(files, wanted.function, column, _without_deleted(rows, files))
    return _of_statistics(files, wanted.function, column, rows)


def _of_partitions(files: pa.Table, function: str, column: StatsColumn, rows: pa.Array) -> Answer:
    texts = partition_texts(files["partition_values"], column.path[0])
    if function == COUNT:
        return _total(pc.if_else(pc.is_null(texts), 0, rows))
    if column.data_type in _FLOATING:
        # Arrow's minimum and maximum pass over NaN, which is Spark's maximum.
        raise UnansweredError
    values = _partition_values(files, column)
    # A partition that lost its last row must not contribute its value.
    present = pc.and_(pc.is_valid(texts), pc.greater(rows, 0))
    values, texts = _known(values.filter(present)), texts.filter(present)
    try:
        bounds = pc.min_max(values)
    except pa.ArrowNotImplementedError as reason:
        raise UnansweredError from reason
    found = bounds[function]
    if not found.is_valid:
        return None
    # The string of the log, not the typed value: Spark casts it as it does when it reads the file.
    text: str = texts.filter(pc.equal(values, found))[0].as_py()
    return text


def _partition_values(files: pa.Table, column: StatsColumn) -> pa.Array:
    """Return comparable values; null for timestamps without a time zone."""
    try:
        return partition_values_of(files, column).minimum
    except DeltaRuntimeError as reason:
        # Spark's cast may know better, or says what is wrong when the files are read.
        raise UnansweredError from reason


def _of_statistics(files: pa.Table, function: str, column: StatsColumn, rows: pa.Array) -> Answer:
    if _are_wide(files):
        raise UnansweredError
    stats = file_stats(files, {column.path: column.kind})
    nulls = _known(stats.null_counts[column.path])
    if function == COUNT:
        return _total(pc.subtract(rows, nulls))
    if column.data_type not in _EXACT:
        raise UnansweredError
    bounds = (stats.least if function == MIN else stats.greatest)[column.path]
    # Files with nulls alone have no bounds; in any other file a missing bound is unknown.
    bounds = bounds.filter(pc.less(nulls, rows))
    if not len(bounds):
        return None
    found = (pc.min if function == MIN else pc.max)(_known(bounds))
    return str(found.as_py())


def _are_wide(files: pa.Table) -> bool:
    """Say whether bounds or null counts may include deleted rows."""
    if files["deletion_vector"].null_count < files.num_rows:
        return True
    return bool(pc.any(pc.match_substring_regex(files["stats"], _WIDE)).as_py())


def _without_deleted(rows: pa.Array, files: pa.Table) -> pa.Array:
    return pc.subtract(rows, num_deleted(files).combine_chunks())


def _known(column: pa.Array) -> pa.Array:
    if column.null_count:
        raise UnansweredError
    return column


def _total(counts: Any) -> str:
    return str(pc.sum(counts).as_py() or 0)
