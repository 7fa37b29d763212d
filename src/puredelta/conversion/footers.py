"""The ends of Parquet files, read from a store by a few threads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from puredelta._util.parallel import run_in_parallel
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaRuntimeError
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.storage.location import local_path, scheme_of
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store
from puredelta.table.statistics.footer_parsing import (
    UnreadableFooterError,
    footer_length,
    read_tail,
)

# Most footers are shorter, so that one request is enough.
_GUESS = 64 * 1024
_THREADS = 16
_FILES_A_TASK = 4

Tail = bytes | ObjectNotFound


@dataclass(frozen=True, slots=True)
class StoreFooters:
    """Reads footers from a store, several side by side: a store answers late and not slowly.

    Attributes:
        store: Where the files are.
        options: What the stores of files that lie in no folder of the store need to get in.
        threads: How many at once.
        elsewhere: The folders of files that lie in no folder of the store.
    """

    store: Store
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    threads: int = _THREADS
    elsewhere: dict[str, Store] = field(default_factory=dict, repr=False)

    def tails(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Tail]]:
        """Yield each file with its footer; see `Footers`."""
        return run_in_parallel(self._read, files, threads=self.threads, at_once=_FILES_A_TASK)

    def opened(self, file: SourceFile) -> str | RangedFile:
        """Return what Arrow reads a file from: its path on this machine, or parts of it."""
        store, name = self._placed(file.path)
        return local_path(f"{store.url}/{name}") or RangedFile(
            store, ObjectInfo(name, file.size, file.modified_ms)
        )

    def _read(self, file: SourceFile) -> tuple[SourceFile, Tail]:
        try:
            store, name = self._placed(file.path)
            length = min(_GUESS, file.size)
            tail = store.read_range(name, file.size - length, length)
            # The end of a file has the length of its footer: one more request gets what is missing.
            missing = footer_length(tail) - len(tail)
            if 0 < missing <= file.size - length:
                length += missing
                tail = store.read_range(name, file.size - length, length)
        # Returned, not raised: what a missing file means is the policy on bad files to decide.
        except ObjectNotFound as error:
            return file, error
        return file, tail

    def _placed(self, path: str) -> tuple[Store, str]:
        """Return a store, and where in it a file is."""
        if not scheme_of(path):
            return self.store, path
        folder, _, name = path.rpartition("/")
        if folder not in self.elsewhere:
            self.elsewhere[folder] = open_store(folder, self.options)
        return self.elsewhere[folder], name


def parsed_footer(url: str, file: SourceFile, tail: Tail) -> Any:
    """Read a footer.

    Args:
        url: The folder, for messages.
        file: Whose footer it is.
        tail: The end of the file, or that it is gone.

    Returns:
        A `pyarrow.parquet.FileMetaData`.

    Raises:
        DeltaRuntimeError: DELTA_FAILED_READ_FILE_FOOTER.
    """
    if isinstance(tail, ObjectNotFound):
        raise unreadable(url, file, "it was listed and is not there any more") from tail
    try:
        return read_tail(tail)
    except UnreadableFooterError as error:
        reason = str(error) if file.size else "it is empty"
        raise unreadable(url, file, reason) from error


def unreadable(url: str, file: SourceFile, reason: str) -> DeltaRuntimeError:
    """Return the error for a file that is no Parquet file, or a damaged one."""
    path = file.path if "://" in file.path else f"{url}/{file.path}"
    return DeltaRuntimeError(
        "DELTA_FAILED_READ_FILE_FOOTER", currentFile=path, reason=reason.rstrip(".")
    )
