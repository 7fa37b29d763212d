"""Filters of rows in each form: conditions as tuples, SQL text, expressions of Arrow."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.rows.filter_text import parse_filter
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.changes import find_column_position
from puredelta.schema.datatypes import DataType, StructField, StructType
from puredelta.table.partition_values import plain_from_text, text_from_value
from puredelta.table.skipping.predicate import (
    OPERATORS,
    UNKNOWN,
    And,
    Column,
    Comparison,
    Condition,
    Literal,
    Not,
    Or,
)

Filter: TypeAlias = (
    "str | Sequence[tuple[str, str, Any]] | Sequence[Sequence[tuple[str, str, Any]]] "
    "| pc.Expression"
)
"""SQL text, conditions that must all be true, lists of which one must be, or Arrow's expression."""

_EQUAL = {"==": "="}
_COMPARISONS = {*OPERATORS, "=="} - {"<=>"}
_LISTS = ("in", "not in")


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Chooses rows.

    Attributes:
        expression: what Arrow filters batches by.
        columns: the names of the table's columns that it is about.
        condition: what skips files.
    """

    expression: pc.Expression
    columns: tuple[str, ...]
    condition: Condition = UNKNOWN


def read_filter(given: Filter | RowFilter, schema: StructType) -> RowFilter:
    """Read a filter.

    >>> from puredelta.schema.datatypes import INTEGER, StructField
    >>> schema = StructType((StructField("Id", INTEGER), StructField("v", INTEGER)))
    >>> read_filter([("id", ">", 3)], schema).columns
    ('Id',)

    Args:
        given: the filter, or one that was read already; names of columns are found in any case.
        schema: the table's.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        DeltaIllegalArgumentError: PUREDELTA_FILTER_INVALID, PUREDELTA_FILTER_TEXT_INVALID.
    """
    if isinstance(given, str):
        return text_filter(given, schema)
    if isinstance(given, RowFilter):
        return given
    if isinstance(given, pc.Expression):
        # An expression does not list its columns; its text has the names of all of them.
        text = str(given)
        return RowFilter(given, tuple(name for name in schema.names if name in text))
    if not isinstance(given, Sequence) or not given:
        raise _invalid(given, "it is no list, or an empty one")
    choices = [given] if isinstance(given[0], tuple) else given
    parts = [_all_of(choice, schema) for choice in choices]
    expression = reduce(operator.or_, (part.expression for part in parts))
    columns = dict.fromkeys(name for part in parts for name in part.columns)
    return RowFilter(expression, tuple(columns), Or(tuple(part.condition for part in parts)))


def text_filter(text: str, schema: StructType, zone: str = "UTC") -> RowFilter:
    """Read a filter in SQL.

    Args:
        text: The filter.
        schema: the table's.
        zone: The time zone of timestamps that name none.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        DeltaIllegalArgumentError: PUREDELTA_FILTER_TEXT_INVALID.
    """
    tested, columns = parse_filter(text, schema, zone)
    return RowFilter(tested.rows, columns, tested.files)


def filter_text(given: Filter) -> str:
    """Write a filter as a person would.

    >>> filter_text([("day", ">=", 3), ("city", "in", ["Paris"])])
    "day >= 3 and city in ['Paris']"
    """
    if isinstance(given, str | pc.Expression):
        return str(given)
    choices = [given] if isinstance(given[0], tuple) else given
    texts = [" and ".join(map(_condition_text, choice)) for choice in choices]
    return texts[0] if len(texts) == 1 else " or ".join(f"({text})" for text in texts)


def _condition_text(given: Any) -> str:
    name, sign, value = given
    # A date is clearer as 2026-01-03 than as Python's call that makes it.
    return f"{name} {sign} {value if isinstance(value, date) else repr(value)}"


def _all_of(choice: Any, schema: StructType) -> RowFilter:
    if not isinstance(choice, Sequence) or isinstance(choice, str) or not choice:
        raise _invalid(choice, "it is no list, or an empty one")
    parts = [_one(each, schema) for each in choice]
    expression = reduce(operator.and_, (part.expression for part in parts))
    names = tuple(part.columns[0] for part in parts)
    return RowFilter(expression, names, And(tuple(part.condition for part in parts)))


def _one(given: Any, schema: StructType) -> RowFilter:
    if not (isinstance(given, tuple) and len(given) == 3 and isinstance(given[0], str)):
        raise _invalid(given, "a condition has a column, an operator and a value")
    name, sign, value = given
    field = find_column_position(schema, (name,)).field
    sign = str(sign).strip().lower()
    if sign in _LISTS:
        return _listed(field, value, is_in=sign == "in")
    if sign not in _COMPARISONS:
        wanted = ", ".join([*sorted(_COMPARISONS), *_LISTS])
        raise _invalid(given, f"{sign!r} is none of {wanted}")
    sign = _EQUAL.get(sign, sign)
    found = _as_column(value, field.data_type)
    expression = _COMPARE[sign](pc.field(field.name), found)
    return RowFilter(expression, (field.name,), _comparison(sign, field, found))


def _listed(field: StructField, values: Any, *, is_in: bool) -> RowFilter:
    column = pc.field(field.name)
    found = [_as_column(value, field.data_type) for value in values]
    listed = pa.array([value.as_py() for value in found], found[0].type if found else None)
    is_listed = column.isin(listed)
    equal = tuple(_comparison("=", field, value) for value in found)
    if is_in:
        return RowFilter(is_listed & column.is_valid(), (field.name,), Or(equal))
    # As in SQL and unlike in Arrow, null is not outside of a list, either.
    return RowFilter(~is_listed & column.is_valid(), (field.name,), Not(Or(equal)))


_COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _as_column(value: Any, data_type: DataType) -> pa.Scalar:
    """Return a value in the type of a column, or in its own where it is no value of that type."""
    given = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    try:
        return given.cast(type_to_arrow(data_type))
    except (pa.ArrowException, NotImplementedError):
        return given


def _comparison(sign: str, field: StructField, value: pa.Scalar) -> Condition:
    """Return what statistics make of a comparison; unknown for values of other types, and NaN."""
    plain = value.as_py()
    if value.type != type_to_arrow(field.data_type) or plain is None or _is_nan(plain):
        return UNKNOWN
    text = text_from_value(plain, field.data_type)
    known = plain_from_text(text, field.data_type)
    if known is None:
        return UNKNOWN
    return Comparison(sign, Column((field.name,)), Literal(known, field.data_type))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _invalid(given: Any, reason: str) -> DeltaIllegalArgumentError:
    return DeltaIllegalArgumentError("PUREDELTA_FILTER_INVALID", filter=repr(given), reason=reason)
