"""What DELETE and UPDATE share: find the rows, change their files, count, commit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, TypeAlias

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta.commands.app_transactions import is_repeated, writing_app
from puredelta.commands.dml.commit import commit_change
from puredelta.commands.dml.dml_target import DmlTarget, dml_target_of
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.metrics import PhaseTimes
from puredelta.commands.dml.row_change import Changed, RowChange, RowCounts
from puredelta.commands.dml.row_condition import row_condition
from puredelta.commands.dml.row_search import FoundRows, find_rows
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.sql_conditions import check_deterministic
from puredelta.engine.row_checks.cast_overflows import cast_overflow_rules
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.table_reads import subqueries_read
from puredelta.settings import Settings
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

MakeChange: TypeAlias = Callable[[FoundRows], RowChange]
"""Writes what a statement needs for the rows that were found."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a statement is going to do with the rows that are found.

    Attributes:
        make: does it.
        values: what it computes for them, over rows that `Subject.named` gives.
    """

    make: MakeChange
    values: tuple[Column, ...] = ()

    def track(self, transaction: Transaction, subject: DmlTarget) -> None:
        """Depend on the whole table, if values are made of rows other than their own."""
        named = subject.all_named.select(*self.values) if self.values else None
        if named is not None and subqueries_read(named, subject.target.table.root):
            transaction.read_whole_table()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowStatement(ABC):
    """A statement that changes the rows for which a condition is true.

    Attributes:
        table: the table.
        condition: which rows change, where it is true; None for all.
        rows: the table as the statement names it, for the names in conditions and values: a scan
            with aliases and plain views upon it; None for the table's own names.
        operation: what history calls the statement.
        all_rows: what history shows as the predicate of a statement without a condition.
    """

    table: TableRef
    condition: Column | None = None
    rows: DataFrame | None = None
    operation: ClassVar[str]
    all_rows: ClassVar[Sequence[str]]

    @abstractmethod
    def prepared(self, subject: DmlTarget) -> Prepared:
        """Check what can be checked before rows are looked for."""

    @abstractmethod
    def allows_vectors(self, settings: Settings) -> bool:
        """Say whether the session lets the statement mark rows in deletion vectors."""

    @abstractmethod
    def rewritten(self, found: FoundRows) -> pa.Table:
        """Return the files that are rewritten, where no deletion vectors take rows away."""

    @abstractmethod
    def counts(self, rows: int) -> RowCounts:
        """Return the counts of a statement that changes so many rows."""

    @abstractmethod
    def metrics(self, found: FoundRows, change: RowChange, spent: PhaseTimes) -> dict[str, str]:
        """Return what history says, in numbers."""

    def by_vectors(self, found: FoundRows) -> bool:
        """Say whether deletion vectors take rows away; they never take whole files."""
        settings = found.subject.target.context.settings
        return (
            found.touched is not None
            and found.subject.has_vectors
            and self.allows_vectors(settings)
        )

    @statement_scope()
    def run(self, context: Context) -> Changed:
        """Run the statement, in one commit.

        Raises:
            AnalysisException: Spark's, for a condition that it cannot resolve.
            DeltaAnalysisError: INVALID_NON_DETERMINISTIC_EXPRESSIONS, and what `prepared` raises.
            DeltaArithmeticError: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE.
            DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        begun = monotonic()
        subject = dml_target_of(context, self.table, self.rows)
        before = subject.before
        # Faults in the statement are reported before any job runs.
        prepared = self.prepared(subject)
        transaction = begin(context, self.table, before)
        app = writing_app(context, WriteOptions())
        # The check comes before the search, so a repeated statement costs no job.
        if is_repeated(context, transaction, app):
            return Changed(version=before.version, rows=None, skipped=True)
        found = _found(subject, self.condition)
        if not found.files.num_rows:
            return Changed(version=before.version)
        found.track(transaction)
        prepared.track(transaction, subject)
        scanned = monotonic()
        with cast_overflow_rules():
            change = prepared.make(found)
        spent = PhaseTimes(begun=begun, scanned=scanned, done=monotonic())
        metrics = self.metrics(found, change, spent)
        predicates = found.condition and [found.condition.resolved.text]
        operation = Operation(
            self.operation,
            {"predicate": [*self.all_rows] if predicates is None else predicates},
            metrics,
            preserved_tags(before.metadata),
        )
        after = commit_change(subject.target, transaction, change, operation, app=app)
        # An UPDATE counts the rows that it writes, even where the search did not count.
        rows = None if found.rows is None and not change.rows.updated else change.rows.changed
        return Changed(version=after.version, committed=True, rows=rows, metrics=metrics)

    @statement_scope()
    def plan(self, context: Context) -> ChangePlan:
        """Find out what the statement would do; nothing is written.

        Raises:
            DeltaError: as `run`, but for what commits raise.
        """
        subject = dml_target_of(context, self.table, self.rows)
        self.prepared(subject)
        found = _found(subject, self.condition)
        by_vectors = self.by_vectors(found)
        return ChangePlan(
            operation=self.operation,
            before=found.snapshot,
            candidates=found.candidates,
            touched=found.files,
            rewritten=found.files.slice(0, 0) if by_vectors else self.rewritten(found),
            rows=None if found.rows is None else self.counts(found.rows),
            uses_vectors=by_vectors,
            choice=found.choice,
        )


def _found(subject: DmlTarget, given: Column | None) -> FoundRows:
    if given is None:
        return find_rows(subject, None)
    condition = row_condition(subject, given)
    # The condition is evaluated while files are chosen and again by the search; decision 8 relies
    # on equal answers.
    check_deterministic(condition.resolved.expression, condition.resolved.text)
    return find_rows(subject, condition)
