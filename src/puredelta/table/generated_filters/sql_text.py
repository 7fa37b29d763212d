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

# How quotes and backslashes are parsed depends on the session, and `${` names a variable.
_PLAIN = re.compile(r"[^'\\$\x00-\x1f\x7f]*")

_FIRST_DAY, _LAST_DAY = day_of(1), day_of(10000) - 1


def is_null(name: str) -> str:
    """Write that a column is null."""
    return f"{quoted(name)} IS NULL"


def any_of(parts: Iterable[str]) -> str:
    """Write that at least one of the conditions holds."""
    return " OR ".join(parts)


def all_of(parts: Sequence[str]) -> str:
    """Write that all conditions hold, as an operand of `any_of`."""
    return parts[0] if len(parts) == 1 else f"({' AND '.join(f'({part})' for part in parts)})"


def other_width(name: str, width: int) -> str:
    """Write that a string does not have a certain length."""
    return f"length({quoted(name)}) <> {width}"


def in_range(name: str, values: Range, data_type: DataType) -> str | None:
    """Write that a column lies in a range; None when the range has no bound."""
    column = quoted(name)
    values = within_reach(values, data_type)
    if values.is_point:
        return f"{column} = {_literal(values.lower, data_type)}"
    parts = []
    if values.lower is not None:
        sign = ">" if values.open_below else ">="
        parts.append(f"{column} {sign} {_literal(values.lower, data_type)}")
    if values.upper is not None:
        sign = "<" if values.open_above else "<="
        parts.append(f"{column} {sign} {_literal(values.upper, data_type)}")
    return f"({' AND '.join(parts)})" if len(parts) > 1 else parts[0] if parts else None


def in_points(name: str, values: Sequence[Any], data_type: DataType) -> str:
    """Write that a column has one of some values."""
    listed = ", ".join(_literal(value, data_type) for value in values)
    return f"{quoted(name)} IN ({listed})"


def from_on(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that columns, the most significant first, are at least some values.

    >>> from_on(["y", "m"], ["2024", "3"])
    '`y` > 2024 OR (`y` = 2024 AND (`m` >= 3))'
    """
    return _ordered(names, values, ">")


def up_to(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that columns, the most significant first, are at most some values."""
    return _ordered(names, values, "<")


def equal(names: Sequence[str], values: Sequence[str]) -> str:
    """Write that each column has its value."""
    pairs = zip(names, values, strict=True)
    return f"({' AND '.join(f'{quoted(name)} = {value}' for name, value in pairs)})"


def part_text(value: int, *, is_date: bool) -> str:
    """Write a date, or a year, month, day or hour."""
    return _literal(value, DATE if is_date else LONG)


def within_reach(values: Range, data_type: DataType) -> Range:
    """Widen a range of times so that literals in SQL can have its bounds: years 1 to 9999."""
    if data_type == DATE:
        first, last = _FIRST_DAY, _LAST_DAY
    elif data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        first, last = _FIRST_DAY * DAY, (_LAST_DAY + 1) * DAY - 1
    else:
        return values
    lower, upper = values.lower, values.upper
    return Range(
        # A bound beyond the years moves to their end, or goes: the range only gets wider.
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
        # Bytes are parsed alike in every session.
        return f"CAST(X'{value.encode().hex()}' AS STRING)"
    if data_type in (DOUBLE, FLOAT):
        # NaN and the infinities have no literal.
        return f"CAST('{double_text(value)}' AS {simple_string(data_type).upper()})"
    return value_text(value, data_type)
