"""The commit of changed rows, once a count shows that none is lost or duplicated."""

from collections.abc import Sequence
from functools import partial

from puredelta.commands.app_transactions import Application, app_actions
from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.errors.classes import DeltaIllegalStateError
from puredelta.log.actions import AddFile
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import decode_path
from puredelta.storage.schemes import open_store
from puredelta.table.statistics.row_counts import row_counts
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

# A message names so many files; nobody would read more.
_NAMED_FILES = 10


def commit_change(
    target: WriteTarget,
    transaction: Transaction,
    change: RowChange,
    operation: Operation,
    *,
    app: Application | None = None,
) -> Snapshot:
    """Commit what a statement did to a table; return the version made, or the existing one.

    Args:
        target: the table; its metadata is committed, too, where it is new.
        transaction: knows what was read.
        change: the files that come and go.
        operation: what history shows.
        app: the application that writes, if it says who it is.

    Raises:
        DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH: rows would be lost or duplicated.
        DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
    """
    context, before = target.context, target.before
    actions = change.actions(with_stats=context.settings.collect_stats)
    evolves = target.metadata != before.metadata
    # A statement that changed nothing makes no version.
    if not actions and not evolves:
        return before
    # The last moment at which a fault can be stopped: after the commit readers would miss rows.
    check_conserved(target, change, operation.name)
    after = transaction.commit(
        [*app_actions(context, app), *actions],
        operation,
        metadata=target.metadata if evolves else None,
        user_metadata=context.settings.user_metadata,
    ).snapshot
    refresh_caches(context.session, target.table.root)
    return after


def check_conserved(target: WriteTarget, change: RowChange, operation: str) -> None:
    """Check that the rows of all new files are those of the old ones, but for what changed.

    Nothing is read for it: files say how many rows they have.

    Args:
        target: the table.
        change: what is to be committed.
        operation: what it is called.

    Raises:
        DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH.
    """
    if not change.is_counted or not target.context.settings.check_rows:
        # Files that go as a whole need not say how many rows they had.
        return
    rows = change.rows
    before = sum(_live(target, change.touched))
    after = change.written.rows + sum(_live(target, change.marked.after))
    expected = before - rows.deleted + rows.inserted
    if after != expected:
        raise DeltaIllegalStateError(
            "DELTA_NUM_RECORDS_MISMATCH",
            operation=operation,
            numAddedRecords=after,
            numRemovedRecords=before,
            expected=expected,
            deleted=rows.deleted,
            inserted=rows.inserted,
            files=_names_of(change.touched),
        )


def _live(target: WriteTarget, files: Sequence[AddFile]) -> list[int]:
    elsewhere = partial(open_store, options=target.table.options)
    # Files without statistics are counted by their footers.
    counts = row_counts(files, target.before.store, elsewhere)
    gone = (
        0 if file.deletion_vector is None else file.deletion_vector.cardinality for file in files
    )
    return [count - hidden for count, hidden in zip(counts, gone, strict=True)]


def _names_of(files: Sequence[AddFile]) -> str:
    named = ", ".join(decode_path(file.path) for file in files[:_NAMED_FILES])
    more = len(files) - _NAMED_FILES
    return f"{named} and {more} more" if more > 0 else named
