"""Conditions and assignments as Python's users give them: SQL or Columns, checked at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.classes import scala_object

_PARSER = "org.apache.spark.sql.catalyst.parser.CatalystSqlParser"

Expression = str | Column
"""A condition or a value: SQL, or a Column of PySpark."""

Assignments = Mapping[str, Expression]
"""Values by the paths of the columns that get them."""


def condition_argument(condition: Expression | None, name: str = "condition") -> Column | None:
    """Return a condition as a Column; None for none.

    Args:
        condition: SQL or a Column, of which nothing needs to be resolved yet.
        name: what the argument is called.

    Raises:
        TypeError: it is something else.
        ParseException: Spark's, for a text that is no SQL expression.
    """
    if condition is None:
        return None
    wrong = (
        f"'{name}' must be a Spark SQL Column or a string (expression in SQL syntax), "
        f"found to be of type {type(condition)}"
    )
    return _column(condition, wrong)


def assignment_arguments(given: Assignments | None, name: str) -> dict[str, Column]:
    """Return assignments as Columns, in the order in which they were given.

    Args:
        given: a dict, and nothing derived from it, as delta-spark asks for.
        name: what the argument is called, and where it stands.

    Raises:
        ValueError: there are none.
        TypeError: it is no dict, or holds other things.
        ParseException: Spark's, for a text that is no SQL expression.
    """
    if given is None:
        raise ValueError(f"{name} cannot be None: give a dict of columns and their values")
    if type(given) is not dict:
        raise TypeError(f"{name} must be a dict, found to be {type(given)}")
    return {_key(key, name): _value(key, value, name) for key, value in given.items()}


def _key(key: Any, name: str) -> str:
    if type(key) is not str:
        raise TypeError(
            f"Keys of dict in {name} must contain only strings with column names, "
            f"found '{key}' of type '{type(key)}'"
        )
    return key


def _value(key: str, value: Any, name: str) -> Column:
    wrong = (
        f"Values of dict in {name} must contain only Spark SQL Columns or strings (expressions in "
        f"SQL syntax) as values, found '{value}' of type '{type(value)}' for '{key}'; "
        f"pyspark.sql.functions.lit makes a Column of a value"
    )
    return _column(value, wrong)


def _column(given: Any, wrong: str) -> Column:
    """Return SQL or a Column as a Column; a text is parsed, so that a mistake shows where it is."""
    if type(given) is str:
        scala_object(_PARSER).parseExpression(given)
        return F.expr(given)
    if isinstance(given, Column):
        return given
    raise TypeError(wrong)
