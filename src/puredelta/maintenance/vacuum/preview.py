"""What a VACUUM would do, and what it did: values for programs, and texts for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.maintenance.vacuum.lost_versions import ranges_text
from puredelta.notebook.preview import preview_html

_SHOWN_PATHS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumPreview:
    """What a VACUUM would do to a table; nothing was deleted.

    Attributes:
        table: the table.
        version: its newest version.
        kind: where the files were looked for: `FULL`, `LITE` or `INVENTORY`.
        readable_since: versions that were the latest at this time or later stay readable.
        files: how many files would be deleted.
        bytes: the size of these files, in bytes.
        folders: how many empty folders would be removed.
        lost_versions: versions that can be found in the log now, and could not be read any more.
        first_version: the oldest version that can be found in the log; None for none.
        paths: the files and folders that would be deleted, below the table.

    Examples:
        >>> preview = table.vacuum(dryRun=True)  # doctest: +SKIP
        >>> preview.lost_versions  # doctest: +SKIP
        (0, 1, 2)
    """

    table: str
    version: int
    kind: str
    readable_since: datetime
    files: int
    bytes: int
    folders: int
    lost_versions: tuple[int, ...]
    first_version: int | None
    paths: tuple[str, ...]

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def __repr__(self) -> str:
        counts = f"files={self.files}, bytes={self.bytes}, folders={self.folders}"
        return f"VacuumPreview(table={self.table!r}, {counts}, lost={self._lost()!r})"

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def as_dict(self) -> dict[str, Any]:
        """Return all of it in types that JSON has, by names in camel case."""
        return {
            "table": self.table,
            "version": self.version,
            "kind": self.kind,
            "readableSince": self.readable_since.isoformat(timespec="milliseconds"),
            "files": self.files,
            "bytes": self.bytes,
            "folders": self.folders,
            "lostVersions": list(self.lost_versions),
            "firstVersion": self.first_version,
            "paths": list(self.paths),
        }

    def _head(self) -> str:
        return f"VACUUM {self.kind} of {self.table}, version {self.version} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "deletes", f"{_files(self.files)}, {size_text(self.bytes)}"
        if self.folders:
            yield "removes", f"{self.folders:,} empty folders"
        since = self.readable_since.isoformat(sep=" ", timespec="seconds")
        yield "keeps", f"what versions need that were the latest since {since}"
        yield "versions lost", self._lost()
        for path in self.paths[:_SHOWN_PATHS]:
            yield "path", path
        if (more := len(self.paths) - _SHOWN_PATHS) > 0:
            yield "path", f"and {more:,} more"

    def _lost(self) -> str:
        if not self.lost_versions:
            return "none"
        count = self.version - (self.first_version or 0) + 1
        return f"{ranges_text(self.lost_versions)} ({len(self.lost_versions):,} of {count:,})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuumed:
    """What a VACUUM did.

    Attributes:
        table: the table.
        kind: where the files were looked for: `FULL`, `LITE` or `INVENTORY`.
        files: how many files are gone.
        bytes: the size of these files, in bytes.
        folders: how many empty folders are gone.
        failed: how many files could not be deleted; the log of Python says why.
        visited: how many folders were looked through.
    """

    table: str
    kind: str
    files: int
    bytes: int
    folders: int
    failed: int
    visited: int

    def __str__(self) -> str:
        # In the words that users of delta-spark know.
        return (
            f"Deleted {self.files + self.folders} files and directories in a total of"
            f" {self.visited} directories."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return all of it in types that JSON has."""
        return {
            "table": self.table,
            "kind": self.kind,
            "files": self.files,
            "bytes": self.bytes,
            "folders": self.folders,
            "failed": self.failed,
            "visitedFolders": self.visited,
        }


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"
