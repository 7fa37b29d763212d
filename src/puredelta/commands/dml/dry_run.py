"""What a statement that changes rows would do: found out, and nothing written."""

from dataclasses import dataclass, field

import pyarrow as pa

from puredelta.commands.dml.row_change import RowCounts
from puredelta.engine.dml.candidate_files import Choice
from puredelta.log.files import total_bytes
from puredelta.log.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePlan:
    """What a DELETE, UPDATE or MERGE would do to a version.

    Attributes:
        operation: what history would call it.
        before: the version that was looked at.
        candidates: the files that may hold rows that change, rows of `before.files`.
        touched: those that hold such rows.
        rewritten: those of them that would be rewritten: for their other rows, and for an
            UPDATE and a MERGE also where all rows change; none where deletion vectors take the
            rows away.
        rows: how many rows would change; None where that would need a read of rows.
        uses_vectors: deletion vectors would take rows away.
        choice: how the candidates were chosen; None where all files are candidates.
        strategy: how rows are found, changed and inserted, in words; None for a statement that has
            one way to do it.
    """

    operation: str
    before: Snapshot
    candidates: pa.Table = field(repr=False)
    touched: pa.Table = field(repr=False)
    rewritten: pa.Table = field(repr=False)
    rows: RowCounts | None
    uses_vectors: bool
    choice: Choice | None = None
    strategy: str | None = None

    @property
    def bytes_to_rewrite(self) -> int:
        """The size of the files that would be rewritten."""
        return total_bytes(self.rewritten)
