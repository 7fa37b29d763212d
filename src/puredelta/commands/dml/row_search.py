"""The rows that a statement concerns, found before anything is written."""

from dataclasses import dataclass, field

import pyarrow as pa

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.driver_search import find_on_driver
from puredelta.commands.dml.row_condition import RowCondition
from puredelta.commands.dml.row_removal import with_rows_left
from puredelta.engine.dml.affected_rows import AffectedRows, find_affected_rows, with_row_positions
from puredelta.engine.dml.candidate_files import Choice
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.table.statistics.row_counts import live_rows
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRows:
    """The rows that a statement concerns.

    Attributes:
        subject: the table.
        condition: selects the rows; None for all rows.
        candidates: the files that can have such rows.
        choice: how these were chosen; None where all files are candidates.
        touched: the rows; None where all rows of the candidates are meant, and none was read.
    """

    subject: DmlTarget
    condition: RowCondition | None
    candidates: pa.Table = field(repr=False)
    choice: Choice | None
    touched: AffectedRows | None

    @property
    def snapshot(self) -> Snapshot:
        """The version that was looked at."""
        return self.subject.before

    @property
    def files(self) -> pa.Table:
        """The files that have such rows, as rows of `snapshot.files`."""
        return self.candidates if self.touched is None else self.touched.files

    @property
    def partly_touched(self) -> pa.Table:
        """Those of the files that have other rows too."""
        if self.touched is None:
            return self.candidates.slice(0, 0)
        return with_rows_left(self.subject, self.touched).files

    @property
    def rows(self) -> int | None:
        """How many rows there are; None where nobody counted them."""
        if self.touched is not None:
            return self.touched.count
        # No job counted these rows. The setting lets their number be taken from statistics instead.
        if not self.subject.target.context.settings.rows_from_metadata:
            return None
        counts = [live_rows(file) for file in add_files(self.candidates)]
        # A sum over some files only would be reported as the number of all rows.
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def track(self, transaction: Transaction) -> None:
        """Record in a transaction what was read to know them."""
        if self.condition is None:
            # Without a condition the statement depends on every row.
            transaction.read_whole_table()
        else:
            self.condition.track(transaction, self.candidates)


def find_rows(subject: DmlTarget, condition: RowCondition | None) -> FoundRows:
    """Find the rows for which a condition is true; partition values alone may suffice.

    Args:
        subject: the table.
        condition: the condition; None for all rows.
    """
    candidates, choice, touched = subject.before.files, None, None
    if condition is not None:
        candidates, choice = condition.candidates()
    # Where partition values decide, whole files are affected, and no job has to read their rows.
    if condition is not None and not condition.is_of_partitions:
        touched = _touched(subject, condition, candidates)
    return FoundRows(
        subject=subject,
        condition=condition,
        candidates=candidates,
        choice=choice,
        touched=touched,
    )


def _touched(subject: DmlTarget, condition: RowCondition, candidates: pa.Table) -> AffectedRows:
    # A scan of no files would still cost a job.
    if not candidates.num_rows:
        return AffectedRows(candidates, ())
    rows = subject.named(candidates).where(condition.column)
    found = find_on_driver(subject, rows, candidates)
    if found is not None:
        return found
    return find_affected_rows(with_row_positions(rows), candidates, subject.target.table.root)
