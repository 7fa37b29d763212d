"""Generation expressions as Spark resolves them: the nodes of the tree, and the type."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession

from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.catalyst.stored_expressions import (
    Stored,
    check_calls,
    parse_alone,
    stored_column,
)
from puredelta.engine.session.spark_objects import frame_of_rows, unqualified_sql
from puredelta.engine.session.spark_types import to_spark
from puredelta.schema.codec import type_from_json
from puredelta.schema.datatypes import StructType
from puredelta.table.expressions.generation_rules import ExpressionPart, Facts, UnknownExpression

_ROWS = ("LocalRelation", "LogicalRDD")
_UNKNOWN_COLUMN = "UNRESOLVED_COLUMN"


@dataclass(frozen=True, slots=True)
class SparkExpressions:
    """Resolves expressions with the functions and the settings of a session.

    Attributes:
        session: the session.
    """

    session: SparkSession

    def read(self, text: str, schema: StructType) -> Facts | UnknownExpression:
        """Say what an expression resolves to.

        Args:
            text: the expression, in SQL.
            schema: the columns that it may name.

        Raises:
            ParseException: Spark's PARSE_SYNTAX_ERROR.
            AnalysisException: Spark's, for unknown functions and fields, and for types that do not
                go together.
        """
        check_calls(self.session, Stored.generation("", text))
        parsed = parse_alone(text)
        try:
            # An unknown column is an answer here, which the caller words itself.
            with unlogged(), settled():
                frame = frame_of_rows(self.session, [], to_spark(schema)).select(_single(text))
        except AnalysisException as error:
            if (error.getCondition() or "").startswith(_UNKNOWN_COLUMN):
                return UnknownExpression((error.getMessageParameters() or {})["objectName"])
            raise
        plan = frame._jdf.queryExecution().analyzed()
        expression = _expression(plan)
        return Facts(
            data_type=type_from_json(expression.dataType().json()),
            parts=(*_beside(plan, text), *_parts(expression), *_stars(parsed)),
        )


def _single(text: str) -> Column:
    """Return an expression as one column: under a name, no star may stand."""
    return stored_column(text).alias("generated")


def _expression(plan: Any) -> Any:
    named = plan.expressions().head()
    return named.child() if kind_of(named) == "Alias" else named


def _beside(plan: Any, text: str) -> Iterator[ExpressionPart]:
    """Yield the other nodes of the plan: an expression that needs one looks at more than a row."""
    below = plan.children().head()
    if kind_of(below) not in _ROWS:
        yield ExpressionPart(kind=kind_of(below), text=text)


def _parts(expression: Any) -> Iterator[ExpressionPart]:
    yield ExpressionPart(
        kind=kind_of(expression),
        text=unqualified_sql(expression),
        is_deterministic=bool(expression.deterministic()),
    )
    inner = expression.children()
    for place in range(inner.size()):
        yield from _parts(inner.apply(place))


def _stars(parsed: Any) -> Iterator[ExpressionPart]:
    """Yield each star: it names all columns, of which the generated one is one itself."""
    if kind_of(parsed) == "UnresolvedStar":
        yield ExpressionPart(kind="UnresolvedStar", text="*")
    inner = parsed.children()
    for place in range(inner.size()):
        yield from _stars(inner.apply(place))
