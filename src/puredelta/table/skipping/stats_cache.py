"""Caches statistics and partition values by column, parsed once for each batch of files.

A newer version of a table shares most batches of files with the one before. The key of a batch is
therefore the address of its strings rather than a version; it lives as long as one of the versions.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from puredelta.log.file_stats import FileStats, Path, file_stats, num_records
from puredelta.log.files import STRING_MAP
from puredelta.table.skipping.columns import StatsColumn
from puredelta.table.skipping.data_bounds import bounds_from_partitions, bounds_from_statistics

Mask: TypeAlias = npt.NDArray[np.bool_]

# How many batches are cached, and how many files they may have together: more than the table has
# from which on jobs of Spark choose files.
_MAX_BATCHES = 256
_MAX_FILES = 6_000_000

_RECORDS = "numRecords"


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """The statistics of one column, a row a file; null where a file has none.

    Attributes:
        minimum: Lower bounds, comparable as in `skipping.ordering`; None for types without bounds.
        maximum: Upper bounds.
        nulls: How many values are null.
    """

    minimum: pa.Array | None
    maximum: pa.Array | None
    nulls: pa.Array


@dataclass(frozen=True, slots=True)
class PartitionValues:
    """The values of a partition column, a row a file.

    Attributes:
        minimum: Lower bounds, comparable as in `skipping.ordering`; null where none is known.
        maximum: Upper bounds.
        is_null: Where the value is null.
    """

    minimum: pa.Array
    maximum: pa.Array
    is_null: Mask


@dataclass(slots=True)
class _Batch:
    # A reference to the strings keeps their address, the key of the batch, from being reused.
    texts: Any
    columns: dict[Any, Any] = field(default_factory=dict)
    # The tables that the batch is part of, by identity.
    tables: set[int] = field(default_factory=set)


class BatchCache:
    """The batches used last, of tables that are still in use.

    Args:
        batches: how many are cached.
    """

    def __init__(self, batches: int = _MAX_BATCHES) -> None:
        self._most = batches
        self._batches: OrderedDict[tuple[Any, ...], _Batch] = OrderedDict()
        # The batches of each table, by its identity.
        self._tables: dict[int, set[tuple[Any, ...]]] = {}
        # The collector may free a table, and so call `_release`, in a thread that has the lock.
        self._lock = threading.RLock()

    def of(self, texts: pa.Array, files: pa.Table) -> _Batch:
        """Return the cached columns of a batch; the caller adds those that it parses."""
        key = _address(texts)
        with self._lock:
            found = self._batches.pop(key, None) or _Batch(texts)
            self._batches[key] = found
            found.tables.add(id(files))
            # One finalizer for each table, not for each call: a table is looked up many times.
            # `atexit` is off because at the end of the process there is nothing to release.
            if id(files) not in self._tables:
                self._tables[id(files)] = set()
                weakref.finalize(files, self._release, id(files)).atexit = False
            self._tables[id(files)].add(key)
            self._shrink()
        return found

    def clear(self) -> None:
        """Remove all batches."""
        with self._lock:
            self._batches.clear()

    def _release(self, table: int) -> None:
        with self._lock:
            for key in self._tables.pop(table):
                batch = self._batches.get(key)
                # The limit may have removed the batch; its tables list the key nevertheless.
                if batch is None:
                    continue
                batch.tables.discard(table)
                if not batch.tables:
                    del self._batches[key]

    def _shrink(self) -> None:
        files = sum(len(batch.texts) for batch in list(self._batches.values()))
        # The newest batch stays even if it alone exceeds the limit: the caller is about to use it.
        while len(self._batches) > 1 and (len(self._batches) > self._most or files > _MAX_FILES):
            _, oldest = self._batches.popitem(last=False)
            files -= len(oldest.texts)


_cache = BatchCache()


def column_stats(files: pa.Table, columns: Mapping[Path, StatsColumn]) -> dict[Path, ColumnStats]:
    """Return the statistics of some columns.

    Args:
        files: Rows of `log.files.FILES`.
        columns: The columns, by physical path.
    """
    parts: dict[Path, list[ColumnStats]] = {path: [] for path in columns}
    for chunk, rows in _chunks(files, "stats"):
        batch = _cache.of(chunk, files)
        _fill(batch, rows, columns.values())
        for path, column in columns.items():
            parts[path].append(batch.columns[column])
    return {path: _joined(stats) for path, stats in parts.items()}


def num_records_of(files: pa.Table) -> pa.Array:
    """Return how many rows each file has, deleted ones included; null where it is not known."""
    found: list[pa.Array] = []
    for chunk, rows in _chunks(files, "stats"):
        batch = _cache.of(chunk, files)
        if _RECORDS not in batch.columns:
            batch.columns[_RECORDS] = _single_array(num_records(rows))
        found.append(batch.columns[_RECORDS])
    return _concatenated(found) if found else pa.array([], pa.int64())


def partition_values_of(files: pa.Table, column: StatsColumn) -> PartitionValues:
    """Return the values of a partition column.

    Args:
        files: Rows of `log.files.FILES`.
        column: The column.

    Raises:
        DeltaRuntimeError: A value is none of the column's type.
    """
    parts = []
    for chunk, _ in _chunks(files, "partition_values"):
        batch = _cache.of(chunk, files)
        if column not in batch.columns:
            batch.columns[column] = bounds_from_partitions(chunk, column)
        parts.append(batch.columns[column])
    if not parts:
        parts = [bounds_from_partitions(pa.array([], STRING_MAP), column)]
    minimum, maximum, is_null = (_concatenated(list(part)) for part in zip(*parts, strict=True))
    return PartitionValues(minimum, maximum, np.asarray(is_null))


def forget() -> None:
    """Empty the cache."""
    _cache.clear()


def _chunks(files: pa.Table, name: str) -> Iterable[tuple[pa.Array, pa.Table]]:
    column = files[name]
    for chunk in column.chunks:
        if len(chunk):
            yield chunk, pa.table({name: chunk})


def _fill(batch: _Batch, rows: pa.Table, columns: Iterable[StatsColumn]) -> None:
    # All missing columns are parsed together: the cost is that of reading the JSON, once.
    missing = [column for column in columns if column not in batch.columns]
    if not missing:
        return
    known = file_stats(rows, {column.path: column.kind for column in missing})
    for column in missing:
        bounds = _bounds(known, column)
        batch.columns[column] = ColumnStats(*bounds, _single_array(known.null_counts[column.path]))
    batch.columns[_RECORDS] = _single_array(known.num_records)


def _bounds(known: FileStats, column: StatsColumn) -> tuple[pa.Array | None, pa.Array | None]:
    if column.path not in known.least:
        return None, None
    minimum, maximum = (
        _single_array(known.least[column.path]),
        _single_array(known.greatest[column.path]),
    )
    return bounds_from_statistics(minimum, maximum, column)


def _single_array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _joined(columns: list[ColumnStats]) -> ColumnStats:
    nulls = (
        _concatenated([stats.nulls for stats in columns]) if columns else pa.array([], pa.int64())
    )
    if not columns or columns[0].minimum is None:
        return ColumnStats(None, None, nulls)
    return ColumnStats(
        _concatenated([stats.minimum for stats in columns]),
        _concatenated([stats.maximum for stats in columns]),
        nulls,
    )


def _concatenated(arrays: list[Any]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _address(texts: pa.Array) -> tuple[Any, ...]:
    # Slices share their buffers, so length and offset are part of the key.
    buffers = tuple(None if buffer is None else buffer.address for buffer in _buffers(texts))
    return (len(texts), texts.offset, *buffers)


def _buffers(array: pa.Array) -> list[pa.Buffer | None]:
    return list(array.buffers())
