"""The methods of `DeltaTable` that change the rows of a condition or a key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.api.explain_change import ChangeExplained, explain_change
from puredelta.api.retry import run_with_retry
from puredelta.api.statement_result import StatementResult
from puredelta.commands.dml.assignments import ColumnAssignment
from puredelta.commands.dml.delete import Delete
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.row_change import Changed
from puredelta.commands.dml.update import Update
from puredelta.commands.expression_arguments import (
    Assignments,
    Expression,
    assignment_arguments,
    condition_argument,
)
from puredelta.commands.keyed.dedupe import Dedupe, Deduped
from puredelta.commands.keyed.keys import key_columns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import Context, context_of
from puredelta.frontend.affected_rows import affected_rows

Result_co = TypeVar("Result_co", covariant=True)


class RowCommand(Protocol[Result_co]):
    """A change of rows."""

    @property
    def table(self) -> TableRef:
        """The table."""

    def run(self, context: Context) -> Result_co:
        """Make the change, in one commit."""

    def plan(self, context: Context) -> ChangePlan:
        """Find out what would change; write nothing."""


def delete(
    session: SparkSession,
    table: TableRef,
    read: Callable[[], DataFrame],
    condition: Expression | None,
    *,
    dry_run: bool,
    retry: int,
) -> StatementResult | ChangeExplained:
    """Delete the rows of a condition; see `DeltaTable.delete`."""
    given = condition_argument(condition)
    with shown():
        command = Delete(table=table, condition=given, rows=read())
        done = run_or_explain(session, command, dry_run=dry_run, retry=retry)
        return _answer(session, table, done)


def update(
    session: SparkSession,
    table: TableRef,
    read: Callable[[], DataFrame],
    condition: Expression | None,
    values: Assignments | None,
    *,
    dry_run: bool,
    retry: int,
) -> StatementResult | ChangeExplained:
    """Give columns other values in the rows of a condition; see `DeltaTable.update`."""
    named = assignment_arguments(values, "'set'")
    given = condition_argument(condition)
    assignments = [ColumnAssignment(F.col(name), value) for name, value in named.items()]
    with shown():
        command = Update(table=table, assignments=assignments, condition=given, rows=read())
        done = run_or_explain(session, command, dry_run=dry_run, retry=retry)
        return _answer(session, table, done)


def _answer(
    session: SparkSession, table: TableRef, done: Changed | ChangeExplained
) -> StatementResult | ChangeExplained:
    if isinstance(done, ChangeExplained):
        return done
    version = done.version if done.committed else None
    return StatementResult(affected_rows(session, done), table, version)


def dedupe(
    session: SparkSession,
    table: TableRef,
    key: str | Sequence[str] | None,
    order_by: Expression | None,
    *,
    dry_run: bool,
    retry: int,
) -> Deduped | ChangeExplained:
    """Delete all rows but one of each key; see `DeltaTable.dedupe`."""
    names = () if key is None else key_columns(key)
    order = condition_argument(order_by, "orderBy")
    command = Dedupe(table=table, key=names, order=order)
    return run_or_explain(session, command, dry_run=dry_run, retry=retry)


def run_or_explain(
    session: SparkSession, command: RowCommand[Result_co], *, dry_run: bool, retry: int
) -> Result_co | ChangeExplained:
    """Make a change, or return what it would do.

    Args:
        session: the table's session.
        command: the change.
        dry_run: whether it is only explained.
        retry: how many times it is run again after a conflict with another writer's commit.

    Raises:
        ValueError: `retry` is negative.
    """
    with shown():
        if dry_run:
            return explain_change(command.table, command.plan(context_of(session)))
        return run_with_retry(lambda: command.run(context_of(session)), retry)
