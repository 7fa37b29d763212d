"""ALTER TABLE ... REPLACE COLUMNS: another list of columns, as far as files can follow it."""

from dataclasses import dataclass

from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.alter.history_columns import declared_column_json
from puredelta.commands.alter.schema_change import altered_schema, how_to_map, maps_columns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.expression_columns import columns_of
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.table import dependents
from puredelta.table.columns.replaced_columns import Differences, merged_columns
from puredelta.table.columns.type_widening import with_type_changes
from puredelta.table.expressions.identity_columns import check_replaceable
from puredelta.table.protocol.properties import TYPE_WIDENING
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceColumns:
    """ALTER TABLE ... REPLACE COLUMNS.

    Attributes:
        table: the table.
        columns: those that it is to have; what has the name of an old one is that column.
    """

    table: TableRef
    columns: StructType

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; nothing is written.

        Raises:
            DeltaAnalysisError: DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP for columns that files
                could not follow, what `check_droppable` and `check_unused` raise for those that
                something depends on, DELTA_DUPLICATE_COLUMNS_FOUND.REPLACING_COLUMNS,
                DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED.
        """
        del context
        check_replaceable(before.schema)
        configuration = before.configuration
        schema, found = merged_columns(
            before.schema, self.columns, widening=TYPE_WIDENING.of(configuration)
        )
        self._check(before, found)
        if TYPE_WIDENING.of(configuration):
            schema = with_type_changes(before.schema, schema)
        shown = [declared_column_json(field, (field.name,)) for field in self.columns]
        return altered_schema(
            self.table,
            before,
            schema,
            Operation("REPLACE COLUMNS", {"columns": shown}),
            metadata=dependents.dropped(before.metadata, found.dropped),
            duplicates="DELTA_DUPLICATE_COLUMNS_FOUND.REPLACING_COLUMNS",
        )

    def run(self, context: Context) -> Snapshot:
        """Replace the columns in one commit; raises what `plan` raises."""
        return run_planned(context, self)

    def _check(self, before: Snapshot, found: Differences) -> None:
        is_mapped = maps_columns(before.configuration)
        if found.refused:
            raise self._refusal(before, found.refused)
        # Protocol: Column Mapping. Without it files are read by name: a later column of the same
        # name would show the values of the dropped one.
        if found.dropped and not is_mapped:
            advice = how_to_map(self.table)
            raise self._refusal(
                before, DeltaAnalysisError("DELTA_UNSUPPORTED_DROP_COLUMN", advice=advice)
            )
        if found.ambiguous:
            raise self._refusal(before, found.ambiguous)
        domains = before.domains.values()
        dependents.check_droppable(found.dropped, before.metadata, domains, columns_of)
        for path in found.retyped:
            dependents.check_unused(path, before.metadata, columns_of)

    def _refusal(self, before: Snapshot, reason: DeltaAnalysisError) -> DeltaAnalysisError:
        return DeltaAnalysisError(
            "DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP",
            details=reason.message,
            oldSchema=simple_string(before.schema),
            newSchema=simple_string(self.columns),
        )
