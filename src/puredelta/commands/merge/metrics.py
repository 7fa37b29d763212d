"""What history shows of a MERGE: its clauses, and what they did, in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.log.actions import AddFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCounts:
    """How many rows each clause acted on.

    Attributes:
        source: how many rows the source has.
        by_action: how many rows a clause acted on, by its number; under 0 those that were copied.
    """

    source: int
    by_action: Mapping[int, int]

    def of(self, merge: ResolvedMerge, kind: str, *, by_source: bool | None = None) -> int:
        """Return how many rows clauses of a kind acted on.

        Args:
            merge: the clauses.
            kind: `update`, `delete` or `insert`.
            by_source: only those of WHEN NOT MATCHED BY SOURCE, or only the others.
        """
        return sum(
            self.by_action.get(clause.number, 0)
            for clause in merge
            if clause.kind == kind and by_source in (None, clause.by_source)
        )

    def rows(self, merge: ResolvedMerge) -> RowCounts:
        """Return them by what happened to them."""
        return RowCounts(
            deleted=self.of(merge, "delete"),
            updated=self.of(merge, "update"),
            inserted=self.of(merge, "insert"),
            copied=self.by_action.get(0, 0),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long the parts of a MERGE took, in milliseconds."""

    whole: int
    source: int
    scan: int
    rewrite: int


def parameters_of(merge: ResolvedMerge) -> dict[str, object]:
    """Return the parameters that history shows."""
    return {
        "predicate": [str(merge.on)],
        "matchedPredicates": [clause.in_history for clause in merge.matched],
        "notMatchedPredicates": [clause.in_history for clause in merge.not_matched],
        "notMatchedBySourcePredicates": [clause.in_history for clause in merge.by_source],
    }


def metrics_of(
    merge: ResolvedMerge, counted: ActionCounts, change: RowChange, times: Times
) -> dict[str, str]:
    """Return the numbers that history shows."""
    rows = counted.rows(merge)
    removed = [*change.removed, *_wholly_gone(change)]
    matched = {"by_source": False}
    alone = {"by_source": True}
    numbers = {
        "numSourceRows": counted.source,
        "numTargetRowsInserted": rows.inserted,
        "numTargetRowsUpdated": rows.updated,
        "numTargetRowsMatchedUpdated": counted.of(merge, "update", **matched),
        "numTargetRowsNotMatchedBySourceUpdated": counted.of(merge, "update", **alone),
        "numTargetRowsDeleted": rows.deleted,
        "numTargetRowsMatchedDeleted": counted.of(merge, "delete", **matched),
        "numTargetRowsNotMatchedBySourceDeleted": counted.of(merge, "delete", **alone),
        "numTargetRowsCopied": rows.copied,
        "numOutputRows": rows.inserted + rows.updated + rows.copied,
        "numTargetFilesAdded": len(change.written.files),
        "numTargetFilesRemoved": len(removed),
        "numTargetBytesAdded": change.written.bytes,
        "numTargetBytesRemoved": sum(file.size for file in removed),
        "numTargetChangeFilesAdded": len(change.changes),
        "numTargetDeletionVectorsAdded": change.marked.vectors_added,
        "numTargetDeletionVectorsRemoved": change.marked.vectors_removed,
        "numTargetDeletionVectorsUpdated": change.marked.vectors_updated,
        "executionTimeMs": times.whole,
        "materializeSourceTimeMs": times.source,
        "scanTimeMs": times.scan,
        "rewriteTimeMs": times.rewrite,
    }
    return {name: str(number) for name, number in numbers.items()}


def _wholly_gone(change: RowChange) -> list[AddFile]:
    """Return the files that lost their last rows by deletion vectors."""
    left = {file.path for file in change.marked.after}
    return [file for file in change.marked.before if file.path not in left]
