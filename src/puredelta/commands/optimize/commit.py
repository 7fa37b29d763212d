"""The commit of rows that moved to other files: counted first, and tried again behind others."""

from collections.abc import Callable

from puredelta.commands.dml.commit import check_conserved
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.optimize.carried_rows import carried_over, live_records
from puredelta.commands.optimize.moved_rows import MovedRows
from puredelta.commands.rows.removed_files import shown
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.transactions import begin
from puredelta.errors.classes import DeltaConcurrentModificationError
from puredelta.log.files import file_key
from puredelta.log.snapshot import Snapshot
from puredelta.txn.commit_info import Operation

OperationOf = Callable[[MovedRows], Operation]
"""What history shows of rows that moved."""


def commit_moved(
    target: WriteTarget, after: Snapshot, moved: MovedRows, operation_of: OperationOf
) -> tuple[Snapshot, MovedRows]:
    """Commit rows that moved, and follow other writers as long as the rows are still there.

    Rows that another writer deleted meanwhile, by a deletion vector on one of the old files, are
    deleted in the new files too.

    Args:
        target: the table.
        after: the last version that the statement made; that which was read if it made none.
        moved: the files.
        operation_of: what history shows.

    Returns:
        The version made, and what was committed.

    Raises:
        DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH.
        DeltaConcurrentModificationError: an old file has changed in another way.
    """
    rows = RowCounts(copied=moved.written.rows)
    change = RowChange(removed=moved.removed, written=moved.written, rows=rows)
    check_conserved(target, change, operation_of(moved).name)
    # A later version has no memory of the commits between: where one of them took a file, they are
    # read again from the version on that the statement read, for the conflict to name it.
    base = after if _are_live(after, moved) else target.before
    while True:
        made = _commit(target, base, moved, operation_of)
        if isinstance(made, Snapshot):
            return made, moved
        base = target.table.log().latest()
        moved = carried_over(target, base, moved, made)


def _are_live(snapshot: Snapshot, moved: MovedRows) -> bool:
    records = live_records(snapshot, moved.removed)
    return all(
        found is not None and file_key(found) == file_key(file)
        for file, found in zip(moved.removed, records, strict=True)
    )


def _commit(
    target: WriteTarget, base: Snapshot, moved: MovedRows, operation_of: OperationOf
) -> Snapshot | DeltaConcurrentModificationError:
    """Try to commit upon a version; a conflict is returned, as it need not be one in the end."""
    context = target.context
    transaction = begin(context, target.table, base)
    transaction.read_files(shown(moved.removed))
    try:
        return transaction.commit(
            moved.actions(context),
            operation_of(moved),
            user_metadata=context.settings.user_metadata,
        ).snapshot
    except DeltaConcurrentModificationError as conflict:
        return conflict
