"""Generation expressions of partition columns, read by Spark, in the forms that are understood."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import lru_cache

from pyspark.errors import PySparkException
from pyspark.sql.types import StructType as SparkStruct

from puredelta.engine.bridge.failures import unlogged
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.catalyst.expression_json import (
    ExpressionNode,
    NotExactError,
    plain_value,
    tree_of,
    type_below,
)
from puredelta.engine.catalyst.stored_expressions import Stored, check_stored, stored_column
from puredelta.engine.session.sessions import active_session
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.engine.session.spark_types import to_spark
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import (
    DATE,
    INTEGER,
    STRING,
    DataType,
    StructField,
    StructType,
)
from puredelta.table.generated_filters.expressions import Call, Cast, Expression
from puredelta.table.skipping.predicate import Column

logger = logging.getLogger(__name__)

_KEPT = 256


@lru_cache(maxsize=_KEPT)
def partition_expression(text: str, schema: StructType) -> Expression | None:
    """Read a generation expression; None for what has none of the forms that are understood.

    Args:
        text: In SQL.
        schema: Of the table, whose columns it may name.
    """
    session = active_session()
    try:
        check_stored(session, Stored.generation("", text))
        with unlogged():
            frame = frame_of_rows(session, [], _columns(schema)).select(stored_column(text))
            analysed = frame._jdf.queryExecution().analyzed()
        return expression_from(tree_of(analysed.projectList().head().toJSON()))
    # Filters that are derived only make a query faster, so it must not fail for them.
    except (
        DeltaAnalysisError,
        Py4JError,
        PySparkException,
        LookupError,
        TypeError,
        ValueError,
    ) as reason:
        logger.debug("no filters are derived from %s: %s", text, reason)
        return None


def _columns(schema: StructType) -> SparkStruct:
    """Return names and types for Spark; what the table notes beside them does not matter here."""
    plain = StructType(tuple(StructField(field.name, field.data_type) for field in schema))
    return to_spark(plain)


def expression_from(node: ExpressionNode) -> Expression | None:
    """Say what a resolved expression is, if it has one of the forms that are understood."""
    read = _READERS.get(node.name)
    try:
        return None if read is None else read(node)
    except NotExactError:
        return None


def _inner(node: ExpressionNode) -> Expression:
    """Read the value that a function is of.

    Raises:
        NotExactError: It has none of the forms.
    """
    found = expression_from(node)
    if found is None:
        raise NotExactError(node.name)
    return found


def _constant(node: ExpressionNode) -> str | int:
    """Return the value of a literal string or integer.

    Raises:
        NotExactError: It is no literal of these types, or null.
    """
    if node.name != "Literal" or node.data_type not in (STRING, INTEGER):
        raise NotExactError(node.name)
    value = plain_value(node.fields.get("value"), node.data_type)
    if not isinstance(value, (str, int)):
        raise NotExactError(node.name)
    return value


def _column(node: ExpressionNode) -> Column:
    return Column(_place(node)[0])


def _place(node: ExpressionNode) -> tuple[tuple[str, ...], DataType]:
    """Return the path and the type of a column, or of a field that structs alone lead to."""
    if node.name == "AttributeReference":
        return (str(node.fields["name"]),), node.data_type
    if node.name != "GetStructField":
        raise NotExactError(node.name)
    path, data_type = _place(node.children[0])
    name, inside = type_below(data_type, node.fields["ordinal"])
    return (*path, name), inside


def _cast(node: ExpressionNode) -> Cast:
    return Cast(_inner(node.children[0]), node.data_type)


def _to_date(node: ExpressionNode) -> Cast | None:
    return Cast(_inner(node.children[0]), DATE) if len(node.children) == 1 else None


def _same(node: ExpressionNode) -> Expression | None:
    return expression_from(node.children[0]) if len(node.children) == 1 else None


def _function(name: str, operand: int = 0) -> Callable[[ExpressionNode], Call]:
    """Return what reads a function of the operand at some place, and of constants."""

    def read(node: ExpressionNode) -> Call:
        others = [child for place, child in enumerate(node.children) if place != operand]
        return Call(name, _inner(node.children[operand]), tuple(map(_constant, others)))

    return read


def _left(node: ExpressionNode) -> Call:
    text, length = node.children
    return Call("substring", _inner(text), (1, _constant(length)))


_READERS: Mapping[str, Callable[[ExpressionNode], Expression | None]] = {
    "Alias": _same,
    "AttributeReference": _column,
    "Cast": _cast,
    "DateFormatClass": _function("date_format"),
    "DayOfMonth": _function("day"),
    "Extract": _same,
    "GetStructField": _column,
    "Hour": _function("hour"),
    "Left": _left,
    "Month": _function("month"),
    "ParseToDate": _to_date,
    "Substring": _function("substring"),
    "TruncDate": _function("trunc"),
    "TruncTimestamp": _function("date_trunc", operand=1),
    "Year": _function("year"),
}
