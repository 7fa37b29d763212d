"""The methods of `DeltaTable` that take rows out of it, or give them other values."""

from __future__ import annotations

from typing import Literal, overload

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.api.explain_change import ChangeExplained, explain_change
from puredelta.api.retry import run_with_retry
from puredelta.commands.dml.assignments import Assignment
from puredelta.commands.dml.delete import Delete
from puredelta.commands.dml.update import Update
from puredelta.commands.expression_arguments import (
    Assignments,
    Expression,
    assignment_arguments,
    condition_argument,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.frontend.affected_rows import affected_rows

__all__ = ["TableRows"]


class TableRows:
    """What can be done to rows of a table."""

    _spark: SparkSession
    _table: TableRef

    def toDF(self) -> DataFrame:
        """Return the table as a DataFrame."""
        raise NotImplementedError

    @overload
    def delete(
        self,
        condition: Expression | None = None,
        *,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> DataFrame: ...

    @overload
    def delete(
        self, condition: Expression | None = None, *, dryRun: Literal[True], retry: int = 0
    ) -> ChangeExplained: ...

    @overload
    def delete(
        self, condition: Expression | None = None, *, dryRun: bool, retry: int = 0
    ) -> DataFrame | ChangeExplained: ...

    def delete(
        self, condition: Expression | None = None, *, dryRun: bool = False, retry: int = 0
    ) -> DataFrame | ChangeExplained:
        """Delete the rows for which a condition is true.

        Args:
            condition: SQL or a Column; None for all rows. Subqueries are allowed.
            dryRun: delete nothing, and tell which files would be read and written, and how many
                rows would go.
            retry: how often it is run again when another writer's commit is in the way.

        Returns:
            `num_affected_rows`, in one row, as the statement answers; for a dry run, what would
            be done.

        Raises:
            ValueError: `retry` is negative.
            TypeError: a condition that is neither.
            ParseException: Spark's, for a text that is no SQL expression.
            AnalysisException: Spark's, for a condition that it cannot resolve.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit that this cannot follow.

        Examples:
            >>> table.delete("day < '2024-01-01'")  # doctest: +SKIP
        """
        given = condition_argument(condition)
        with shown():
            command = Delete(table=self._table, condition=given, rows=self.toDF())
            return self._change_rows(command, dry_run=dryRun, retry=retry)

    @overload
    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> DataFrame: ...

    @overload
    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        dryRun: Literal[True],
        retry: int = 0,
    ) -> ChangeExplained: ...

    @overload
    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        dryRun: bool,
        retry: int = 0,
    ) -> DataFrame | ChangeExplained: ...

    def update(
        self,
        condition: Expression | None = None,
        set: Assignments | None = None,
        *,
        dryRun: bool = False,
        retry: int = 0,
    ) -> DataFrame | ChangeExplained:
        """Give columns other values in the rows for which a condition is true.

        Args:
            condition: SQL or a Column; None for all rows. Subqueries are allowed.
            set: values by the names of the columns, or of fields such as `s.x`: SQL or Columns,
                over the old row.
            dryRun: change nothing, and tell which files would be read and written, and how many
                rows would change.
            retry: how often it is run again when another writer's commit is in the way.

        Returns:
            `num_affected_rows`, in one row, as the statement answers; for a dry run, what would
            be done.

        Raises:
            ValueError: `set` is None, or `retry` is negative.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
            AnalysisException: Spark's, for names that are no columns.
            DeltaAnalysisException: values that columns cannot have.
            DeltaArithmeticException: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE, a value that does not fit.
            DeltaInvariantViolationException: a row that would break a rule of the table.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit that this cannot follow.

        Examples:
            >>> table.update("id = 7", {"name": "upper(name)"})  # doctest: +SKIP
        """
        values = assignment_arguments(set, "'set'")
        given = condition_argument(condition)
        assignments = [Assignment(F.col(name), value) for name, value in values.items()]
        with shown():
            command = Update(
                table=self._table, assignments=assignments, condition=given, rows=self.toDF()
            )
            return self._change_rows(command, dry_run=dryRun, retry=retry)

    def _change_rows(
        self, command: Delete | Update, *, dry_run: bool, retry: int
    ) -> DataFrame | ChangeExplained:
        context = context_of(self._spark)
        if dry_run:
            return explain_change(self._table, command.plan(context))
        return affected_rows(self._spark, run_with_retry(lambda: command.run(context), retry))
