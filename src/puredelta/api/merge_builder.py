"""The MERGE that `DeltaTable.merge` starts, clause by clause; signatures as in delta-spark."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from puredelta.api.dry_run_types import dry_run_returns
from puredelta.api.explain_change import ChangeExplained, explain_change
from puredelta.api.retry import run_with_retry
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.api.statement_result import StatementResult
from puredelta.commands.expression_arguments import (
    Assignments,
    Expression,
    assignment_arguments,
    condition_argument,
)
from puredelta.commands.merge.dry_run import merge_plan
from puredelta.commands.merge.merge import Merge, merge_result
from puredelta.commands.merge.request import (
    ClauseAssignment,
    DeleteClause,
    InsertClause,
    MergeClauses,
    UpdateClause,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.schema.column_path import parse_path

__all__ = ["DeltaMergeBuilder"]


class DeltaMergeBuilder:
    """A MERGE, clause by clause; each method returns another builder and leaves this one as it is.

    Of each kind of clause the first one whose condition is true for a row acts on it, so their
    order counts, and only the last one of a kind may have no condition.

    Examples:
        >>> (  # doctest: +SKIP
        ...     people.alias("p")
        ...     .merge(news.alias("n"), "p.id = n.id")
        ...     .whenMatchedUpdate(set={"name": "n.name"})
        ...     .whenNotMatchedInsertAll()
        ...     .execute()
        ... )
    """

    def __init__(self, spark: SparkSession, merge: Merge) -> None:
        """Use `DeltaTable.merge`."""
        self._spark = spark
        self._merge = merge

    def whenMatchedUpdate(
        self, condition: Expression | None = None, set: Assignments | None = None
    ) -> DeltaMergeBuilder:
        """Update rows of the table that have a match.

        Args:
            condition: for which of them, over both sides; by default for all.
            set: new values, SQL or Columns over both sides, by the paths of the table's columns.

        Raises:
            ValueError: there is no `set`.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._matched(_update(condition, set, "'set' in whenMatchedUpdate"))

    def whenMatchedUpdateAll(self, condition: Expression | None = None) -> DeltaMergeBuilder:
        """Update rows of the table that have a match, each column from that of its name.

        Args:
            condition: for which of them, over both sides; by default for all.

        Raises:
            TypeError: the condition is neither SQL nor a Column.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._matched(UpdateClause(condition=condition_argument(condition)))

    def whenMatchedDelete(self, condition: Expression | None = None) -> DeltaMergeBuilder:
        """Delete rows of the table that have a match.

        Args:
            condition: which of them, over both sides; by default all.

        Raises:
            TypeError: the condition is neither SQL nor a Column.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._matched(DeleteClause(condition=condition_argument(condition)))

    def whenNotMatchedInsert(
        self, condition: Expression | None = None, values: Assignments | None = None
    ) -> DeltaMergeBuilder:
        """Insert the rows of the source that have no match.

        Args:
            condition: which of them, over the source; by default all.
            values: SQL or Columns over the source, by the names of the table's columns; the
                others get their default, else null.

        Raises:
            ValueError: there are no `values`.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        assignments = _assigned(values, "'values' in whenNotMatchedInsert")
        return self._inserting(
            InsertClause(assignments=assignments, condition=condition_argument(condition))
        )

    def whenNotMatchedInsertAll(self, condition: Expression | None = None) -> DeltaMergeBuilder:
        """Insert the rows of the source that have no match, each column into that of its name.

        Args:
            condition: which of them, over the source; by default all.

        Raises:
            TypeError: the condition is neither SQL nor a Column.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._inserting(InsertClause(condition=condition_argument(condition)))

    def whenNotMatchedBySourceUpdate(
        self, condition: Expression | None = None, set: Assignments | None = None
    ) -> DeltaMergeBuilder:
        """Update rows of the table that have no match.

        Args:
            condition: for which of them, over the table; by default for all.
            set: new values, SQL or Columns over the table, by the paths of its columns.

        Raises:
            ValueError: there is no `set`.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._by_source(_update(condition, set, "'set' in whenNotMatchedBySourceUpdate"))

    def whenNotMatchedBySourceDelete(
        self, condition: Expression | None = None
    ) -> DeltaMergeBuilder:
        """Delete rows of the table that have no match.

        Args:
            condition: which of them, over the table; by default all.

        Raises:
            TypeError: the condition is neither SQL nor a Column.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        return self._by_source(DeleteClause(condition=condition_argument(condition)))

    def withSchemaEvolution(self) -> DeltaMergeBuilder:
        """Let the table grow by the columns of the source that it lacks and clauses assign."""
        return self._but(replace(self._merge, evolves=True))

    def explain(self) -> ChangeExplained:
        """Return what `execute` would do now: the source is read and matched, nothing is written.

        `print` it, or let a notebook show it.

        Returns:
            Which files would be read and what excludes the others, how many rows would change,
            and how much would be rewritten.

        Raises:
            DeltaAnalysisException: as `execute`.
            DeltaUnsupportedOperationException: as `execute`.
        """
        with shown():
            plan = merge_plan(self._merge, context_of(self._spark))
            return explain_change(self._merge.table, plan)

    @dry_run_returns(ChangeExplained)
    def execute(self, *, dryRun: bool = False, retry: int = 0) -> StatementResult | ChangeExplained:
        """Merge, and commit.

        Args:
            dryRun: write nothing, and return what `explain` does.
            retry: how many times the whole merge is run again after a conflict with another
                writer's commit.

        Returns:
            A row of `num_affected_rows`, `num_updated_rows`, `num_deleted_rows` and
            `num_inserted_rows`; its attribute `commit` says what was committed.

        Raises:
            ValueError: `retry` is negative.
            DeltaAnalysisException: DELTA_MERGE_MISSING_WHEN without a clause, and what is wrong
                with clauses, columns and types.
            DeltaUnsupportedOperationException: several rows of the source match one of the table,
                DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE.
            DeltaArithmeticException: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE, a value that does not fit.
            DeltaInvariantViolationException: a row that a rule of the table refuses.
            DeltaIllegalStateException: DELTA_NUM_RECORDS_MISMATCH, rows would be lost or
                duplicated.
            DeltaConcurrentModificationException: another writer's commit conflicts.
        """
        if dryRun:
            return self.explain()
        with shown():
            done = run_with_retry(lambda: self._merge.run(context_of(self._spark)), retry)
        version = done.version if done.changed else None
        return StatementResult(merge_result(self._spark, done), self._merge.table, version)

    def _matched(self, clause: UpdateClause | DeleteClause | None) -> DeltaMergeBuilder:
        if clause is None:
            return self._with(self._clauses)
        return self._with(replace(self._clauses, matched=(*self._clauses.matched, clause)))

    def _inserting(self, clause: InsertClause) -> DeltaMergeBuilder:
        clauses = (*self._clauses.not_matched, clause)
        return self._with(replace(self._clauses, not_matched=clauses))

    def _by_source(self, clause: UpdateClause | DeleteClause | None) -> DeltaMergeBuilder:
        if clause is None:
            return self._with(self._clauses)
        return self._with(replace(self._clauses, by_source=(*self._clauses.by_source, clause)))

    @property
    def _clauses(self) -> MergeClauses:
        return self._merge.clauses

    def _with(self, clauses: MergeClauses) -> DeltaMergeBuilder:
        return self._but(replace(self._merge, clauses=clauses))

    def _but(self, merge: Merge) -> DeltaMergeBuilder:
        return DeltaMergeBuilder(self._spark, merge)

    def __repr__(self) -> str:
        clauses = ", ".join(clause.action for clause in self._clauses)
        return f"DeltaMergeBuilder({self._merge.table.label}: {clauses or 'no clause'})"


