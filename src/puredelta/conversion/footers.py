"""The ends of Parquet files, read from a store by a few threads."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta._util.side_by_side import side_by_side
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaRuntimeError
from puredelta.log.ranged_file import RangedFile
from puredelta.storage.location import local_path, scheme_of
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

_MAGIC, _ENCRYPTED = b"PAR1", b"PARE"
_TRAILER = 8
# Stands behind a footer that can be read of a file whose columns cannot. Arrow ends the process
# when it is asked of them.
_SIGNATURE = 28
DAMAGED = (LookupError, TypeError, ValueError, struct.error, pa.ArrowException)
"""What reading a footer raises that is not what it says it is."""

# What Arrow says of lists and maps that it does not know, once it has read the footer.
_ODD_GROUPS = ("must be annotated", "-annotated group", "Key-value", "at least one child")
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
        threads: How many at once.
        elsewhere: The folders of files that lie in no folder of the store.
    """

    store: Store
    threads: int = _THREADS
    elsewhere: dict[str, Store] = field(default_factory=dict, repr=False)

    def tails(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Tail]]:
        """Yield each file with its footer; see `Footers`."""
        return side_by_side(self._read, files, threads=self.threads, at_once=_FILES_A_TASK)

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
            missing = footer_length(tail) - len(tail)
            if 0 < missing <= file.size - length:
                length += missing
                tail = store.read_range(name, file.size - length, length)
        except ObjectNotFound as error:
            return file, error
        return file, tail

    def _placed(self, path: str) -> tuple[Store, str]:
        """Return a store, and where in it a file is."""
        if not scheme_of(path):
            return self.store, path
        folder, _, name = path.rpartition("/")
        if folder not in self.elsewhere:
            self.elsewhere[folder] = open_store(folder)
        return self.elsewhere[folder], name


def footer_length(tail: bytes) -> int:
    """Return how long the footer says it is, with its trailer; 0 when there is none."""
    if len(tail) < _TRAILER or tail[-4:] != _MAGIC:
        return 0
    return int.from_bytes(tail[-_TRAILER:-4], "little") + _TRAILER


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
    if tail[-4:] == _ENCRYPTED:
        raise unreadable(url, file, "its footer is encrypted")
    if not 0 < footer_length(tail) <= len(tail):
        raise unreadable(url, file, _lack(file, tail))
    try:
        footer = pq.read_metadata(pa.BufferReader(_MAGIC + tail))
    except (pa.ArrowException, OSError) as error:
        if has_odd_groups(error):
            return _without_arrow(tail)
        raise unreadable(url, file, " ".join(str(error).split())) from error
    if footer_length(tail) - _TRAILER - footer.serialized_size == _SIGNATURE:
        raise unreadable(url, file, "some of its columns are encrypted")
    return footer


def has_odd_groups(error: Exception) -> bool:
    """Did Arrow read a whole footer, and refuse lists or maps as old writers have them?"""
    return isinstance(error, pa.ArrowInvalid) and any(part in str(error) for part in _ODD_GROUPS)


def _without_arrow(tail: bytes) -> Any:
    """Read a footer that is whole without asking what its groups mean, as unpickling one does.

    Arrow ends the process over a footer that is not whole.
    """
    made, _ = _any_footer().__reduce__()
    return made(pa.py_buffer(tail[-footer_length(tail) : -_TRAILER]))


@cache
def _any_footer() -> Any:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": [1]}), sink)
    return pq.read_metadata(pa.BufferReader(sink.getvalue()))


def unreadable(url: str, file: SourceFile, reason: str) -> DeltaRuntimeError:
    """Return the error for a file that is no Parquet file, or a damaged one."""
    path = file.path if "://" in file.path else f"{url}/{file.path}"
    return DeltaRuntimeError(
        "DELTA_FAILED_READ_FILE_FOOTER", currentFile=path, reason=reason.rstrip(".")
    )


def _lack(file: SourceFile, tail: bytes) -> str:
    if not file.size:
        return "it is empty"
    if tail[-4:] != _MAGIC:
        return "it does not end like a Parquet file, with PAR1"
    return "its footer would begin before the file does"
