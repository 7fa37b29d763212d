"""Conditions on a table's rows in SQL, resolved by Spark against its columns."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.classes import kind_of, new, scala_object
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.handles import each_of, items_of, sequence
from puredelta.engine.session.spark_objects import expression_of, unqualified_sql
from puredelta.errors.classes import DeltaAnalysisError

_AND = "org.apache.spark.sql.catalyst.expressions.And"
_PATTERNS = "org.apache.spark.sql.catalyst.trees.TreePattern"
_SUBQUERY = "org.apache.spark.sql.catalyst.expressions.SubqueryExpression"
_FILTER = "org.apache.spark.sql.catalyst.plans.logical.Filter"
_DATASOURCES = "org.apache.spark.sql.execution.datasources.DataSourceStrategy"
_ONE_TIME = "org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime"

# Spark's errors for aggregates and windows where only one row is available.
_OF_MANY_ROWS = frozenset(
    {"INVALID_WHERE_CONDITION", "MISSING_GROUP_BY", "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE"}
)


@dataclass(frozen=True, slots=True)
class ResolvedCondition:
    """A condition over the columns of a frame.

    Attributes:
        text: the condition, as it was given.
        expression: Spark's resolved expression.
    """

    text: str
    expression: Any

    @property
    def columns(self) -> frozenset[str]:
        """The names of the columns that it is about."""
        return _columns(self.expression)

    @property
    def needs_job(self) -> bool:
        """Whether only a job can decide it.

        Planning passes over functions in Python, and over parts that name no column and are no
        constant: functions of users, or errors that are to be raised.
        """
        patterns = scala_object(_PATTERNS)
        return bool(self.expression.containsPattern(patterns.PYTHON_UDF())) or any(
            not _columns(part) and not part.foldable() for part in _conjuncts(self.expression)
        )

    def about(self, names: Iterable[str]) -> str | None:
        """Return the conjuncts over some columns only, in SQL; None without any."""
        given = frozenset(names)
        parts = [part for part in _conjuncts(self.expression) if _columns(part) <= given]
        return " AND ".join(f"({unqualified_sql(part)})" for part in parts) or None


def resolve_condition(frame: DataFrame, text: str, operation: str) -> ResolvedCondition:
    """Resolve a condition against the columns of a frame.

    Args:
        frame: whose columns the condition may name.
        text: the condition, in SQL.
        operation: what it is for, for errors.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_RECOGNIZE_PREDICATE, DELTA_UNSUPPORTED_SUBQUERY,
            INVALID_NON_DETERMINISTIC_EXPRESSIONS.
    """
    check_syntax(frame.sparkSession, text)
    filtered = frame.where(F.expr(text))._jdf.queryExecution().analyzed()
    expression = in_names_of(filtered.condition(), filtered.child())
    check_plain(expression, text, operation)
    return ResolvedCondition(text, expression)


def condition_column(text: str) -> Column:
    """Return a condition in SQL as a column, unresolved; nothing can be slipped in behind it."""
    # The line's end closes a comment; between parentheses neither a star nor an alias may stand.
    return F.expr(f"({text}\n)")


def check_syntax(session: SparkSession, text: str) -> None:
    """Check that a text is an expression of SQL.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_RECOGNIZE_PREDICATE.
    """
    parsed_condition(session, text)


def parsed_condition(session: SparkSession, text: str) -> Any:
    """Return Spark's expression for a condition in SQL, unresolved.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_RECOGNIZE_PREDICATE.
    """
    try:
        with settled():
            return session._jsparkSession.sessionState().sqlParser().parseExpression(text)
    except ParseException as error:
        raise DeltaAnalysisError("DELTA_FAILED_RECOGNIZE_PREDICATE", predicate=text) from error


def check_plain(expression: Any, text: str, operation: str) -> None:
    """Check that a resolved condition depends on one row only, and is deterministic.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_SUBQUERY, INVALID_NON_DETERMINISTIC_EXPRESSIONS.
    """
    check_no_subquery(expression, text, operation)
    check_deterministic(expression, text)


def check_no_subquery(expression: Any, text: str, operation: str) -> None:
    """Check that a resolved condition looks at no other rows.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_SUBQUERY.
    """
    if has_subquery(expression):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_SUBQUERY", operation=operation, cond=text)


def has_subquery(expression: Any) -> bool:
    """Say whether a resolved condition looks at other rows."""
    return bool(scala_object(_SUBQUERY).hasSubquery(expression))


def condition_sql(expression: Any) -> str | None:
    """Return the text of a condition that has a subquery, which Spark itself would not write.

    Returns:
        None for a condition without one, and for one that was not written as text.
    """
    origin = expression.origin()
    if not has_subquery(expression) or not origin.sqlText().isDefined():
        return None
    text = str(origin.sqlText().get())
    # The position that Spark records for `a IN (...)` begins at IN.
    spans = list(_spans(expression, text))
    return text[min(first for first, _ in spans) : max(last for _, last in spans) + 1]


def without_subqueries(expression: Any) -> Any:
    """Return the conjuncts of a resolved condition that a row alone decides; None without any.

    Where they are not true, the condition is not true either.
    """
    parts = [part for part in _conjuncts(expression) if not has_subquery(part)]
    return reduce(lambda left, right: new(_AND, left, right), parts) if parts else None


def check_deterministic(expression: Any, text: str) -> None:
    """Check that a resolved condition gives the same result each time it is evaluated.

    Raises:
        DeltaAnalysisError: INVALID_NON_DETERMINISTIC_EXPRESSIONS.
    """
    if not expression.deterministic():
        raise DeltaAnalysisError("INVALID_NON_DETERMINISTIC_EXPRESSIONS", sqlExprs=text)


@contextmanager
def require_row_expression(columns: Iterable[Column]) -> Iterator[None]:
    """Refuse expressions that look at many rows by an error of ours, where one row must do.

    Args:
        columns: the expressions that are resolved inside.

    Raises:
        DeltaAnalysisError: UNSUPPORTED_EXPR_FOR_OPERATOR.
    """
    try:
        with settled():
            yield
    except AnalysisException as error:
        if error.getCondition() not in _OF_MANY_ROWS:
            raise
        texts = [str(expression_of(column).sql()) for column in columns]
        raise DeltaAnalysisError("UNSUPPORTED_EXPR_FOR_OPERATOR", invalidExprSqls=texts) from error


def in_names_of(expression: Any, relation: Any) -> Any:
    """Return a resolved condition whose column names have the upper and lower case of the table's.

    Args:
        expression: the condition.
        relation: the plan that its columns come from.
    """
    strategy = scala_object(_DATASOURCES)
    return strategy.normalizeExprs(sequence([expression]), relation.output()).head()


def with_fixed_time(expression: Any, relation: Any) -> Any:
    """Return a resolved condition in which the current time is fixed to that of this call.

    Args:
        expression: the condition.
        relation: the plan that its columns come from.
    """
    return scala_object(_ONE_TIME).apply(new(_FILTER, expression, relation)).condition()


def fold_constants(expression: Any, relation: Any) -> Any:
    """Return a resolved condition with its constants computed, as history shows it.

    Args:
        expression: the condition.
        relation: the plan that its columns come from.
    """
    plan = new(_FILTER, expression, relation)
    for rule in ("ConstantFolding", "NullPropagation", "UnwrapCastInBinaryComparison"):
        plan = scala_object(f"org.apache.spark.sql.catalyst.optimizer.{rule}").apply(plan)
    return plan.condition()


def _columns(expression: Any) -> frozenset[str]:
    return frozenset(each_of(expression.references(), "name"))


def _spans(expression: Any, text: str) -> Iterator[tuple[int, int]]:
    """Yield where in a text the parts of an expression are written."""
    origin = expression.origin()
    # Parts that come from another text, such as the one of a view, have positions in that.
    if origin.sqlText().isDefined() and origin.sqlText().get() == text:
        yield int(origin.startIndex().get()), int(origin.stopIndex().get())
    for child in items_of(expression.children()):
        yield from _spans(child, text)


def _conjuncts(expression: Any) -> Iterator[Any]:
    if kind_of(expression) == "And":
        yield from _conjuncts(expression.left())
        yield from _conjuncts(expression.right())
    else:
        yield expression
