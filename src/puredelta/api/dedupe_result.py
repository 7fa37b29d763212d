"""What `DeltaTable.dedupe` did."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.commands.dml.row_change import Changed


@dataclass(frozen=True, slots=True)
class Deduped:
    """What `dedupe` did.

    Attributes:
        version: the version that was made; the one there was when no row had a double.
        deleted: how many rows went.
        files: how many files were written, for rows that stay.
        removed_files: how many files left the table.
        changed: whether a version was made.
    """

    version: int
    deleted: int
    files: int
    removed_files: int
    changed: bool


def deduped(done: Changed) -> Deduped:
    """Return what was done, for users."""
    return Deduped(
        version=done.version,
        deleted=done.rows or 0,
        files=int(done.metrics.get("numAddedFiles", 0)),
        removed_files=int(done.metrics.get("numRemovedFiles", 0)),
        changed=done.committed,
    )
