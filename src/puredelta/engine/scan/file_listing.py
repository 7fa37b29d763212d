"""The files of a version as the planner gets them: partitions first, then a line a file."""

import base64
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.engine.scan.partition_groups import Groups, Values, group_by_partition
from puredelta.log.actions import DeletionVector
from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import DataType
from puredelta.storage.location import without_dots
from puredelta.table.columns.column_mapping import mapping_mode, physical_names
from puredelta.table.deletion_vectors.vectors import (
    decode_inline,
    owner,
    start_of,
    vector_path,
)
from puredelta.table.partition_keys import PartitionKeys, with_keys
from puredelta.table.skipping.stats_cache import Mask

Prune: TypeAlias = Callable[[pa.Table], Mask]
"""Says of each of some files whether it can hold rows that a query wants."""

# What a scan needs of a file; its statistics are most of what the log says.
OF_SCANS = (
    "path",
    "size",
    "modification_time",
    "deletion_vector",
    "base_row_id",
    "default_row_commit_version",
)

# What a limit needs of a file besides.
OF_LIMITS = ("stats", "deletion_vector")

# Files whose numbers of rows are parsed at once, until they are enough for a limit.
_FILES_AT_ONCE = 256


class FileListing(Protocol):
    """The files of one version."""

    @property
    def partitions(self) -> Sequence[Values]:
        """The values of each partition."""
        ...

    def candidates(self, prune: Prune, /) -> Sequence[int]:
        """Return the places of the partitions with files that pruning leaves, or of all."""
        ...

    def chosen(
        self, keep: Sequence[int], prune: Prune | None, columns: Sequence[str]
    ) -> tuple[pa.Table, list[int]]:
        """Choose files by the places of their partitions, and of those what pruning leaves.

        Args:
            keep: places in `partitions`.
            prune: which of some files can hold rows that are wanted; None for all.
            columns: the columns of `log.files.FILES` that the result has.

        Returns:
            The files, partition after partition, and how many each partition has.
        """
        ...

    @property
    def files(self) -> pa.Table:
        """All files, in any order."""
        ...

    def paths(self) -> list[str]:
        """List the paths of all files."""
        ...


class ListingInMemory:
    """A listing of files that are rows in memory.

    Args:
        files: rows as `log.files.FILES`.
        columns: the partition columns, by the names that the log has.
        root: where the table lies, as Hadoop names it.
    """

    def __init__(self, files: pa.Table, columns: Sequence[str], root: str) -> None:
        # Not joined into one chunk: what is parsed of a chunk serves the versions that share it.
        self._files = files
        self._columns = columns
        self._root = root

    @property
    def partitions(self) -> Sequence[Values]:
        """The values of each partition; see `FileListing`."""
        return self._groups.values if self._columns else [()]

    def candidates(self, prune: Prune, /) -> list[int]:
        """Return the places of the partitions with files that pruning leaves; see `FileListing`."""
        return self._groups.of(prune(self._files))

    def chosen(
        self, keep: Sequence[int], prune: Prune | None, columns: Sequence[str]
    ) -> tuple[pa.Table, list[int]]:
        """Choose files by partition and by pruning; see `FileListing`."""
        files = self._files.select(columns)
        if not self._columns:
            found = files if prune is None else files.filter(pa.array(prune(self._files)))
            return found, [found.num_rows] * len(keep)
        spans = [self._groups.files(place) for place in keep]
        if prune is not None and spans:
            mask = prune(self._files)
            spans = [span[mask[span]] for span in spans]
        return files.take(np.concatenate([_NO_ROWS, *spans])), [len(span) for span in spans]

    @property
    def files(self) -> pa.Table:
        """All files, in any order; the same table each time: parsed statistics are kept with it."""
        return self._files

    def paths(self) -> list[str]:
        """List the paths of all files."""
        found: list[str] = absolute_paths(self._files["path"], self._root).to_pylist()
        return found

    @cached_property
    def _groups(self) -> Groups:
        return group_by_partition(self._files, self._columns)


_NO_ROWS = np.array([], np.int64)


def in_partitions(
    files: pa.Table, wanted: Mapping[str, str | None], types: Sequence[DataType]
) -> pa.Table:
    """Return the files of the partitions that have certain values, however those are written.

    Args:
        files: rows as `log.files.FILES`.
        wanted: values by the names that the log has for the columns.
        types: the types of these columns, in the same order.
    """
    if not wanted:
        return files
    keys = PartitionKeys(tuple(wanted), tuple(types))
    return with_keys(files, keys.of_files(files), [keys.of_values(wanted)])


