"""The condition of a statement: which rows it concerns, and what it says before any is read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from puredelta.commands.dml.dml_target import DmlTarget, track_reads
from puredelta.engine.catalyst.plan_rebinding import names_metadata, resolved_condition
from puredelta.engine.catalyst.sql_conditions import (
    ResolvedCondition,
    condition_sql,
    fold_constants,
    has_subquery,
    require_row_expression,
    without_subqueries,
)
from puredelta.engine.dml.candidate_files import Choice, choose_files
from puredelta.engine.session.spark_objects import column_of
from puredelta.engine.session.table_reads import subqueries_read
from puredelta.log.actions import AddFile
from puredelta.log.files import files_in, files_table
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True)
class RowCondition:
    """A condition on the rows of a table.

    Attributes:
        subject: the table.
        column: the condition, over rows that `subject.named` gives.
        resolved: the same, as Spark resolved it.
    """

    subject: DmlTarget
    column: Column = field(repr=False)
    resolved: ResolvedCondition

    @property
    def is_of_partitions(self) -> bool:
        """Say whether partition values alone decide, so that no row needs to be read."""
        known = self.resolved
        return (
            # A view may give a partition column another name, or give its name to another column.
            self.subject.has_table_names
            and known.columns <= set(self.subject.before.partition_columns)
            and not known.needs_job
            and not has_subquery(known.expression)
        )

    def candidates(self) -> tuple[pa.Table, Choice | None]:
        """Return the files that can hold rows for which the condition is true, and why they are."""
        return self._those_of(self.subject.before.files, self.subject.all_named)

    def may_hold(self, files: Sequence[AddFile]) -> list[AddFile]:
        """Return those of some files, which others may have written, that can hold such rows."""
        listed = files_table(files)
        found, _ = self._those_of(listed, self.subject.named(listed))
        return files_in(found, files)

    def _those_of(self, files: pa.Table, rows: DataFrame) -> tuple[pa.Table, Choice | None]:
        """Return those of some files that can hold such rows, and why they are.

        Args:
            files: the files.
            rows: a scan of them.
        """
        # Choosing files plans a query, and a subquery would have to run for it.
        plain = without_subqueries(self.resolved.expression)
        if plain is None:
            return files, None
        # A scan has hidden columns of its own, which only the condition as it was given finds.
        known = self.column if names_metadata(plain) else column_of(plain)
        root = self.subject.target.table.root
        return choose_files(rows.where(known), root, self.subject.before, files)

    def track(self, transaction: Transaction, candidates: pa.Table) -> None:
        """Depend on the files looked at, and on others that may come to their partitions."""
        target, known = self.subject.target, self.resolved
        # A subquery over the table itself: any commit may change its result.
        if subqueries_read(self.subject.all_named.where(self.column), target.table.root):
            transaction.read_whole_table()
        transaction.read_rows_alone(self.may_hold)
        plain = without_subqueries(known.expression) if self.subject.has_table_names else None
        columns = target.before.partition_columns
        about = None if plain is None else ResolvedCondition(known.text, plain).about(columns)
        track_reads(transaction, target, candidates, about, known.text)


def row_condition(subject: DmlTarget, condition: Column) -> RowCondition:
    """Resolve the condition of a statement.

    Raises:
        AnalysisException: Spark's, for a condition that it cannot resolve.
        DeltaAnalysisError: UNSUPPORTED_EXPR_FOR_OPERATOR.
    """
    rows = subject.all_named
    with require_row_expression([condition]):
        expression = resolved_condition(rows, condition)
    given = condition if names_metadata(expression) else column_of(expression)
    text = _in_history(expression, rows)
    return RowCondition(subject, given, ResolvedCondition(text, expression))


def _in_history(expression: Any, rows: DataFrame) -> str:
    """Return a condition as history shows it."""
    text = condition_sql(expression)
    if text is not None:
        return text
    # Some expressions have no SQL; history then shows their constants computed.
    return str(fold_constants(expression, rows._jdf.queryExecution().analyzed()).toString())
