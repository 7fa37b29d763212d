"""What an UPDATE assigns: columns and values, resolved once against the table it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql.types import StructType

from puredelta.commands.dml.column_values import (
    AssignableColumns,
    Assigned,
    Path,
    is_default,
    overlapping,
    spelled_path,
)
from puredelta.commands.dml.scopes import Expression, Scope, expressions_in
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.catalyst.sql_conditions import check_deterministic, require_row_expression
from puredelta.engine.session.spark_objects import expression_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.column_path import quote_name
from puredelta.table.expressions.identity_columns import identity_of
from puredelta.table.protocol.feature_activation import GENERATION_KEY


@dataclass(frozen=True, slots=True)
class ColumnAssignment:
    """A value for a column, or for a field of a struct.

    Attributes:
        column: which, as the statement names it.
        value: the value; a column named DEFAULT stands for the column's default.
    """

    column: Column
    value: Column


def resolve_assignments(
    rows: DataFrame, assignments: Sequence[ColumnAssignment], columns: AssignableColumns
) -> dict[str, Column]:
    """Return the new values of the columns that are assigned to, over the old rows.

    Args:
        rows: the table as the statement names it.
        assignments: what is assigned.
        columns: the table's columns, and how values are put into them.

    Raises:
        AnalysisException: Spark's, for names that are no columns.
        DeltaAnalysisError: DELTA_CONFLICT_SET_COLUMN, DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE,
            DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED, UNSUPPORTED_EXPR_FOR_OPERATOR,
            INVALID_NON_DETERMINISTIC_EXPRESSIONS, and what values are refused for.
    """
    defaults = [is_default(assignment.value) for assignment in assignments]
    given = [
        assignment.value
        for assignment, is_word in zip(assignments, defaults, strict=True)
        if not is_word
    ]
    # Columns and values are resolved in one SELECT: each analysis costs a call into the JVM.
    found = _resolved(rows, [*(target.column for target in assignments), *given])
    named = [_path(key.catalyst) for key in found[: len(assignments)]]
    paths = [spelled_path(path, columns.schema) or path for path in named]
    # Two assignments to one column, or to a struct and a field in it, have no order in SQL.
    if conflicts := overlapping(paths):
        text = ", ".join(".".join(map(quote_name, path)) for path in conflicts)
        raise DeltaAnalysisError("DELTA_CONFLICT_SET_COLUMN", columnList=text)
    # A row that changes gets no new number, so no value, not even DEFAULT, can be assigned.
    for name in {path[0] for path in paths}:
        if identity_of(name, columns.schema[name].metadata) is not None:
            raise DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED", colName=name)
    values = iter(found[len(assignments) :])
    assigned = [
        Assigned(path, None if is_word else next(values))
        for path, is_word in zip(paths, defaults, strict=True)
    ]
    assigned = [item for item in assigned if not _is_computed(item, columns.schema)]
    return columns.updated(assigned, old_values(rows, columns.schema), keeps_fields=False)


def old_values(rows: DataFrame, schema: StructType) -> Mapping[str, Column]:
    """Return the columns of the table as the statement's rows have them."""
    scope = Scope(rows)
    return {name: scope.attribute(name).column for name in schema.names}


def _is_computed(assignment: Assigned, schema: StructType) -> bool:
    """Say whether DEFAULT stands for what the table computes: as if nothing was assigned."""
    return assignment.is_default and GENERATION_KEY in schema[assignment.path[0]].metadata


def _resolved(rows: DataFrame, columns: Sequence[Column]) -> list[Expression]:
    """Resolve expressions that say something of one row."""
    named = [column.alias(f"c{place}") for place, column in enumerate(columns)]
    with require_row_expression(columns):
        plan = rows.select(*named)._jdf.queryExecution().analyzed()
    base = rows._jdf.queryExecution().analyzed()
    # Aggregates, windows and generators make other plans, or put one between.
    if [kind_of(plan), kind_of(plan.children().head())] != ["Project", kind_of(base)]:
        raise DeltaAnalysisError(
            "UNSUPPORTED_EXPR_FOR_OPERATOR",
            invalidExprSqls=[str(expression_of(value).sql()) for value in columns],
        )
    found = expressions_in(plan.projectList(), "child")
    for expression in found:
        check_deterministic(expression.catalyst, expression.sql)
    return found


def _path(key: Any) -> Path:
    """Return the path of a column or field that Spark resolved."""
    match kind_of(key):
        case "AttributeReference":
            return (str(key.name()),)
        case "GetStructField":
            return (*_path(key.child()), str(key.childSchema().apply(key.ordinal()).name()))
        case _:
            raise DeltaAnalysisError(
                "DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE", columnName=str(key.sql())
            )
