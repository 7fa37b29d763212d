"""Conditions on many values, sent to Spark in one text: value by value takes three calls each."""

import re
from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, SparkSession
from pyspark.sql.types import DataType, IntegerType, LongType, StringType

from puredelta.engine.bridge.classes import new
from puredelta.engine.session.spark_objects import column_of

_IN = "org.apache.spark.sql.catalyst.expressions.In"

# Without characters whose meaning between quotes depends on settings of the session.
_PLAIN_TEXT = re.compile(r"[^'\\$]*")


def is_in_list(
    session: SparkSession, expression: Any, data_type: DataType, values: Sequence[Any]
) -> Column | None:
    """Return the condition that an expression has one of some values.

    Args:
        session: whose parser reads them.
        expression: Catalyst's, resolved.
        data_type: that of the values.
        values: at least one, none of them null.

    Returns:
        None for values that have to be listed one by one.
    """
    texts = _texts(data_type, values)
    if texts is None:
        return None
    parser = session._jsparkSession.sessionState().sqlParser()
    listed = parser.parseExpression(f"array({', '.join(texts)})").children()
    return column_of(new(_IN, expression, listed))


def _texts(data_type: DataType, values: Sequence[Any]) -> list[str] | None:
    """Return values as SQL writes them; None where it has no plain way to."""
    if isinstance(data_type, IntegerType):
        return [str(value) for value in values]
    if isinstance(data_type, LongType):
        return [f"{value}L" for value in values]
    if data_type == StringType() and all(map(_PLAIN_TEXT.fullmatch, values)):
        return [f"'{value}'" for value in values]
    return None
