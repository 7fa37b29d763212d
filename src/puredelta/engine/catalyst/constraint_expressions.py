"""Conditions of CHECK constraints, resolved by Spark against the columns of a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.catalyst.expression_json import ExpressionNode, tree_of, type_below
from puredelta.engine.catalyst.predicates import condition_of
from puredelta.engine.catalyst.sql_conditions import check_no_subquery
from puredelta.engine.catalyst.stored_expressions import (
    Stored,
    check_calls,
    check_stored,
    foreign_function,
    stored_column,
)
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.table.skipping.predicate import Condition, Path

_VARIABLE = '"org.apache.spark.sql.catalyst.expressions.VariableReference"'


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckExpression:
    """The condition of a constraint.

    Attributes:
        name: of the constraint.
        text: the condition, in SQL.
        expression: Spark's resolved expression.
    """

    name: str
    text: str
    expression: Any

    @property
    def columns(self) -> tuple[Path, ...]:
        """The columns that it names, structs taken apart as far as it does, sorted."""
        return tuple(sorted(set(_named(tree_of(self.expression.toJSON())))))

    @property
    def condition(self) -> Condition:
        """What statistics can be asked about it."""
        return condition_of(self.expression)


def checked_expression(
    session: SparkSession, schema: StructType, name: str, text: str
) -> CheckExpression:
    """Resolve the condition of a constraint.

    Args:
        session: whose functions and settings count.
        schema: the columns of the table, all of which the condition may name.
        name: of the constraint, for messages.
        text: the condition, in SQL.

    Raises:
        DeltaAnalysisError: DELTA_NON_BOOLEAN_CHECK_CONSTRAINT, DELTA_UNSUPPORTED_SUBQUERY,
            DELTA_AGGREGATE_IN_CHECK_CONSTRAINT, DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT,
            DELTA_UDF_IN_CHECK_CONSTRAINT,
            DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT,
            PUREDELTA_STORED_EXPRESSION_REFUSED.
        ParseException: Spark's PARSE_SYNTAX_ERROR.
        AnalysisException: Spark's, for unknown columns and functions and for types that do not go
            together.
    """
    stored = Stored.constraint(name, text)
    # Spark evaluates some arguments while it resolves a call, and others are classes that it loads:
    # calls that could do harm are refused before.
    check_calls(session, stored)
    # An error of Spark's reaches the user as it is, and need not be on standard error as well.
    with unlogged():
        frame = frame_of_rows(session, [], schema).select(stored_column(text).alias(name))
    if (function := foreign_function(session, text)) is not None:
        raise DeltaAnalysisError("DELTA_UDF_IN_CHECK_CONSTRAINT", expr=text, function=function)
    expression = _alone(frame._jdf.queryExecution().analyzed(), text)
    if str(expression.dataType().typeName()) != "boolean":
        raise DeltaAnalysisError("DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", name=name, expr=text)
    check_no_subquery(expression, text, f"the CHECK constraint {name}")
    if _VARIABLE in expression.toJSON():  # Spark 4.0 has no pattern for it
        # Another session would not know it, or know another value.
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT", expression=text)
    if not expression.deterministic():
        raise DeltaAnalysisError(
            "DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT", expr=text
        )
    # The remaining checks come last, so that a condition gets the error that delta-spark has for
    # it, if there is one.
    check_stored(session, stored)
    return CheckExpression(name=name, text=text, expression=expression)


def _alone(plan: Any, text: str) -> Any:
    """Return the expression of a plan that looks at one row at a time, and gives one.

    Raises:
        DeltaAnalysisError: DELTA_AGGREGATE_IN_CHECK_CONSTRAINT,
            DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT.
    """
    if kind_of(plan) == "Aggregate":
        raise DeltaAnalysisError("DELTA_AGGREGATE_IN_CHECK_CONSTRAINT", sqlExpr=text)
    # Whatever else Spark puts below the projection, a window or a generator, needs other rows or
    # makes several.
    if kind_of(plan.child()) not in ("LocalRelation", "LogicalRDD"):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT", expression=text)
    named = plan.projectList().head()
    return named.child() if kind_of(named) == "Alias" else named


def _named(node: ExpressionNode) -> Iterator[Path]:
    path = _path(node)
    if path is not None:
        yield path
        return
    for child in node.children:
        yield from _named(child)


def _path(node: ExpressionNode) -> Path | None:
    """Return the path of a column, or of a field that structs alone lead to."""
    ordinals = []
    while node.name == "GetStructField":
        ordinals.append(node.fields["ordinal"])
        node = node.children[0]
    if node.name != "AttributeReference":
        return None
    names, inside = [str(node.fields["name"])], node.data_type
    for ordinal in reversed(ordinals):
        name, inside = type_below(inside, ordinal)
        names.append(name)
    return tuple(names)
