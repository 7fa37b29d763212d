"""DELETE: rows for which a condition is true leave the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.metrics import PhaseTimes, delete_metrics
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.dml.row_removal import remove_rows
from puredelta.commands.dml.row_search import FoundRows
from puredelta.commands.dml.row_statement import Prepared, RowStatement
from puredelta.log.files import add_files
from puredelta.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Delete(RowStatement):
    """DELETE FROM a table; see `dml.row_statement.RowStatement`."""

    operation: ClassVar[str] = "DELETE"
    all_rows: ClassVar[Sequence[str]] = ("true",)

    def prepared(self, subject: DmlTarget) -> Prepared:  # noqa: ARG002  # as of RowStatement
        """Need nothing: the condition says it all."""
        return Prepared(self._change)

    def allows_vectors(self, settings: Settings) -> bool:
        """Say whether the session lets a DELETE mark rows in deletion vectors."""
        return settings.delete_vectors

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
