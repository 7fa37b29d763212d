"""Conditions on partition columns in SQL, as any session of Spark reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    simple_string,
)
from puredelta.table.generated_filters.calendar import DAY, day_of
from puredelta.table.generated_filters.ranges import Range
from puredelta.table.java_floats import double_text
from puredelta.table.skipping.describe import value_text

# Quotes and backslashes are read in more than one way, and `${` names a variable.
_PLAIN = re.compile(r"[^'\\$\x00-\x1f\x7f]*")

_FIRST_DAY, _LAST_DAY = day_of(1), day_of(10000) - 1


def is_null(name: str) -> str:
    """Write that a column is null."""
    return f"{quoted(name)} IS NULL"


def any_of(parts: Iterable[str]) -> str:
    """Write that one of some conditions holds."""
    return " OR ".join(parts)


def all_of(parts: Sequence[str]) -> str:
    """Write that all of some conditions hold, fit to be one of others."""
    return parts[0] if len(parts) == 1 else f"({' AND '.join(f'({part})' for part in parts)})"


def other_width(name: str, width: int) -> str:
    """Write that a text does not have a certain length."""
    return f"length({quoted(name)}) <> {width}"


def in_range(name: str, one: Range, data_type: DataType) -> str | None:
    """Write that a column lies in a range; None when that says nothing."""
    column = quoted(name)
    one = within_reach(one, data_type)
    if one.is_point:
        return f"{column} = {_literal(one.lower, data_type)}"
    parts = []
    if one.lower is not None:
        parts.append(f"{column} >{'' if one.open_below else '='} {_literal(one.lower, data_type)}")
    if one.upper is not None:
        sign = "<" if one.open_above else "<="
        parts.append(f"{column} {sign} {_literal(one.upper, data_type)}")
    return f"({' AND '.join(parts)})" if len(parts) > 1 else parts[0] if parts else None


def in_points(name: str, values: Sequence[Any], data_type: DataType) -> str:
    """Write that a column has one of some values."""
    listed = ", ".join(_literal(value, data_type) for value in values)
    return f"{quoted(name)} IN ({listed})"


def from_on(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that columns, the first of which counts most, are at least some values.

    >>> from_on(["y", "m"], ["2024", "3"])
    '`y` > 2024 OR (`y` = 2024 AND (`m` >= 3))'
    """
    return _ordered(names, values, ">")


def up_to(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that columns, the first of which counts most, are at most some values."""
    return _ordered(names, values, "<")


def equal(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that each column has its value."""
    pairs = zip(names, values, strict=True)
    return f"({' AND '.join(f'{quoted(name)} = {value}' for name, value in pairs)})"


def part_text(value: int, *, is_date: bool) -> str:
    """Write a date, or a year, month, day or hour."""
    return _literal(value, DATE if is_date else LONG)


def within_reach(one: Range, data_type: DataType) -> Range:
    """Widen a range of times so that literals in SQL can have its bounds: years 1 to 9999."""
    if data_type == DATE:
        first, last = _FIRST_DAY, _LAST_DAY
    elif data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        first, last = _FIRST_DAY * DAY, (_LAST_DAY + 1) * DAY - 1
    else:
        return one
    lower, upper = one.lower, one.upper
    return Range(
        None if lower is None or lower < first else min(lower, last),
        None if upper is None or upper > last else max(upper, first),
    )


def _ordered(names: Sequence[str], values: Sequence[str], sign: str) -> str:
    column, value = quoted(names[0]), values[0]
    if len(names) == 1:
        return f"{column} {sign}= {value}"
    rest = _ordered(names[1:], values[1:], sign)
    return f"{column} {sign} {value} OR ({column} = {value} AND ({rest}))"


def _literal(value: Any, data_type: DataType) -> str:
    if data_type == STRING and _PLAIN.fullmatch(value) is None:
        return f"CAST(X'{value.encode().hex()}' AS STRING)"
    if data_type in (DOUBLE, FLOAT):
        return f"CAST('{double_text(value)}' AS {simple_string(data_type).upper()})"
    return value_text(value, data_type)
