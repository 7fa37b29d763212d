"""TRUNCATE TABLE: all files leave the table, and none of them is read."""

from dataclasses import dataclass
from time import monotonic

from puredelta.commands.rows.removed_files import check_not_append_only, live_files
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.session.context import Context
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.log.files import to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncate:
    """TRUNCATE TABLE; older versions keep their rows."""

    table: TableRef

    def run(self, context: Context) -> Snapshot:
        """Remove all files in one commit; return the version made, or that of an empty table.

        Raises:
            DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationError: another writer's commit came first.
        """
        begun = monotonic()
        before = self.table.log().latest()
        check_writable(before.protocol, before.metadata, self.table.label)
        check_not_append_only(before, self.table.label)
        removed = [to_remove_file(file) for file in live_files(before)]
        if not removed:
            return before
        transaction = begin(context, self.table, before)
        # TRUNCATE depends on all rows, as a DELETE without a condition does.
        transaction.read_whole_table()
        spent = round((monotonic() - begun) * 1000)
        metrics = {"numRemovedFiles": str(len(removed)), "executionTimeMs": str(spent)}
        after = transaction.commit(
            removed,
            Operation("TRUNCATE", {}, metrics),
            user_metadata=context.settings.user_metadata,
        ).snapshot
        refresh_caches(context.session, self.table.root)
        return after
