"""The operation metrics of a DELETE or an UPDATE, which history shows."""

from dataclasses import dataclass

from puredelta.commands.dml.row_change import RowChange


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseTimes:
    """When parts of a statement were done, in seconds of the process's clock.

    Attributes:
        begun: it began.
        scanned: the rows were found.
        done: new files were written.
    """

    begun: float
    scanned: float
    done: float


def delete_metrics(
    change: RowChange, spent: PhaseTimes, *, is_counted: bool = True
) -> dict[str, str]:
    """Return what history says of a DELETE.

    Args:
        change: what it did.
        spent: how long it took.
        is_counted: the number of rows is known.
    """
    # Files whose last rows were marked leave the table as well; they have no `add` after it.
    gone = len(change.marked.before) - len(change.marked.after)
    metrics = _metrics(change, spent, removed=len(change.removed) + gone)
    if not is_counted:
        return {key: n for key, n in metrics.items() if key not in _OF_COUNTED}
    vectors = sum(file.deletion_vector is not None for file in change.touched)
    numbers = {"numDeletedRows": change.rows.deleted, "numDeletionVectorsRemoved": vectors}
    return {**metrics, **{key: str(number) for key, number in numbers.items()}}


def update_metrics(change: RowChange, spent: PhaseTimes) -> dict[str, str]:
    """Return what history says of an UPDATE."""
    metrics = _metrics(change, spent, removed=len(change.touched))
    # As delta-spark does: files that lose rows by vectors count where change files are written.
    gone = change.touched if change.changes else change.removed
    size = sum(file.size for file in gone)
    return {**metrics, "numRemovedBytes": str(size), "numUpdatedRows": str(change.rows.updated)}


# delta-spark leaves these out with the number of deleted rows.
_OF_COUNTED = frozenset({"numCopiedRows", "numAddedFiles"})


def _metrics(change: RowChange, spent: PhaseTimes, *, removed: int) -> dict[str, str]:
    numbers = {
        "numRemovedFiles": removed,
        "numRemovedBytes": sum(file.size for file in change.removed),
        "numAddedFiles": len(change.written.files),
        "numAddedBytes": change.written.bytes,
        "numAddedChangeFiles": len(change.changes),
        "numCopiedRows": change.rows.copied,
        "numDeletionVectorsAdded": change.marked.vectors_added,
        "numDeletionVectorsRemoved": change.marked.vectors_removed,
        "numDeletionVectorsUpdated": change.marked.vectors_updated,
        "scanTimeMs": round((spent.scanned - spent.begun) * 1000),
        "rewriteTimeMs": round((spent.done - spent.scanned) * 1000) if change.written.files else 0,
        "executionTimeMs": round((spent.done - spent.begun) * 1000),
    }
    return {key: str(number) for key, number in numbers.items()}
