"""COUNT, MIN and MAX of whole files, from what the log says of them.

Protocol: Per-file Statistics. An answer is given only where statistics are exact: not for texts,
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
"""A value as text that Spark casts to the column's type; None is null."""


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
    """The log does not say it."""


def answers(
    snapshot: Snapshot, files: pa.Table, wanted: Sequence[Aggregate]
) -> list[Answer] | None:
    """Answer aggregates over all rows of some files; None when the log does not hold them all.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version.
        wanted: The aggregates.
    """
    try:
        return [_answer(snapshot, files, aggregate) for aggregate in wanted]
    except UnansweredError:
        return None


def _answer(snapshot: Snapshot, files: pa.Table, wanted: Aggregate) -> Answer:
    rows = _known(num_records_of(files))
    if wanted.column is None:
        return _total(_without_deleted(rows, files))
    place = columns_of_table(snapshot).find((wanted.column,))
    if place is None:
        raise UnansweredError
    if place.is_partition:
        return _of_partitions(files, wanted.function, place, _without_deleted(rows, files))
    return _of_statistics(files, wanted.function, place, rows)


def _of_partitions(files: pa.Table, function: str, place: StatsColumn, rows: pa.Array) -> Answer:
    texts = partition_texts(files["partition_values"], place.path[0])
    if function == COUNT:
        return _total(pc.if_else(pc.is_null(texts), 0, rows))
    if place.data_type in _FLOATING:
        raise UnansweredError
    values = _partition_values(files, place)
    present = pc.and_(pc.is_valid(texts), pc.greater(rows, 0))
    values, texts = _known(values.filter(present)), texts.filter(present)
    try:
        bounds = pc.min_max(values)
    except pa.ArrowNotImplementedError as reason:
        raise UnansweredError from reason
    found = bounds[function]
    if not found.is_valid:
        return None
    text: str = texts.filter(pc.equal(values, found))[0].as_py()
    return text


def _partition_values(files: pa.Table, place: StatsColumn) -> pa.Array:
    """Return comparable values; null for points in time that do not say their zone."""
    try:
        return partition_values_of(files, place).minimum
    except DeltaRuntimeError as reason:
        # Spark's cast may know better, or says what is wrong when the files are read.
        raise UnansweredError from reason


def _of_statistics(files: pa.Table, function: str, place: StatsColumn, rows: pa.Array) -> Answer:
    if _are_wide(files):
        raise UnansweredError
    stats = file_stats(files, {place.path: place.kind})
    nulls = _known(stats.null_counts[place.path])
    if function == COUNT:
        return _total(pc.subtract(rows, nulls))
    if place.data_type not in _EXACT:
        raise UnansweredError
    bounds = (stats.least if function == MIN else stats.greatest)[place.path]
    bounds = bounds.filter(pc.less(nulls, rows))
    if not len(bounds):
        return None
    found = (pc.min if function == MIN else pc.max)(_known(bounds))
    return str(found.as_py())


def _are_wide(files: pa.Table) -> bool:
    """Say whether bounds or counts take in rows that were deleted since."""
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
