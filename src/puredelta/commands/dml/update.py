"""UPDATE: rows for which a condition is true get other values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pyarrow as pa

from puredelta.commands.dml.assignments import ColumnAssignment
from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.metrics import PhaseTimes, update_metrics
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.dml.row_search import FoundRows
from puredelta.commands.dml.row_statement import Prepared, RowStatement
from puredelta.commands.dml.row_update import update_rows
from puredelta.commands.dml.updated_values import new_values
from puredelta.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(RowStatement):
    """UPDATE a table; see `dml.row_statement.RowStatement`.

    Attributes:
        assignments: what columns get; all values are those of the old row.
    """

    assignments: Sequence[ColumnAssignment] = field(repr=False)
    operation: ClassVar[str] = "UPDATE"
    all_rows: ClassVar[Sequence[str]] = ()

    def prepared(self, subject: DmlTarget) -> Prepared:
        """Resolve what is assigned; see `new_values`."""
        new = new_values(subject, self.assignments)
        return Prepared(
            lambda found: update_rows(found, new, by_vectors=self.by_vectors(found)),
            tuple(new.values.values()),
        )

    def allows_vectors(self, settings: Settings) -> bool:
        """Say whether the session lets an UPDATE mark rows in deletion vectors."""
        return settings.update_vectors

    def rewritten(self, found: FoundRows) -> pa.Table:
        """Return all files that have such rows: these stay in the table with other values."""
        return found.files

    def counts(self, rows: int) -> RowCounts:
        """Count updated rows."""
        return RowCounts(updated=rows)

    def metrics(self, found: FoundRows, change: RowChange, spent: PhaseTimes) -> dict[str, str]:  # noqa: ARG002  # as of RowStatement
        """Return what history says, in numbers."""
        return update_metrics(change, spent)