def first_rows(files: pa.Table, counts: Sequence[int], limit: int) -> tuple[pa.Table, list[int]]:
    """Return the first files that have as many rows as a limit asks for.

    Args:
        files: rows as `log.files.FILES`, partition after partition.
        counts: how many files each partition has.
        limit: rows wanted.
    """
    found = enough = 0
    while found < limit and enough < files.num_rows:
        some = files.slice(enough, _FILES_AT_ONCE)
        running = np.cumsum(live_rows(some))
        needed = int(np.searchsorted(running, limit - found)) + 1
        enough += min(needed, some.num_rows)
        found += int(running[-1])
    starts = itertools.accumulate(counts, initial=0)
    kept = [max(0, min(n, enough - start)) for start, n in zip(starts, counts, strict=False)]
    return files.slice(0, enough), kept


def live_rows(files: pa.Table) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return the minimum number of rows of each file: 0 where the log does not record it."""
    rows = pc.fill_null(num_records(files), 0)
    return np.asarray(pc.subtract(rows, num_deleted(files)), np.int64)


def file_lines(files: pa.Table, root: str) -> list[str]:
    """Return a line for each file, as `puredelta.TableFiles` reads it."""
    found: list[str] = pc.binary_join_element_wise(
        # Of a file without any bytes Spark would plan no part to be read.
        pc.max_element_wise(files["size"], 1).cast(pa.string()),
        files["modification_time"].cast(pa.string()),
        _vectors(files, root),
        _numbers(files["base_row_id"]),
        _numbers(files["default_row_commit_version"]),
        absolute_paths(files["path"], root),
        "\t",
    ).to_pylist()
    return found


def absolute_paths(paths: pa.ChunkedArray, root: str) -> Any:
    """Put the table's root before the paths that are below it."""
    # A scheme, or a slash at the start, says that a path is not below the table.
    elsewhere = pc.match_substring_regex(paths, r"^([A-Za-z][A-Za-z0-9+.\-]*:/|/)")
    below = pc.binary_join_element_wise(root, paths, "/")
    found = pc.if_else(elsewhere, paths, below)
    if pc.any(pc.starts_with(paths, "../")).as_py():
        # Spark names the file of a row by its shortest name.
        return pa.array(map(_shortest, found.to_pylist()), pa.string())
    return found


def _shortest(url: str) -> str:
    """Take `..` out of the URL of a file, as Hadoop writes it: with one slash or with three."""
    found = _AUTHORITY.match(url)
    start = found[0] if found else ""
    return start + without_dots(url[len(start) :])


_AUTHORITY = re.compile(r"(?:[^:/]+:(?://[^/]*)?)?")


def physical_partitions(snapshot: Snapshot) -> list[str]:
    """Return the names of the partition columns that the log uses for their values."""
    mode = mapping_mode(snapshot.configuration)
    return physical_names(snapshot.schema, snapshot.partition_columns, mode)


def has_vectors(files: pa.Table) -> bool:
    """Say whether any file has a deletion vector."""
    return bool(files["deletion_vector"].null_count < files.num_rows)


def _numbers(column: pa.ChunkedArray) -> Any:
    """Write numbers, nothing for null."""
    return "" if column.null_count == len(column) else pc.fill_null(column.cast(pa.string()), "")


def _vectors(files: pa.Table, root: str) -> Any:
    """Say where the deletion vector of each file is, as `puredelta.DeletedRows` reads it."""
    if not has_vectors(files):
        return ""
    vectors: Iterable[dict[str, Any] | None] = files["deletion_vector"].to_pylist()
    named = zip(vectors, files["path"].to_pylist(), strict=True)
    return pa.array(
        ["" if vector is None else _vector(vector, root, file) for vector, file in named]
    )


def _vector(vectors: dict[str, Any], root: str, file: str) -> str:
    vector = msgspec.convert(vectors, DeletionVector)
    path = vector_path(root, vector, file)
    if path is None:
        size = vector.size_in_bytes
        bitmap = decode_inline(vector.path_or_inline_dv, size, owner(root, file))
        return f"{vector.cardinality},{base64.b64encode(bitmap).decode()}"
    place = base64.b64encode(path.encode()).decode()
    return f"{vector.cardinality},{start_of(vector)},{vector.size_in_bytes},{place}"
