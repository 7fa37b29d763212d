"""Has every file a row id, so that a table may say that every row has one?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import Action
from puredelta.log.files import removed_paths
from puredelta.log.snapshot import Snapshot
from puredelta.table.protocol.protocol import features_of
from puredelta.table.protocol.row_tracking import gives_ids, is_enabled
from puredelta.txn.pending_commit import PendingCommit


def turns_ids_on(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Return whether properties start to say that every row has an id."""
    return is_enabled(after) and not is_enabled(before)


def files_without_ids(files: pa.Table) -> pa.Table:
    """Return the files, as `log.files.FILES`, whose rows have no ids."""
    return files.filter(pc.is_null(files["base_row_id"]))


def check_ids_are_there(draft: PendingCommit, before: Snapshot, files: Iterable[Action]) -> None:
    """Refuse to say that every row has an id while files lack one.

    Args:
        draft: What is to be committed, where its files may be left out.
        before: The version that was read.
        files: The files of the commit.

    Raises:
        DeltaIllegalStateError: The commit turns row tracking on and leaves files without ids, or
            cannot know of those that others add meanwhile.
    """
    new = draft.new_metadata
    if new is None or not turns_ids_on(before.configuration, new.configuration):
        return
    # Without the feature in the version that was read, other writers need not give ids to new
    # files, and a commit of theirs would come between unless the whole table counts as read.
    known = gives_ids(features_of(before.protocol), before.configuration)
    removed = removed_paths(files)
    there = files_without_ids(before.files)["path"].to_pylist()
    missing = [path for path in there if path not in removed]
    if missing or not (known or draft.reads.whole_table):
        raise DeltaIllegalStateError(
            "DELTA_ROW_TRACKING_WITHOUT_BACKFILL", tableName=draft.table, numFiles=len(missing)
        )
