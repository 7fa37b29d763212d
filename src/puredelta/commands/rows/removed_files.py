"""Files that a write takes away, and the records that say so."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec
import pyarrow as pa

from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.log.actions import AddFile, RemoveFile
from puredelta.log.files import add_files, canonical_path, to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.table.deletion_vectors.writing import MarkedFiles
from puredelta.table.protocol.properties import APPEND_ONLY
from puredelta.table.protocol.row_tracking import row_count

FileOf = TypeVar("FileOf", AddFile, RemoveFile)


def live_files(snapshot: Snapshot) -> list[AddFile]:
    """Return the files of a version."""
    return add_files(snapshot.files)


def shown(files: Iterable[AddFile]) -> list[str]:
    """Return the paths of files as a snapshot shows them."""
    return [canonical_path(file.path) for file in files]


def paths_of(files: pa.Table) -> list[str]:
    """Return the paths of rows of `log.files.FILES`."""
    paths: list[str] = files["path"].to_pylist()
    return paths


def check_not_append_only(before: Snapshot, label: str) -> None:
    """Refuse to take rows out of a table that only grows.

    Args:
        before: the version that is read.
        label: what messages call the table.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
    """
    # Protocol: Append-only Tables.
    if APPEND_ONLY.of(before.configuration):
        raise DeltaUnsupportedOperationError(
            "DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=label, config=APPEND_ONLY.key
        )


def marked_actions(marked: MarkedFiles) -> Iterator[AddFile | RemoveFile]:
    """Yield the records of files that lose rows by deletion vectors: as they were, as they are."""
    counts = {file.path: row_count(file) for file in marked.after}
    for file in marked.before:
        rows = counts.get(file.path, row_count(file))
        stats = None if rows is None else msgspec.json.encode({"numRecords": rows}).decode()
        yield msgspec.structs.replace(to_remove_file(file), stats=stats)
    yield from marked.after


def moved_files(file: FileOf) -> FileOf:
    """Return the action of a file whose rows were only moved from other files."""
    return msgspec.structs.replace(file, data_change=False)
