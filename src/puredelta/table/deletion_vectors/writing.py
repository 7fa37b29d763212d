"""Rows taken away by deletion vectors: the vectors are written, and files get new records.

Protocol: Deletion Vectors, Writer Requirement for Deletion Vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa
from pyroaring import BitMap64

from puredelta.log.actions import AddFile, DeletionVector
from puredelta.log.files import add_files, files_table
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.storage.uncommitted import note
from puredelta.table.deletion_vectors.vectors import VectorFile, inline, read_vector, vector_path

FILE_SIZE = 2 * 1024 * 1024
"""As large as the vector files of other writers become, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedFiles:
    """Files of which rows were deleted without a rewrite.

    Attributes:
        before: their records as they were.
        after: the records of those that have rows left.
        rows: how many rows were taken away.
    """

    before: Sequence[AddFile] = ()
    after: Sequence[AddFile] = ()
    rows: int = 0

    @property
    def emptied(self) -> list[AddFile]:
        """The files that go as a whole, since no row is left in them."""
        stay = {file.path for file in self.after}
        return [file for file in self.before if file.path not in stay]

    @property
    def vectors_added(self) -> int:
        """How many vectors were written, also in the place of older ones."""
        return len(self.after)

    @property
    def vectors_removed(self) -> int:
        """How many vectors are in force no more."""
        return sum(file.deletion_vector is not None for file in self.before)

    @property
    def vectors_updated(self) -> int:
        """How many vectors got more rows."""
        stay = {file.path for file in self.after}
        return sum(file.deletion_vector is not None and file.path in stay for file in self.before)


NOTHING_MARKED = MarkedFiles()


@dataclass(frozen=True, slots=True)
class TableVectors:
    """The deletion vectors of a table.

    Attributes:
        store: the table's files.
        open_folder: opens the folder of a vector that lies outside of the table.
    """

    store: Store
    open_folder: Callable[[str], Store] = field(default=open_store, repr=False)

    def deleted(self, file: AddFile) -> BitMap64:
        """Return the rows of a file that are deleted.

        Raises:
            DeltaIllegalStateError: the file's vector is damaged.
        """
        vector = file.deletion_vector
        if vector is None:
            return BitMap64()
        return read_vector(self.store, self.store.url, vector, self.open_folder, file=file.path)

    def mark(
        self, files: Sequence[AddFile], rows: Sequence[BitMap64], counts: Sequence[int]
    ) -> MarkedFiles:
        """Take rows away; files without any row left go as a whole.

        Args:
            files: their records.
            rows: which rows of each go; none of them is deleted already.
            counts: how many rows each file has, deleted ones included.

        Raises:
            DeltaIllegalStateError: a vector that is there is damaged.
        """
        # Protocol, Deletion Vectors: a file has a single vector, so a new one repeats the old rows.
        united = [self.deleted(file) | new for file, new in zip(files, rows, strict=True)]
        left = [
            (file, deleted, count)
            for file, deleted, count in zip(files, united, counts, strict=True)
            if len(deleted) < count
        ]
        vectors = write_vectors({file.path: deleted for file, deleted, _ in left}, self.store)
        after = [
            msgspec.structs.replace(
                file,
                deletion_vector=vectors[file.path],
                stats=wide_stats(file.stats, count),
                data_change=True,
            )
            for file, _, count in left
        ]
        return MarkedFiles(before=files, after=after, rows=sum(map(len, rows)))

    def hiding(self, files: pa.Table, rows: Sequence[BitMap64]) -> pa.Table:
        """Return files as a scan is to see them: without some more rows.

        Args:
            files: as `log.files.FILES`.
            rows: what each file lacks besides the rows that are deleted already.
        """
        adds = add_files(files)
        return files_table(
            [
                _with_inline(add, self.deleted(add) | hidden)
                for add, hidden in zip(adds, rows, strict=True)
            ]
        )

    def showing(self, files: pa.Table, rows: Sequence[BitMap64], counts: Sequence[int]) -> pa.Table:
        """Return files as a scan is to see them: with certain rows only.

        Args:
            files: as `log.files.FILES`.
            rows: those rows of each.
            counts: how many rows each file has, deleted ones included.
        """
        adds = add_files(files)
        others = [wanted.flip(0, count) for wanted, count in zip(rows, counts, strict=True)]
        return files_table([_with_inline(*pair) for pair in zip(adds, others, strict=True)])


def _with_inline(file: AddFile, hidden: BitMap64) -> AddFile:
    return msgspec.structs.replace(file, deletion_vector=inline(hidden) if hidden else None)


def write_vectors(
    rows: Mapping[str, BitMap64], store: Store, *, file_size: int = FILE_SIZE
) -> dict[str, DeletionVector]:
    """Write the deletion vectors of a table, many in one file.

    Args:
        rows: The deleted rows of data files, by their names.
        store: The files of the table.
        file_size: A file that has so many bytes gets no more vectors.

    Returns:
        What the log says of each vector.
    """
    written: dict[str, DeletionVector] = {}
    file, size = VectorFile(), 0
    for name, deleted in rows.items():
        written[name] = file.add(deleted)
        size += written[name].size_in_bytes
        if size >= file_size:
            _put(file, store)
            file, size = VectorFile(), 0
    if size:
        _put(file, store)
    return written


def _put(file: VectorFile, store: Store) -> None:
    # Before the file exists, so that a failed statement can delete it.
    note(store, [file.path])
    store.put(file.path, file.content)


def vector_files(files: Sequence[AddFile], root: str) -> list[str]:
    """Return the names, below a table's folder, of the files that hold the vectors of data files.

    Args:
        files: The data files.
        root: The URL of the table.
    """
    vectors = (file.deletion_vector for file in files)
    places = {vector_path(root, vector) for vector in vectors if vector is not None}
    below = f"{root}/"
    return sorted(url[len(below) :] for url in places if url and url.startswith(below))


def wide_stats(stats: str | None, count: int) -> str:
    """Return statistics of a file some of whose rows are deleted: bounds are only bounds now.

    Args:
        stats: those of all its rows.
        count: how many rows it has, deleted ones included.
    """
    # Numbers stay as they are written: they may have more digits than a float.
    members: dict[str, Any] = (
        msgspec.json.decode(stats, type=dict[str, msgspec.Raw]) if stats else {}
    )
    # Protocol: `numRecords` counts the deleted rows too, and files with a vector must have it.
    return msgspec.json.encode({**members, "numRecords": count, "tightBounds": False}).decode()
