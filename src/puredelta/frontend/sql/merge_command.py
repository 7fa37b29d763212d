"""MERGE INTO as Spark parses it: its clauses become values, its expressions stay unresolved."""

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from puredelta.commands.merge.merge import MERGE_RESULT, Merge
from puredelta.commands.merge.request import (
    ClauseAssignment,
    DeleteClause,
    InsertClause,
    MergeClauses,
    UpdateClause,
)
from puredelta.commands.table_ref import TableRef, partial_view
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.catalyst.plan_rebinding import (
    is_view_of_catalog,
    is_view_of_rows,
    keeps_names,
    scan_of_target,
)
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import column_of, frame_of_plan
from puredelta.errors.classes import DeltaAnalysisError

_UPDATES = {"UpdateAction", "UpdateStarAction"}


def takes_merge(_table: TableRef, plan: Any) -> bool:
    """Say whether a statement can be run: its source has to be resolved."""
    return bool(plan.sourceTable().resolved())


def merge_columns(_table: TableRef, _plan: Any) -> StructType:
    """Return the columns of the result."""
    return MERGE_RESULT


def run_merge(context: Context, table: TableRef, plan: Any) -> list[dict[str, Any]]:
    """Run a statement; return the row that it answers with.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTIAL_SCAN for a view that leaves rows or columns
            out, or calls them otherwise; DELTA_UNSUPPORTED_SOURCE for one of the catalog.
    """
    merge = Merge(
        table=table,
        source=frame_of_plan(context.session, plan.sourceTable()),
        condition=column_of(plan.mergeCondition()),
        clauses=MergeClauses(
            matched=tuple(_change(action) for action in items_of(plan.matchedActions())),
            not_matched=tuple(_insert(action) for action in items_of(plan.notMatchedActions())),
            by_source=tuple(
                _change(action) for action in items_of(plan.notMatchedBySourceActions())
            ),
        ),
        evolves=bool(plan.withSchemaEvolution()),
        alias=_name_of(plan.targetTable()),
        rows=_rows_of(context, table, plan),
    )
    done = merge.run(context)
    return [] if done.skipped else [done.row]


def _rows_of(context: Context, table: TableRef, plan: Any) -> DataFrame | None:
    """Return the target as the statement names it; None where that is by the table's own columns.

    Views have columns of their own. Subqueries know those that Spark has resolved.
    """
    target = plan.targetTable()
    is_table = kind_of(target.collectLeaves().head()) == "DataSourceV2Relation"
    if is_table and plan.subqueries().isEmpty():
        return None
    rows = scan_of_target(context.session, target)
    if is_table:
        return rows
    analyzed = rows._jdf.queryExecution().analyzed()
    if is_view_of_catalog(analyzed):
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_SOURCE", operation="MERGE", plan="a view of the catalog"
        )
    is_whole = rows.columns == table.log().latest().schema.names and keeps_names(rows)
    if not is_whole or not is_view_of_rows(analyzed):
        raise partial_view(table)
    return rows


def _change(action: Any) -> UpdateClause | DeleteClause:
    condition = _condition(action)
    if kind_of(action) not in _UPDATES:
        return DeleteClause(condition=condition)
    return UpdateClause(assignments=_assignments(action), condition=condition)


def _insert(action: Any) -> InsertClause:
    return InsertClause(assignments=_assignments(action), condition=_condition(action))


def _condition(action: Any) -> Any:
    given = action.condition()
    return column_of(given.get()) if given.isDefined() else None


def _assignments(action: Any) -> tuple[ClauseAssignment, ...] | None:
    """Return what a clause assigns; None for `*`."""
    if "Star" in kind_of(action):
        return None
    return tuple(
        ClauseAssignment(_names_in(assignment.key()), column_of(assignment.value()))
        for assignment in items_of(action.assignments())
    )


def _names_in(key: Any) -> tuple[str, ...]:
    """Return the path of a column that is assigned to; of views Spark has resolved it."""
    match kind_of(key):
        case "GetStructField":
            return (*_names_in(key.child()), str(key.extractFieldName()))
        case "AttributeReference":
            return (str(key.name()),)
    return tuple(str(part) for part in items_of(key.nameParts()))


def _name_of(target: Any) -> tuple[str, ...]:
    """Return what the statement calls its target, in parts."""
    if kind_of(target) != "SubqueryAlias":
        return ()
    identifier = target.identifier()
    return (*(str(part) for part in items_of(identifier.qualifier())), str(identifier.name()))
