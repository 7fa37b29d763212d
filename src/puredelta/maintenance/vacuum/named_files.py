"""The files that commits name: data files, deletion vectors and change files, without the rest.

VACUUM reads many commits for nothing but these names, so all other fields are passed over unread.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
import pyarrow as pa

from puredelta.log.actions import DeletionVector, Long, Record, decode_lines
from puredelta.log.files import canonical_path
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.deletion_vectors.vectors import vector_path

_COMMITS_AT_ONCE = 200
"""What is in so many commits is in memory at a time."""


class NamedFile(Record, frozen=True, kw_only=True):
    """An action about a file, of which only this counts here.

    Attributes:
        path: As the log spells it.
        deletion_vector: Its vector.
        deletion_timestamp: Of a removal, when it began.
        size: Its size, where the action says it.
    """

    path: str
    deletion_vector: DeletionVector | None = None
    deletion_timestamp: Long | None = None
    size: Long | None = None


class NamingLine(Record, frozen=True, kw_only=True):
    """A line of a commit; at most one of these is there.

    Attributes:
        add: A file that joins the table.
        remove: A file that leaves it.
        cdc: A file of changes.
    """

    add: NamedFile | None = None
    remove: NamedFile | None = None
    cdc: NamedFile | None = None

    @property
    def file(self) -> NamedFile | None:
        """The file that the line is about; None for all other lines."""
        return self.add or self.remove or self.cdc


_LINES = msgspec.json.Decoder(NamingLine)


def naming_lines(
    store: Store, commits: Sequence[ObjectInfo]
) -> Iterator[tuple[ObjectInfo, list[NamingLine]]]:
    """Yield the lines of commits that name files, commit by commit.

    Args:
        store: The table.
        commits: Its commits.

    Raises:
        DeltaIllegalStateError: DELTA_LOG_FILE_MALFORMED.
        ObjectNotFound: A commit is gone.
    """
    for start in range(0, len(commits), _COMMITS_AT_ONCE):
        some = commits[start : start + _COMMITS_AT_ONCE]
        contents = store.read_all([info.name for info in some])
        for info, data in zip(some, contents, strict=True):
            yield info, [line for line in _decoded(data, info.name) if line.file is not None]


def _decoded(data: bytes, name: str) -> list[NamingLine]:
    try:
        return _LINES.decode_lines(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Says which line is to blame; a table whose log is damaged loses no file.
        decode_lines(data, name)
        raise


def vector_name(root: TableRoot, vector: DeletionVector | None) -> str | None:
    """Return the name of the file of a vector; None where it has none below the table.

    Raises:
        DeltaIllegalStateError: DELTA_DELETION_VECTOR_MALFORMED, DELTA_FAIL_RELATIVIZE_PATH.
    """
    url = None if vector is None else vector_path(root.url, vector)
    return None if url is None else root.name_of(url)


def names_of(root: TableRoot, files: Iterable[NamedFile]) -> Iterator[str]:
    """Yield the names below the table of files and of their vectors.

    Raises:
        DeltaIllegalStateError: DELTA_DELETION_VECTOR_MALFORMED, DELTA_FAIL_RELATIVIZE_PATH.
    """
    for file in files:
        name = root.name_of(canonical_path(file.path))
        if name is not None:
            yield name
        vector = vector_name(root, file.deletion_vector)
        if vector is not None:
            yield vector


def data_file_names(files: pa.Table, root: TableRoot) -> Iterator[str]:
    """Yield the names below the table of the data files in rows of `FILES` or `TOMBSTONES`.

    Raises:
        DeltaIllegalStateError: DELTA_FAIL_RELATIVIZE_PATH.
    """
    for path in files["path"].to_pylist():
        name = root.name_of(path)
        if name is not None:
            yield name


def vector_file_names(files: pa.Table, root: TableRoot) -> Iterator[str]:
    """Yield the names below the table of the files of vectors in rows of `FILES` or `TOMBSTONES`.

    Raises:
        DeltaIllegalStateError: DELTA_DELETION_VECTOR_MALFORMED, DELTA_FAIL_RELATIVIZE_PATH.
    """
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return
    for plain in vectors.drop_null().to_pylist():
        name = vector_name(root, msgspec.convert(plain, DeletionVector))
        if name is not None:
            yield name
