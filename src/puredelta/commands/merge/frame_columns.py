"""Columns of `DeltaTable.toDF()` in a MERGE: they stand for those of the version that it reads."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from puredelta.commands.dml.scopes import Scope
from puredelta.commands.merge.request import (
    ClauseAssignment,
    DeleteClause,
    InsertClause,
    MergeClauses,
    MergeRequest,
    UpdateClause,
)
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.session.spark_objects import column_of


@dataclass(frozen=True, slots=True)
class Known:
    """Columns of the target.

    Attributes:
        session: the session.
        by_id: the columns, by the ids that those of the frame have.
    """

    session: SparkSession
    by_id: Mapping[int, Any]


def with_columns_of(request: MergeRequest, frame: DataFrame, target: DataFrame) -> MergeRequest:
    """Return a request in which columns of a frame of the target are those of the target itself.

    Columns that the source has from the same frame remain the source's.

    Args:
        request: what was asked for.
        frame: the target as `DeltaTable.toDF()` gave it.
        target: the target as it is read.
    """
    # The ids of the frame are those of another scan. A source made from the frame shares them, and
    # then they mean the source.
    scope, taken = Scope(target), Scope(request.source).column_ids
    output = items_of(frame._jdf.queryExecution().analyzed().output())
    ids = {str(attribute.name()): int(attribute.exprId().id()) for attribute in output}
    by_id = {
        number: scope.attribute(name).catalyst
        for name, number in ids.items()
        if number not in taken and name in target.columns
    }
    known = Known(target.sparkSession, by_id)
    clauses = request.clauses
    return replace(
        request,
        condition=_column(request.condition, known),
        clauses=MergeClauses(
            matched=tuple(_change(clause, known) for clause in clauses.matched),
            not_matched=tuple(
                replace(clause, **_parts(clause, known)) for clause in clauses.not_matched
            ),
            by_source=tuple(_change(clause, known) for clause in clauses.by_source),
        ),
    )


def _change(clause: UpdateClause | DeleteClause, known: Known) -> UpdateClause | DeleteClause:
    if isinstance(clause, UpdateClause):
        return replace(clause, **_parts(clause, known))
    return replace(clause, condition=_asked(clause.condition, known))


def _parts(clause: UpdateClause | InsertClause, known: Known) -> dict[str, Any]:
    given = clause.assignments
    assignments = given and tuple(
        ClauseAssignment(assignment.path, _column(assignment.value, known)) for assignment in given
    )
    return {"condition": _asked(clause.condition, known), "assignments": assignments}


def _asked(condition: Column | None, known: Known) -> Column | None:
    return None if condition is None else _column(condition, known)


def _column(column: Column, known: Known) -> Column:
    # Not only wrapped, as elsewhere: columns lie inside.
    given = known.session._jsparkSession.expression(column._jc)
    found = _put(given, known.by_id)
    return column if found is given else column_of(found)


def _put(expression: Any, known: Mapping[int, Any]) -> Any:
    """Return an expression with other columns in it; the same object where nothing changes."""
    if kind_of(expression) == "AttributeReference":
        return known.get(int(expression.exprId().id()), expression)
    children = items_of(expression.children())
    new = [_put(child, known) for child in children]
    # An unchanged tree is not built again, which would take a call into the JVM for each node.
    if all(old is other for old, other in zip(children, new, strict=True)):
        return expression
    return expression.withNewChildren(sequence(new))
