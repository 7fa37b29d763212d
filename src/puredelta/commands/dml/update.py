"""UPDATE: rows for which a condition is true get other values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta.commands.dml.assignments import ColumnAssignment
from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.metrics import PhaseTimes, update_metrics
from puredelta.commands.dml.row_change import Changed, RowChange, RowCounts
from puredelta.commands.dml.row_search import FoundRows
from puredelta.commands.dml.row_update import update_rows
from puredelta.commands.dml.runner import Prepared, change_rows, plan_change
from puredelta.commands.dml.updated_values import new_values
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """UPDATE a table; see `dml.runner.RowStatement`.

    Attributes:
        table: the table.
        assignments: what columns get; all values are those of the old row.
        condition: which rows get it, where it is true; None for all.
        rows: the table as the statement names it, for the names in conditions and values: a scan
            with aliases and plain views upon it; None for the table's own names.
    """

    table: TableRef
    assignments: Sequence[ColumnAssignment] = field(repr=False)
    condition: Column | None = None
    rows: DataFrame | None = None

    def run(self, context: Context) -> Changed:
        """Change the rows; see `change_rows`."""
        return change_rows(context, self)

    def plan(self, context: Context) -> ChangePlan:
        """Find the rows that would change; see `plan_change`."""
        return plan_change(context, self)

    @property
    def operation(self) -> str:
        """What history calls it."""
        return "UPDATE"

    @property
    def all_rows(self) -> list[str]:
        """What history shows where all rows change."""
        return []

    def prepared(self, subject: DmlTarget) -> Prepared:
        """Resolve what is assigned; see `new_values`."""
        new = new_values(subject, self.assignments)
        return Prepared(
            lambda found: update_rows(found, new, by_vectors=self.by_vectors(found)),
            tuple(new.values.values()),
        )

    def by_vectors(self, found: FoundRows) -> bool:
        """Say whether rows are marked; files of which all rows change are written anew."""
        settings = found.subject.target.context.settings
        return found.touched is not None and found.subject.has_vectors and settings.update_vectors

    def rewritten(self, found: FoundRows) -> pa.Table:
        """Return all files that have such rows: these stay in the table with other values."""
        return found.files

    def counts(self, rows: int) -> RowCounts:
        """Count updated rows."""
        return RowCounts(updated=rows)

    def metrics(self, found: FoundRows, change: RowChange, spent: PhaseTimes) -> dict[str, str]:  # noqa: ARG002  # as of RowStatement
        """Return what history says, in numbers."""
        return update_metrics(change, spent)
