"""Statistics and partition values by column, parsed once for each batch of files and kept.

A newer version of a table shares most batches of files with the one before, so they are kept by
the place in memory of their texts rather than by version, as long as one of the versions is there.
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

# Batches of which columns are kept, and how many files they may have together.
_BATCHES_KEPT = 256
_FILES_KEPT = 1_000_000

_RECORDS = "numRecords"


@dataclass(frozen=True, slots=True)
class ColumnStats:
    """What statistics say of one column, a row a file; null is what they do not say.

    Attributes:
        least: Lower bounds, comparable as in `skipping.ordering`; None for columns without bounds.
        greatest: Upper bounds.
        nulls: How many values are null.
    """

    least: pa.Array | None
    greatest: pa.Array | None
    nulls: pa.Array


@dataclass(frozen=True, slots=True)
class PartitionValues:
    """What the values of a partition column are, a row a file.

    Attributes:
        least: Lower bounds, comparable as in `skipping.ordering`; null where none is known.
        greatest: Upper bounds.
        is_null: Where the value is null.
    """

    least: pa.Array
    greatest: pa.Array
    is_null: Mask


@dataclass(slots=True)
class _Batch:
    # Holding the texts keeps their place in memory from being used for others.
    texts: Any
    columns: dict[Any, Any] = field(default_factory=dict)
    # The tables that the batch is part of, by identity.
    tables: set[int] = field(default_factory=set)


class KeptBatches:
    """The batches used last, of tables that are still there.

    Args:
        batches: how many are kept.
    """

    def __init__(self, batches: int = _BATCHES_KEPT) -> None:
        self._most = batches
        self._batches: OrderedDict[tuple[Any, ...], _Batch] = OrderedDict()
        # The batches of each table, by its identity.
        self._tables: dict[int, set[tuple[Any, ...]]] = {}
        # A table may go away, and call back, while this thread is in here.
        self._lock = threading.RLock()

    def of(self, texts: pa.Array, files: pa.Table) -> _Batch:
        """Return what is kept of a batch, to look into and to add to."""
        key = _place_in_memory(texts)
        with self._lock:
            found = self._batches.pop(key, None) or _Batch(texts)
            self._batches[key] = found
            found.tables.add(id(files))
            if id(files) not in self._tables:
                self._tables[id(files)] = set()
                weakref.finalize(files, self._leave, id(files)).atexit = False
            self._tables[id(files)].add(key)
            self._shrink()
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._batches.clear()

    def _leave(self, table: int) -> None:
        with self._lock:
            for key in self._tables.pop(table):
                batch = self._batches.get(key)
                if batch is None:
                    continue
                batch.tables.discard(table)
                if not batch.tables:
                    del self._batches[key]

    def _shrink(self) -> None:
        files = sum(len(batch.texts) for batch in list(self._batches.values()))
        while len(self._batches) > 1 and (len(self._batches) > self._most or files > _FILES_KEPT):
            _, gone = self._batches.popitem(last=False)
            files -= len(gone.texts)


_kept = KeptBatches()


def column_stats(files: pa.Table, places: Mapping[Path, StatsColumn]) -> dict[Path, ColumnStats]:
    """Return what statistics say of some columns.

    Args:
        files: Rows of `log.files.FILES`.
        places: The columns, by physical path.
    """
    parts: dict[Path, list[ColumnStats]] = {path: [] for path in places}
    for chunk, rows in _chunks(files, "stats"):
        batch = _kept.of(chunk, files)
        _fill(batch, rows, places.values())
        for path, place in places.items():
            parts[path].append(batch.columns[place])
    return {path: _joined(stats) for path, stats in parts.items()}


def num_records_of(files: pa.Table) -> pa.Array:
    """Return how many rows each file has, deleted ones included; null where it is not known."""
    found: list[pa.Array] = []
    for chunk, rows in _chunks(files, "stats"):
        batch = _kept.of(chunk, files)
        if _RECORDS not in batch.columns:
            batch.columns[_RECORDS] = _one(num_records(rows))
        found.append(batch.columns[_RECORDS])
    return _concatenated(found) if found else pa.array([], pa.int64())


def partition_values_of(files: pa.Table, place: StatsColumn) -> PartitionValues:
    """Return the values of a partition column.

    Args:
        files: Rows of `log.files.FILES`.
        place: The column.

    Raises:
        DeltaRuntimeError: A value is none of the column's type.
    """
    parts = []
    for chunk, _ in _chunks(files, "partition_values"):
        batch = _kept.of(chunk, files)
        if place not in batch.columns:
            batch.columns[place] = bounds_from_partitions(chunk, place)
        parts.append(batch.columns[place])
    if not parts:
        parts = [bounds_from_partitions(pa.array([], STRING_MAP), place)]
    least, greatest, is_null = (_concatenated(list(part)) for part in zip(*parts, strict=True))
    return PartitionValues(least, greatest, np.asarray(is_null))


def forget() -> None:
    """Forget all that was parsed."""
    _kept.clear()


def _chunks(files: pa.Table, name: str) -> Iterable[tuple[pa.Array, pa.Table]]:
    column = files[name]
    for chunk in column.chunks:
        if len(chunk):
            yield chunk, pa.table({name: chunk})


def _fill(batch: _Batch, rows: pa.Table, places: Iterable[StatsColumn]) -> None:
    missing = [place for place in places if place not in batch.columns]
    if not missing:
        return
    known = file_stats(rows, {place.path: place.kind for place in missing})
    for place in missing:
        bounds = _bounds(known, place)
        batch.columns[place] = ColumnStats(*bounds, _one(known.null_counts[place.path]))
    batch.columns[_RECORDS] = _one(known.num_records)


def _bounds(known: FileStats, place: StatsColumn) -> tuple[pa.Array | None, pa.Array | None]:
    if place.path not in known.least:
        return None, None
    least, greatest = _one(known.least[place.path]), _one(known.greatest[place.path])
    return bounds_from_statistics(least, greatest, place)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _joined(columns: list[ColumnStats]) -> ColumnStats:
    nulls = (
        _concatenated([stats.nulls for stats in columns]) if columns else pa.array([], pa.int64())
    )
    if not columns or columns[0].least is None:
        return ColumnStats(None, None, nulls)
    return ColumnStats(
        _concatenated([stats.least for stats in columns]),
        _concatenated([stats.greatest for stats in columns]),
        nulls,
    )


def _concatenated(arrays: list[Any]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _place_in_memory(texts: pa.Array) -> tuple[Any, ...]:
    buffers = tuple(None if buffer is None else buffer.address for buffer in _buffers(texts))
    return (len(texts), texts.offset, *buffers)


def _buffers(array: pa.Array) -> list[pa.Buffer | None]:
    return list(array.buffers())
