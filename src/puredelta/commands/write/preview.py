"""What a write would do: its files are written, counted and removed again, and nothing commits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.notebook.preview import preview_html
from puredelta.table.columns.schema_diff import SchemaDifference, schema_differences
from puredelta.table.protocol.protocol import schema_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePreview:
    """What an append or an overwrite would do to a table; nothing was committed.

    Every rule of the table was checked on every row.

    Attributes:
        table: the table.
        version: the version that the write was tried on.
        rows: how many rows the data has.
        files: how many files the write would add, with those of rows that stay.
        bytes: the size of these files, in bytes.
        removed_files: how many files would leave the table.
        removed_bytes: the size of these files, in bytes.
        rows_copied: how many rows of the table would move to other files.
        rows_marked: how many rows would be deleted by deletion vectors, without a rewrite.
        columns: what would become of the table's columns.
    """

    table: str
    version: int
    rows: int
    files: int
    bytes: int
    removed_files: int
    removed_bytes: int
    rows_copied: int
    rows_marked: int
    columns: tuple[SchemaDifference, ...]

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return f"WRITE to {self.table}, version {self.version} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "rows", f"{self.rows:,} new, {self.rows_copied:,} moved to other files"
        if self.rows_marked:
            yield "marks", f"{self.rows_marked:,} rows as deleted"
        yield "adds", f"{self.files:,} files, {size_text(self.bytes)}"
        yield "removes", f"{self.removed_files:,} files, {size_text(self.removed_bytes)}"
        for column in self.columns:
            yield "column", str(column)


def preview_of(target: WriteTarget, written: WrittenFiles, replaced: RemovedFiles) -> WritePreview:
    """Return what a write would commit.

    Args:
        target: the table, with the metadata that it would get.
        written: the files of the new rows.
        replaced: what would go for them, and what would stay of it.
    """
    added = [*written.files, *replaced.rewritten.files]
    removed = [*replaced.removed, *replaced.marked.emptied]
    return WritePreview(
        table=target.table.label,
        version=target.before.version,
        rows=written.rows,
        files=len(added),
        bytes=sum(file.size for file in added),
        removed_files=len(removed),
        removed_bytes=sum(file.size for file in removed),
        rows_copied=replaced.copied,
        rows_marked=replaced.marked.rows,
        columns=schema_differences(target.before.schema, schema_of(target.metadata)),
    )
