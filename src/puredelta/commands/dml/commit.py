"""The commit of changed rows: counted, made, and seen by what is cached."""

from puredelta.commands.app_transactions import Application, app_actions
from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.dml.row_conservation import check_conserved
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.log.snapshot import Snapshot
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction


def commit_change(
    target: WriteTarget,
    transaction: Transaction,
    change: RowChange,
    operation: Operation,
    *,
    app: Application | None = None,
) -> Snapshot:
    """Commit what a statement did to a table; return the version made, or the one there was.

    Args:
        target: the table; its metadata is committed, too, where it is new.
        transaction: knows what was read.
        change: the files that come and go.
        operation: what history shows.
        app: the application that writes, if it says who it is.

    Raises:
        DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH: rows would be lost or doubled.
        DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
    """
    context, before = target.context, target.before
    actions = change.actions(with_stats=context.settings.collect_stats)
    evolves = target.metadata != before.metadata
    if not actions and not evolves:
        return before
    check_conserved(target, change, operation.name)
    after = transaction.commit(
        [*app_actions(context, app), *actions],
        operation,
        metadata=target.metadata if evolves else None,
        user_metadata=context.settings.user_metadata,
    ).snapshot
    refresh_caches(context.session, target.table.root)
    return after
