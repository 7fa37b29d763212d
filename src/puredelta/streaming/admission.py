"""How much a batch takes: files one by one, or commits as a whole, as long as a limit is left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """How much a batch takes.

    Attributes:
        files: so many files at most; None for no limit.
        bytes: files are taken until they have so many bytes; None for no limit.
    """

    files: int | None = None
    bytes: int | None = None

    @property
    def is_none(self) -> bool:
        """Whether everything is taken that there is."""
        return self.files is None and self.bytes is None


ALL = Limit()
"""What a query takes that runs once."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One place of the log as a stream passes it.

    Attributes:
        version: the version.
        index: of the file in it, or another index of `offsets`.
        initial: it belongs to the table as it was at that version.
        size: of the file in bytes; None where there is no file.
        is_end: all of the version has been passed.
        is_barrier: a batch ends here.
        whole: the files of the version are taken together, or none of them.
        needs_room: it is taken only as long as a limit is left, although it has no file.
    """

    version: int
    index: int
    initial: bool = False
    size: int | None = None
    is_end: bool = False
    is_barrier: bool = False
    whole: bool = False
    needs_room: bool = False


def last_admitted(entries: Iterable[Entry], limit: Limit) -> Entry | None:
    """Return the entry at which a batch ends; None where there is nothing to take.

    Entries without a file are taken whether the limit is left or not, so that an offset does not
    rest at the last file of a version. A file is taken as long as files and bytes are left before
    it, so that a batch with anything to read has at least one file.

    Args:
        entries: what comes after the last batch, in order; read no further than necessary.
        limit: how much is taken.
    """
    admission = _Admission(limit)
    last = None
    for entry in entries:
        if not admission.admits(entry):
            break
        last = entry
        if entry.is_barrier:
            break
    return last


class _Admission:
    def __init__(self, limit: Limit) -> None:
        self._files = limit.files
        self._bytes = limit.bytes
        self._is_first = True
        self._version: int | None = None

    def admits(self, entry: Entry) -> bool:
        if entry.size is None:
            return self._has_room or not entry.needs_room
        joins = entry.whole and entry.version == self._version
        if not (joins or self._has_room or (entry.whole and self._is_first)):
            return False
        self._version = entry.version if entry.whole else None
        self._is_first = False
        if self._files is not None:
            self._files -= 1
        if self._bytes is not None:
            self._bytes -= entry.size
        return True

    @property
    def _has_room(self) -> bool:
        return (self._files is None or self._files > 0) and (self._bytes is None or self._bytes > 0)
