"""No row is lost and none is doubled: counted before each commit of changed rows."""

from collections.abc import Sequence
from functools import partial

from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.rows.target import WriteTarget
from puredelta.errors.classes import DeltaIllegalStateError
from puredelta.log.actions import AddFile
from puredelta.storage.location import decode_path
from puredelta.storage.schemes import open_store
from puredelta.table.statistics.row_counts import row_counts

# So many files are named; more would not be read.
_FILES_TOLD = 10


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
            files=_told(change.touched),
        )


def _live(target: WriteTarget, files: Sequence[AddFile]) -> list[int]:
    elsewhere = partial(open_store, options=target.table.options)
    counts = row_counts(files, target.before.store, elsewhere)
    gone = (
        0 if file.deletion_vector is None else file.deletion_vector.cardinality for file in files
    )
    return [count - hidden for count, hidden in zip(counts, gone, strict=True)]


def _told(files: Sequence[AddFile]) -> str:
    named = ", ".join(decode_path(file.path) for file in files[:_FILES_TOLD])
    more = len(files) - _FILES_TOLD
    return f"{named} and {more} more" if more > 0 else named
