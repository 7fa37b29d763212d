"""ALTER TABLE ... DROP COLUMNS: files keep the values, which no reader finds any longer."""

from collections.abc import Sequence
from dataclasses import dataclass

from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.alter.history_columns import path_in_history
from puredelta.commands.alter.schema_change import altered_schema, how_to_map, maps_columns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.expression_columns import columns_of
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.changes import Path, dropped, find_column_position
from puredelta.table import dependents
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class DropColumns:
    """ALTER TABLE ... DROP COLUMNS.

    Attributes:
        table: the table.
        columns: their paths, in any case of letters.
        if_exists: pass over those that are not there.
    """

    table: TableRef
    columns: Sequence[Path]
    if_exists: bool = False

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; None where no column is left to drop. Nothing is written.

        Raises:
            DeltaAnalysisError: DELTA_UNSUPPORTED_DROP_COLUMN without column mapping,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA,
                DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE, and what
                `check_droppable` raises for columns that something depends on.
        """
        del context
        # Protocol: Column Mapping. Without it files are read by name: a later column of the same
        # name would show the values of the dropped one.
        if not maps_columns(before.configuration):
            raise DeltaAnalysisError("DELTA_UNSUPPORTED_DROP_COLUMN", advice=how_to_map(self.table))
        schema, gone = before.schema, []
        for path in self._there(before):
            # Looked up in what the columns before it left, so a column that is named twice is
            # missing.
            gone.append(find_column_position(schema, path).path)
            schema = dropped(schema, path)
        if not gone:
            return None
        dependents.check_droppable(gone, before.metadata, before.domains.values(), columns_of)
        return altered_schema(
            self.table,
            before,
            schema,
            Operation("DROP COLUMNS", {"columns": [path_in_history(path) for path in gone]}),
            metadata=dependents.dropped(before.metadata, gone),
        )

    def run(self, context: Context) -> Snapshot:
        """Drop the columns in one commit; raises what `plan` raises."""
        return run_planned(context, self)

    def _there(self, before: Snapshot) -> Sequence[Path]:
        if not self.if_exists:
            return self.columns
        return [path for path in self.columns if _is_there(before, path)]


def _is_there(before: Snapshot, path: Path) -> bool:
    try:
        find_column_position(before.schema, path)
    except DeltaAnalysisError:
        return False
    return True
