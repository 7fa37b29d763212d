"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY: an identity column goes on behind its values."""

import logging
from dataclasses import dataclass, replace

from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.alter.history_columns import column_json
from puredelta.commands.table_ref import TableRef
from puredelta.engine.row_checks.identity_values import bounds_of
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.changes import Path, find_column_position
from puredelta.table.expressions.identity_columns import (
    IdentityColumn,
    identity_of,
    with_high_water_marks,
)
from puredelta.txn.commit_info import IDENTITY_ONLY_TAG, Operation

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncIdentity:
    """SYNC IDENTITY: the mark goes to the last value that the table has.

    It never goes back, unless the session allows it: then values that were given out, and are in no
    row any longer, are given again.

    Attributes:
        table: the table.
        column: the path of the column, in any case of letters.
    """

    table: TableRef
    column: Path

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return the commit; the rows are read unless statistics say.

        Raises:
            DeltaAnalysisError: DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        """
        found = find_column_position(before.schema, self.column)
        column = identity_of(found.field.name, found.field.metadata)
        if column is None or len(found.path) > 1:
            raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN")
        synced = self._synced(context, before, column)
        _logger.info("SYNC IDENTITY of %s: %s -> %s.", column.name, column.mark, synced.mark)
        return Change(
            operation=Operation(
                "CHANGE COLUMN",
                {"column": column_json(found.field, found.path)},
                tags=_tags(column, synced),
            ),
            metadata=with_high_water_marks(before.metadata, {column.name: synced.mark}),
            is_blind=False,
            reads_table=True,
        )

    def run(self, context: Context) -> Snapshot:
        """Move the mark in one commit; raises what `plan` raises."""
        return run_planned(context, self)

    def _synced(self, context: Context, before: Snapshot, column: IdentityColumn) -> IdentityColumn:
        rows = frame_of_files(context.session, self.table.root, before, None, self.table.options)
        bounds = bounds_of(rows, column.name)
        # Without a high-water mark the last value in the table decides, also if it is lower.
        if context.settings.lower_identity_marks:
            column = replace(column, mark=None)
        return column if bounds is None else column.marked(column.farthest(bounds))


def _tags(column: IdentityColumn, synced: IdentityColumn) -> dict[str, str | None] | None:
    """Tag a commit that only moves a high-water mark forward.

    Where it goes back, other writers that reserved values must conflict, so there is no tag.
    """
    if column.mark is None or synced.mark == column.mark:
        return {IDENTITY_ONLY_TAG: "true"}
    goes_back = synced.mark is None or column.is_past(column.mark, synced.mark)
    return None if goes_back else {IDENTITY_ONLY_TAG: "true"}
