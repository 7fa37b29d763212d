"""The way of DELETE and UPDATE: find the rows, change their files, count, commit."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Protocol, TypeAlias

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


class RowStatement(Protocol):
    """A statement that changes the rows for which a condition is true."""

    @property
    def table(self) -> TableRef:
        """The table."""

    @property
    def condition(self) -> Column | None:
        """Which rows change, where it is true; None for all."""

    @property
    def rows(self) -> DataFrame | None:
        """The table as the statement names it; None for the table's own names."""

    @property
    def operation(self) -> str:
        """What history calls it."""

    @property
    def all_rows(self) -> list[str]:
        """What history shows as the predicate of a statement without a condition."""

    def prepared(self, subject: DmlTarget) -> Prepared:
        """Check what can be checked before rows are looked for."""

    def by_vectors(self, found: FoundRows) -> bool:
        """Say whether deletion vectors are to take rows away."""

    def rewritten(self, found: FoundRows) -> pa.Table:
        """Return the files that are written anew, where no deletion vectors take rows away."""

    def counts(self, rows: int) -> RowCounts:
        """Say what becomes of so many rows."""

    def metrics(self, found: FoundRows, change: RowChange, spent: PhaseTimes) -> dict[str, str]:
        """Return what history says, in numbers."""


@statement_scope()
def change_rows(context: Context, statement: RowStatement) -> Changed:
    """Run a statement, in one commit.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot resolve.
        DeltaAnalysisError: INVALID_NON_DETERMINISTIC_EXPRESSIONS, and what `prepared` raises.
        DeltaArithmeticError: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE.
        DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
        DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
    """
    begun = monotonic()
    subject = dml_target_of(context, statement.table, statement.rows)
    before = subject.before
    prepared = statement.prepared(subject)
    transaction = begin(context, statement.table, before)
    app = writing_app(context, WriteOptions())
    if is_repeated(context, transaction, app):
        return Changed(version=before.version, rows=None, skipped=True)
    found = _found(subject, statement.condition)
    if not found.files.num_rows:
        return Changed(version=before.version)
    found.track(transaction)
    prepared.track(transaction, subject)
    scanned = monotonic()
    with cast_overflow_rules():
        change = prepared.make(found)
    spent = PhaseTimes(begun=begun, scanned=scanned, done=monotonic())
    metrics = statement.metrics(found, change, spent)
    predicates = found.condition and [found.condition.resolved.text]
    operation = Operation(
        statement.operation,
        {"predicate": statement.all_rows if predicates is None else predicates},
        metrics,
        preserved_tags(before.metadata),
    )
    after = commit_change(subject.target, transaction, change, operation, app=app)
    rows = None if found.rows is None and not change.rows.updated else change.rows.changed
    return Changed(version=after.version, committed=True, rows=rows, metrics=metrics)


@statement_scope()
def plan_change(context: Context, statement: RowStatement) -> ChangePlan:
    """Find out what a statement would do; nothing is written.

    Raises:
        DeltaError: as `change_rows`, but for what commits raise.
    """
    subject = dml_target_of(context, statement.table, statement.rows)
    statement.prepared(subject)
    found = _found(subject, statement.condition)
    by_vectors = statement.by_vectors(found)
    return ChangePlan(
        operation=statement.operation,
        before=found.snapshot,
        candidates=found.candidates,
        touched=found.files,
        rewritten=found.files.slice(0, 0) if by_vectors else statement.rewritten(found),
        rows=None if found.rows is None else statement.counts(found.rows),
        uses_vectors=by_vectors,
        choice=found.choice,
    )


def _found(subject: DmlTarget, given: Column | None) -> FoundRows:
    if given is None:
        return find_rows(subject, None)
    condition = row_condition(subject, given)
    check_deterministic(condition.resolved.expression, condition.resolved.text)
    return find_rows(subject, condition)
