"""The files of a version as the planner gets them: partitions first, then a line a file."""

import base64
import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import DeletionVector
from puredelta.log.snapshot import Snapshot
from puredelta.table.column_mapping import mapping_mode, physical_names
from puredelta.table.deletion_vectors import decode_inline, vector_path
from puredelta.table.partitions import map_value

Values = tuple[str | None, ...]
"""The values of one partition as the log has them, null for an empty text."""


class Listing(Protocol):
    """The files of one version."""

    @property
    def partitions(self) -> str:
        """Each partition, in JSON: its `values`, and how many `files` it has."""
        ...

    def lines(self, keep: Sequence[int]) -> list[str]:
        """Tell the files of some partitions, by their places, partition after partition.

        A line is size, modification time, deletion vector and path, with tabs between.
        """
        ...

    def paths(self) -> list[str]:
        """List the paths of all files."""
        ...


class ListingInMemory:
    """A listing of files that are rows in memory.

    Args:
        files: rows as `log.files.FILES`, or the columns of it that a scan needs.
        columns: the partition columns, by the names that the log has.
        root: where the table lies, as Hadoop names it.
    """

    def __init__(self, files: pa.Table, columns: Sequence[str], root: str) -> None:
        self._files = files.combine_chunks()
        self._columns = columns
        self._root = root

    @cached_property
    def partitions(self) -> str:
        """Each partition, in JSON; see `Listing`."""
        return partitions_json((values, len(rows)) for values, rows in self._groups)

    def lines(self, keep: Sequence[int]) -> list[str]:
        """Tell the files of some partitions; see `Listing`."""
        spans = ((self._starts[place], self._starts[place + 1]) for place in keep)
        return [line for start, end in spans for line in self._lines[start:end]]

    def paths(self) -> list[str]:
        """List the paths of all files."""
        found: list[str] = absolute_paths(self._files["path"], self._root).to_pylist()
        return found

    @cached_property
    def _groups(self) -> list[tuple[Values, Sequence[int]]]:
        if not self._columns:
            count = self._files.num_rows
            return [((), range(count))] if count else []
        maps = self._files["partition_values"].combine_chunks()
        values = zip(*(map_value(maps, name).to_pylist() for name in self._columns), strict=True)
        places: dict[Values, list[int]] = {}
        for place, partition in enumerate(values):
            places.setdefault(tuple(text or None for text in partition), []).append(place)
        return list(places.items())

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *itertools.accumulate(len(rows) for _, rows in self._groups)]

    @cached_property
    def _lines(self) -> list[str]:
        files = self._files
        if self._columns:
            order = itertools.chain.from_iterable(rows for _, rows in self._groups)
            files = files.take(pa.array(order, pa.int64()))
        return file_lines(files, self._root)


def partitions_json(counted: Iterable[tuple[Values, int]]) -> str:
    """Write partitions with the numbers of their files as `Listing.partitions` has them."""
    told = [{"values": values, "files": count} for values, count in counted]
    return msgspec.json.encode(told).decode()


def file_lines(files: pa.Table, root: str) -> list[str]:
    """Write the line of each file that `Listing.lines` tells."""
    found: list[str] = pc.binary_join_element_wise(
        files["size"].cast(pa.string()),
        files["modification_time"].cast(pa.string()),
        _vectors(files, root),
        absolute_paths(files["path"], root),
        "\t",
    ).to_pylist()
    return found


def absolute_paths(paths: pa.ChunkedArray, root: str) -> Any:
    """Put the table's root before the paths that are below it."""
    # A scheme, or a slash at the start, says that a path is not below the table.
    elsewhere = pc.match_substring_regex(paths, r"^([A-Za-z][A-Za-z0-9+.\-]*:/|/)")
    below = pc.binary_join_element_wise(root, paths, "/")
    return pc.if_else(elsewhere, paths, below)


def physical_partitions(snapshot: Snapshot) -> list[str]:
    """Return the names of the partition columns that the log uses for their values."""
    mode = mapping_mode(snapshot.configuration)
    return physical_names(snapshot.schema, snapshot.partition_columns, mode)


def has_vectors(files: pa.Table) -> bool:
    """Say whether any file has a deletion vector."""
    return bool(files["deletion_vector"].null_count < files.num_rows)


def _vectors(files: pa.Table, root: str) -> Any:
    """Say where the deletion vector of each file is, as `puredelta.DeletedRows` reads it."""
    if not has_vectors(files):
        return ""
    told: Iterable[dict[str, Any] | None] = files["deletion_vector"].to_pylist()
    return pa.array(["" if one is None else _vector(one, root) for one in told])


def _vector(told: dict[str, Any], root: str) -> str:
    vector = msgspec.convert(told, DeletionVector)
    path = vector_path(root, vector)
    if path is None:
        bitmap = decode_inline(vector.path_or_inline_dv, vector.size_in_bytes)
        return base64.b64encode(bitmap).decode()
    place = base64.b64encode(path.encode()).decode()
    return f"{vector.offset or 0},{vector.size_in_bytes},{place}"
