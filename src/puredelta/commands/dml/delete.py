"""DELETE: rows for which a condition is true leave the table."""

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.metrics import PhaseTimes, delete_metrics
from puredelta.commands.dml.row_change import Changed, RowChange, RowCounts
from puredelta.commands.dml.row_removal import remove_rows
from puredelta.commands.dml.row_search import FoundRows
from puredelta.commands.dml.runner import Prepared, change_rows, plan_change
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.log.files import add_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete:
    """DELETE FROM a table; see `dml.runner.RowStatement`.

    Attributes:
        table: the table.
        condition: which rows go, where it is true; None for all.
        rows: the table as the statement names it, for the names in the condition: a scan with
            aliases and plain views upon it; None for the table's own names.
    """

    table: TableRef
    condition: Column | None = None
    rows: DataFrame | None = None

    def run(self, context: Context) -> Changed:
        """Take the rows away; see `change_rows`."""
        return change_rows(context, self)

    def plan(self, context: Context) -> ChangePlan:
        """Find the rows that would go; see `plan_change`."""
        return plan_change(context, self)

    @property
    def operation(self) -> str:
        """What history calls it."""
        return "DELETE"

    @property
    def all_rows(self) -> list[str]:
        """What history shows where all rows go."""
        return ["true"]

    def prepared(self, subject: DmlTarget) -> Prepared:  # noqa: ARG002  # as of RowStatement
        """Need nothing: the condition says it all."""
        return Prepared(self._change)

    def by_vectors(self, found: FoundRows) -> bool:
        """Say whether rows are marked; files of which all rows go only go."""
        settings = found.subject.target.context.settings
        return found.touched is not None and found.subject.has_vectors and settings.delete_vectors

    def rewritten(self, found: FoundRows) -> pa.Table:
        """Return the files that have other rows, too; the others only go."""
        return found.partly_touched

    def counts(self, rows: int) -> RowCounts:
        """Count deleted rows."""
        return RowCounts(deleted=rows)

    def metrics(self, found: FoundRows, change: RowChange, spent: PhaseTimes) -> dict[str, str]:
        """Return what history says, in numbers."""
        return delete_metrics(change, spent, is_counted=found.rows is not None)

    def _change(self, found: FoundRows) -> RowChange:
        if found.touched is None:
            counted = found.rows
            return RowChange(
                removed=add_files(found.files),
                rows=self.counts(counted or 0),
                is_counted=counted is not None,
            )
        return remove_rows(found.subject, found.touched, by_vectors=self.by_vectors(found))
