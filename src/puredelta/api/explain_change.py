"""The outcome of a dry run of DELETE, UPDATE or MERGE, as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.api.explain_files import ConditionExplained, explained_files
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.table_ref import TableRef
from puredelta.log.files import total_bytes
from puredelta.notebook.preview import preview_html


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeExplained:
    """What a change of rows would do; nothing was written.

    Attributes:
        table: the table.
        version: the version that the change would be based on.
        operation: the operation in the history.
        files: how many candidate files there are, by partition values and statistics.
        bytes: their size.
        all_files: how many files the version has.
        all_bytes: their size.
        parts: how each part of the condition excludes the other files.
        touched_files: how many files are affected.
        rewritten_files: how many of them would be rewritten; the others would be removed as a
            whole, or get deletion vectors.
        bytes_to_rewrite: the size of these files.
        rows_updated: how many rows would be updated; None when rows were not counted.
        rows_deleted: how many rows would be deleted; likewise.
        rows_inserted: how many rows would be inserted; likewise.
        uses_vectors: whether deletion vectors would delete the rows.
        strategy: how a MERGE would find rows, change them and insert others; None for DELETE and
            UPDATE, which have one way.
    """

    table: str
    version: int
    operation: str
    files: int
    bytes: int
    all_files: int
    all_bytes: int
    parts: tuple[ConditionExplained, ...]
    touched_files: int
    rewritten_files: int
    bytes_to_rewrite: int
    rows_updated: int | None
    rows_deleted: int | None
    rows_inserted: int | None
    uses_vectors: bool
    strategy: str | None = None

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return f"{self.operation} on {self.table}, version {self.version} (dry run)"

    def _lines(self) -> Iterator[tuple[str, str]]:
        size = f"{size_text(self.bytes)} of {size_text(self.all_bytes)}"
        yield "looks at", f"{self.files:,} of {_files(self.all_files)}, {size}"
        for part in self.parts:
            yield part.by, f"{part.condition}: {part.effect}"
        yield "finds rows in", _files(self.touched_files)
        yield "rows", self._rows()
        yield "writes anew", f"{_files(self.rewritten_files)}, {size_text(self.bytes_to_rewrite)}"
        if self.strategy is not None:
            yield "strategy", self.strategy
        if self.uses_vectors:
            yield "deletion vectors", "take rows away, so that other rows stay where they are"

    def _rows(self) -> str:
        counted = {
            "updated": self.rows_updated,
            "deleted": self.rows_deleted,
            "inserted": self.rows_inserted,
        }
        # A dry run may decide by partition values and statistics alone, which leave rows uncounted.
        if None in counted.values():
            return "not counted"
        counts = [f"{count:,} {what}" for what, count in counted.items() if count]
        return ", ".join(counts) or "none"


def explain_change(table: TableRef, plan: ChangePlan) -> ChangeExplained:
    """Return what a change of rows would do.

    Args:
        table: what it changes.
        plan: what was found out.
    """
    found, rows = plan.choice, plan.rows
    return ChangeExplained(
        table=table.label,
        version=plan.before.version,
        operation=plan.operation,
        files=plan.candidates.num_rows,
        bytes=total_bytes(plan.candidates),
        all_files=plan.before.num_files,
        all_bytes=plan.before.size_in_bytes,
        parts=() if found is None else explained_files(table, None, found).parts,
        touched_files=plan.touched.num_rows,
        rewritten_files=plan.rewritten.num_rows,
        bytes_to_rewrite=plan.bytes_to_rewrite,
        rows_updated=None if rows is None else rows.updated,
        rows_deleted=None if rows is None else rows.deleted,
        rows_inserted=None if rows is None else rows.inserted,
        uses_vectors=plan.uses_vectors,
        strategy=plan.strategy,
    )


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"
