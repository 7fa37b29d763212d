"""Statistics and partition values by column, parsed once for each batch of files and kept.

A newer version of a table shares most batches of files with the one before, so they are kept by
the place in memory of their texts rather than by version.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

from puredelta.log.file_stats import Path, file_stats

# Batches of which columns are kept, and how many files they may have together.
_BATCHES_KEPT = 256
_FILES_KEPT = 2_000_000

Key: TypeAlias = tuple[str, Path, pa.DataType | None]


@dataclass(frozen=True, slots=True)
class Told:
    """What statistics tell of one column, a row a file; null is what they do not tell.

    Attributes:
        least: The lower bounds; None for columns without bounds.
        greatest: The upper bounds.
        nulls: How many values are null.
    """

    least: pa.Array | None
    greatest: pa.Array | None
    nulls: pa.Array


@dataclass(slots=True)
class _Batch:
    # Holding the texts keeps their place in memory from being used for others.
    texts: Any
    columns: dict[Key, Any] = field(default_factory=dict)


class _Kept:
    """The batches used last."""

    def __init__(self) -> None:
        self._batches: OrderedDict[tuple[Any, ...], _Batch] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, texts: pa.Array) -> _Batch:
        """Return what is kept of a batch, to look into and to add to."""
        key = _place_in_memory(texts)
        with self._lock:
            found = self._batches.pop(key, None) or _Batch(texts)
            self._batches[key] = found
            files = sum(len(batch.texts) for batch in self._batches.values())
            while len(self._batches) > 1 and (
                len(self._batches) > _BATCHES_KEPT or files > _FILES_KEPT
            ):
                _, gone = self._batches.popitem(last=False)
                files -= len(gone.texts)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._batches.clear()


_kept = _Kept()


def told_of(files: pa.Table, columns: Mapping[Path, pa.DataType]) -> dict[Path, Told]:
    """Return what statistics tell of some columns.

    Args:
        files: Rows of `log.files.FILES`.
        columns: The types of their bounds, by physical path; null for columns that have none.
    """
    parts: dict[Path, list[Told]] = {path: [] for path in columns}
    for chunk, rows in _chunks(files, "stats"):
        batch = _kept.of(chunk)
        _fill(batch, rows, columns)
        for path, kind in columns.items():
            parts[path].append(batch.columns["column", path, kind])
    return {path: _joined(told, columns[path]) for path, told in parts.items()}


def num_records_of(files: pa.Table) -> pa.Array:
    """Return how many rows each file has, deleted ones included; null where it is not told."""
    key: Key = ("records", (), None)
    found: list[pa.Array] = []
    for chunk, rows in _chunks(files, "stats"):
        batch = _kept.of(chunk)
        if key not in batch.columns:
            _fill_records(batch, rows)
        found.append(batch.columns[key])
    return _concatenated(found, pa.int64())


def partition_values_of(
    files: pa.Table, name: str, key: Any, parse: Callable[[pa.Array], Any]
) -> list[Any]:
    """Return what `parse` makes of the values of a partition column, a batch each.

    Args:
        files: Rows of `log.files.FILES`.
        name: The physical name of the column.
        key: What tells one way of parsing from another.
        parse: Makes something of the maps of a batch.
    """
    found = []
    for chunk, _ in _chunks(files, "partition_values"):
        batch = _kept.of(chunk)
        place: Key = ("partition", (name,), key)
        if place not in batch.columns:
            batch.columns[place] = parse(chunk)
        found.append(batch.columns[place])
    return found


def forget() -> None:
    """Forget all that was parsed."""
    _kept.clear()


def _chunks(files: pa.Table, name: str) -> Iterable[tuple[pa.Array, pa.Table]]:
    column = files[name]
    for chunk in column.chunks:
        if len(chunk):
            yield chunk, pa.table({name: chunk})


def _fill(batch: _Batch, rows: pa.Table, columns: Mapping[Path, pa.DataType]) -> None:
    missing = {
        path: kind for path, kind in columns.items() if ("column", path, kind) not in batch.columns
    }
    if not missing:
        return
    known = file_stats(rows, missing)
    for path, kind in missing.items():
        batch.columns["column", path, kind] = Told(
            least=_one(known.least.get(path)),
            greatest=_one(known.greatest.get(path)),
            nulls=_one(known.null_counts[path]),
        )
    batch.columns["records", (), None] = _one(known.num_records)


def _fill_records(batch: _Batch, rows: pa.Table) -> None:
    batch.columns["records", (), None] = _one(file_stats(rows, {}).num_records)


def _one(column: pa.ChunkedArray | None) -> pa.Array | None:
    if column is None:
        return None
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def _joined(told: list[Told], kind: pa.DataType) -> Told:
    if len(told) == 1:
        return told[0]
    nulls = _concatenated([one.nulls for one in told], pa.int64())
    if pa.types.is_null(kind):
        return Told(None, None, nulls)
    return Told(
        _concatenated([one.least for one in told], kind),
        _concatenated([one.greatest for one in told], kind),
        nulls,
    )


def _concatenated(arrays: list[Any], kind: pa.DataType) -> pa.Array:
    if len(arrays) == 1:
        return arrays[0]
    return pa.concat_arrays(arrays) if arrays else pa.array([], kind)


def _place_in_memory(texts: pa.Array) -> tuple[Any, ...]:
    buffers = tuple(None if one is None else one.address for one in _buffers(texts))
    return (len(texts), texts.offset, *buffers)


def _buffers(array: pa.Array) -> list[pa.Buffer | None]:
    return list(array.buffers())