def start_merge(
    session: SparkSession,
    table: TableRef,
    source: Rows,
    condition: Expression,
    *,
    alias: str | None,
    frame: DataFrame | None,
) -> DeltaMergeBuilder:
    """Start a MERGE of rows into a table; see `DeltaTable.merge`.

    Args:
        session: where it runs.
        table: the target.
        source: the rows.
        condition: which row of the source belongs to which row of the table.
        alias: the name of the table in clauses; by default its name in the catalog.
        frame: the table's DataFrame, whose columns may stand in conditions.
    """
    if source is None:
        raise ValueError("'source' in merge cannot be None: give a DataFrame")
    rows = rows_from_argument(session, source, "Type of 'source' in merge")
    on = condition_argument(condition)
    if on is None:
        raise ValueError("'condition' in merge cannot be None: give SQL or a Column")
    called = (alias,) if alias is not None else _catalog_name(session, table)
    merge = Merge(
        table=table, source=rows, condition=on, clauses=MergeClauses(), alias=called, frame=frame
    )
    return DeltaMergeBuilder(session, merge)


def _catalog_name(session: SparkSession, table: TableRef) -> tuple[str, ...]:
    return () if table.name is None else tuple(parse_name(session, table.name))


def _update(
    condition: Expression | None, given: Assignments | None, name: str
) -> UpdateClause | None:
    """Return an update; None for one that sets nothing and is for all rows: it is no clause."""
    assignments = _assigned(given, name)
    # With a condition it is a clause: the rows that it selects reach no later clause.
    if not assignments and condition is None:
        return None
    return UpdateClause(assignments=assignments, condition=condition_argument(condition))


def _assigned(given: Assignments | None, name: str) -> tuple[ClauseAssignment, ...]:
    with shown():
        return tuple(
            ClauseAssignment(parse_path(path), value)
            for path, value in assignment_arguments(given, name).items()
        )
