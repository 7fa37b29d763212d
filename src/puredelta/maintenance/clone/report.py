"""What a clone did, or would do: the result row of the statement, and a preview for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.log.actions import Protocol
from puredelta.maintenance.clone.source import NO_VERSION
from puredelta.notebook.preview import preview_html

# History spells the numbers of the result row in another way.
_METRICS = {
    "source_table_size": "sourceTableSize",
    "source_num_of_files": "sourceNumOfFiles",
    "num_removed_files": "numRemovedFiles",
    "num_copied_files": "numCopiedFiles",
    "removed_files_size": "removedFilesSize",
    "copied_files_size": "copiedFilesSize",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneMetrics:
    """What a clone did; none of the files is copied, and none removed.

    Attributes:
        source_table_size: the size of the source's files in bytes.
        source_num_of_files: how many files it has.
        num_removed_files: always 0.
        num_copied_files: always 0.
        removed_files_size: always 0.
        copied_files_size: always 0.
    """

    source_table_size: int
    source_num_of_files: int
    num_removed_files: int = 0
    num_copied_files: int = 0
    removed_files_size: int = 0
    copied_files_size: int = 0

    def row(self) -> dict[str, int]:
        """Return the result row of the statement."""
        return {name: getattr(self, name) for name in _METRICS}

    def for_history(self) -> dict[str, str]:
        """Return the metrics as history shows them."""
        return {_METRICS[name]: str(value) for name, value in self.row().items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClonePreview:
    """What a clone would be; nothing was written.

    Attributes:
        table: the table that would be made or replaced.
        replaces: whether a table is there, which has no files and would be replaced.
        source: the table that would be cloned.
        source_version: its version; None for a source without versions.
        files: how many files the clone would name.
        bytes: their size.
        properties: the table properties of the clone.
        protocol: the reader and the writer version of the clone.
    """

    table: str
    replaces: bool
    source: str
    source_version: int | None
    files: int
    bytes: int
    properties: dict[str, str]
    protocol: tuple[int, int]

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        verb = "REPLACE" if self.replaces else "CREATE"
        return f"{verb} {self.table} SHALLOW CLONE {self.source} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        version = self.source_version
        yield "source version", "none" if version is None else str(version)
        yield "files", f"{self.files:,} ({size_text(self.bytes)}), none of which is copied"
        for key, value in sorted(self.properties.items()):
            yield "property", f"{key} = {value}"
        yield "protocol", f"reader {self.protocol[0]}, writer {self.protocol[1]}"


def version_shown(version: int) -> int | None:
    """Return the version of a source for people; None where it has none."""
    return None if version == NO_VERSION else version


def versions_of(protocol: Protocol) -> tuple[int, int]:
    """Return the reader and the writer version."""
    return protocol.min_reader_version, protocol.min_writer_version
