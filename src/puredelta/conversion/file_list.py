"""The files of a conversion, kept once for both passes: past a bound on disk, not in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import IO, NamedTuple

import msgspec

from puredelta.conversion.source_file import SourceFile

IN_MEMORY = 10_000
"""How many files are kept in memory before they go to disk."""

_BLOCK = 1 << 18


class _Kept(NamedTuple):
    path: str
    size: int
    modified_ms: int
    partition_values: Mapping[str, str | None] | None
    stats: str | None


class FileList:
    """Files in the order in which they were added, each with its statistics if it has some.

    Args:
        in_memory: How many of them are kept in memory; a temporary file has the others. It is
            gone with the list, and with the process.

    >>> with FileList(in_memory=1) as files:
    ...     for name in "abc":
    ...         files.add(SourceFile(name, size=2, modified_ms=0))
    ...     [file.path for file, _ in files], len(files), files.size
    (['a', 'b', 'c'], 3, 6)
    """

    def __init__(self, *, in_memory: int = IN_MEMORY) -> None:
        self._in_memory = max(in_memory, 1)
        self._encoder = msgspec.json.Encoder()
        self._recent: list[_Kept] = []
        self._spilled: IO[bytes] | None = None
        self._end = 0
        self._count = 0
        self.size = 0

    def add(self, file: SourceFile, stats: str | None = None) -> None:
        """Put a file at the end.

        Args:
            file: The file.
            stats: Its statistics, as JSON.
        """
        kept = _Kept(file.path, file.size, file.modified_ms, file.partition_values, stats)
        self._recent.append(kept)
        self._count += 1
        self.size += file.size
        if len(self._recent) > self._in_memory:
            self._spill()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[SourceFile, str | None]]:
        """Yield the files that are there now; as often as wanted, also side by side."""
        # Taken at the start, so that files added during the iteration do not change it.
        recent, end = tuple(self._recent), self._end
        for kept in self._on_disk(end):
            yield _file(kept)
        for kept in recent:
            yield _file(kept)

    def close(self) -> None:
        """Let go of the files."""
        if self._spilled is not None:
            self._spilled.close()
        self._spilled, self._recent = None, []
        self._end = self._count = self.size = 0

    def __enter__(self) -> FileList:  # noqa: PYI034  # Self came with Python 3.11
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _spill(self) -> None:
        if self._spilled is None:
            # Closed in `close`; without that when the list is forgotten.
            self._spilled = tempfile.TemporaryFile(prefix="puredelta-files-")  # noqa: SIM115
        self._spilled.seek(self._end)
        self._spilled.write(self._encoder.encode_lines(self._recent))
        self._end = self._spilled.tell()
        self._recent = []

    def _on_disk(self, end: int) -> Iterator[_Kept]:
        decoder, place = msgspec.json.Decoder(_Kept), 0
        while place < end and self._spilled is not None:
            # Several iterations share one handle, so each goes back to its own position.
            self._spilled.seek(place)
            lines = self._spilled.readlines(_BLOCK)
            place = self._spilled.tell()
            yield from map(decoder.decode, lines)


def _file(kept: _Kept) -> tuple[SourceFile, str | None]:
    file = SourceFile(kept.path, kept.size, kept.modified_ms, kept.partition_values)
    return file, kept.stats
