"""How many rows files have: by the log, or else by their own footers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import AddFile
from puredelta.log.files import canonical_path
from puredelta.storage.location import absolute
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.table.protocol.row_tracking import row_count
from puredelta.table.statistics.footer_parsing import (
    UnreadableFooterError,
    footer_length,
    read_tail,
)

# Most footers are shorter, so that one request is enough.
_GUESS = 64 * 1024


def row_counts(
    files: Sequence[AddFile], store: Store, open_folder: Callable[[str], Store] = open_store
) -> list[int]:
    """Return how many rows each file has, deleted ones included.

    Args:
        files: their records.
        store: the table's files.
        open_folder: opens the folder of a file that lies outside of the table.

    Raises:
        DeltaRuntimeError: DELTA_FAILED_READ_FILE_FOOTER for a file without statistics that is no
            Parquet file.
        ObjectNotFound: a file without statistics is not there.
    """
    return [
        _from_footer(file, store, open_folder) if (known := row_count(file)) is None else known
        for file in files
    ]


def live_rows(file: AddFile) -> int | None:
    """Return how many rows of a file are not deleted; None where its statistics do not say."""
    known, vector = row_count(file), file.deletion_vector
    return known if known is None or vector is None else known - vector.cardinality


def _from_footer(file: AddFile, store: Store, open_folder: Callable[[str], Store]) -> int:
    url = absolute(store.url, canonical_path(file.path))
    if url.startswith(f"{store.url}/"):
        folder, name = store, url[len(store.url) + 1 :]
    else:
        outside, _, name = url.rpartition("/")
        folder = open_folder(outside)
    length = min(_GUESS, file.size)
    tail = folder.read_range(name, file.size - length, length)
    # A footer that claims to be longer than the file is damaged; `read_tail` reports it.
    if length < footer_length(tail) <= file.size:
        length = footer_length(tail)
        tail = folder.read_range(name, file.size - length, length)
    try:
        return int(read_tail(tail).num_rows)
    except UnreadableFooterError as error:
        raise DeltaRuntimeError(
            "DELTA_FAILED_READ_FILE_FOOTER", currentFile=url, reason=str(error).rstrip(".")
        ) from error
