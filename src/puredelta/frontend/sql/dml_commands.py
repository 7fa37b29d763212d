"""DELETE and UPDATE in SQL: statements that Spark parsed, and what they answer."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from puredelta.commands.dml.assignments import ColumnAssignment
from puredelta.commands.dml.delete import Delete
from puredelta.commands.dml.update import Update
from puredelta.commands.table_ref import TableRef, partial_view
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.catalyst.plan_rebinding import (
    is_view_of_catalog,
    is_view_of_rows,
    scan_of_target,
)
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import column_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.affected_rows import AFFECTED_ROWS, answer_of


def affected(_table: TableRef, _plan: Any) -> StructType:
    """Return the columns of the answer."""
    return AFFECTED_ROWS


def is_ready(_table: TableRef, plan: Any) -> bool:
    """Say whether Spark knows the target; conditions are resolved by us, against each scan."""
    return bool(plan.childrenResolved())


def delete(context: Context, table: TableRef, plan: Any) -> list[dict[str, Any]]:
    """Run DELETE FROM."""
    given = plan.condition()
    # So Spark says that there is no condition.
    is_all = kind_of(given) == "Literal" and given.sql() == "true"
    statement = Delete(
        table=table,
        condition=None if is_all else column_of(given),
        rows=_target(context, table, plan),
    )
    return answer_of(statement.run(context))


def update(context: Context, table: TableRef, plan: Any) -> list[dict[str, Any]]:
    """Run UPDATE."""
    given = plan.condition()
    statement = Update(
        table=table,
        assignments=[
            ColumnAssignment(column_of(assignment.key()), column_of(assignment.value()))
            for assignment in items_of(plan.assignments())
        ],
        condition=column_of(given.get()) if given.isDefined() else None,
        rows=_target(context, table, plan),
    )
    return answer_of(statement.run(context))


def _target(context: Context, table: TableRef, plan: Any) -> DataFrame:
    """Return the table as the statement names it.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTIAL_SCAN for a view that leaves rows out,
            DELTA_UNSUPPORTED_SOURCE for one of the catalog, which may be someone else's.
    """
    rows = scan_of_target(context.session, plan.table())
    analyzed = rows._jdf.queryExecution().analyzed()
    if is_view_of_catalog(analyzed):
        operation = "UPDATE" if kind_of(plan) == "UpdateTable" else "DELETE"
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_SOURCE", operation=operation, plan="a view of the catalog"
        )
    if not is_view_of_rows(analyzed):
        raise partial_view(table)
    return rows
