"""Writes conditions as SQL for people to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from puredelta.schema.datatypes import (
    BINARY,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    simple_string,
)
from puredelta.table.skipping.predicate import (
    OPERANDS,
    And,
    CastValue,
    Column,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Operand,
    Or,
    Path,
    StartsWith,
    Unknown,
    YearValue,
)
from puredelta.table.statistics.bound_encoding import decimal_text
from puredelta.table.statistics.datetime_text import date_text, timestamp_text

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_VALUES = 5


def condition_text(condition: Condition) -> str:
    """Write a condition almost as SQL, for logs and reports.

    >>> condition_text(Not(IsNull(Column(("a", "b c")))))
    'a.`b c` IS NOT NULL'
    """
    return _WRITERS[type(condition)](condition)


def operand_text(operand: Operand) -> str:
    """Write a column or a constant in SQL."""
    match operand:
        case Column(path):
            return describe_path(path)
        case Literal(value, data_type):
            return value_text(value, data_type)
        case CastValue(inner, data_type):
            return f"cast({operand_text(inner)} as {simple_string(data_type)})"
        case YearValue(inner):
            return f"year({operand_text(inner)})"


def describe_path(path: Path) -> str:
    """Write a path with dots, and with back-ticks where a name needs them.

    >>> describe_path(("a", "b.c"))
    'a.`b.c`'
    """
    return ".".join(
        name if _PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`" for name in path
    )


def value_text(value: Any, data_type: DataType) -> str:
    """Write a plain value as a literal in SQL."""
    if value is None:
        return "NULL"
    if isinstance(data_type, DecimalType):
        return decimal_text(value, data_type.scale)
    if data_type == STRING:
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if data_type == DATE:
        return f"DATE '{date_text(value)}'"
    if data_type == TIMESTAMP:
        # Without a zone the literal would mean another instant in each session.
        return f"TIMESTAMP '{timestamp_text(value)}Z'"
    if data_type == TIMESTAMP_NTZ:
        return f"TIMESTAMP_NTZ '{timestamp_text(value)}'"
    if data_type == BINARY:
        return f"X'{value.hex().upper()}'"
    return str(value).upper() if isinstance(value, bool) else str(value)


def _list(values: tuple[Any, ...], data_type: DataType, *, has_null: bool) -> str:
    # A list can have thousands of values, and the string goes into a line of a log.
    shown = [value_text(value, data_type) for value in values[:_MOST_VALUES]]
    if len(values) > _MOST_VALUES:
        shown.append(f"... {len(values) - _MOST_VALUES} more")
    return ", ".join([*shown, *(["NULL"] if has_null else [])])


def _in_text(condition: In) -> str:
    values = _list(condition.values, condition.data_type, has_null=condition.has_null)
    return f"{operand_text(condition.operand)} IN ({values})"


def _not_text(condition: Not) -> str:
    if isinstance(condition.of, IsNull):
        return f"{_inner(condition.of.of)} IS NOT NULL"
    return f"NOT {_inner(condition.of)}"


def _inner(part: Condition | Operand) -> str:
    if isinstance(part, OPERANDS):
        return operand_text(part)
    text = condition_text(part)
    if isinstance(part, (And, Or, IsTrue)) or (
        isinstance(part, Not) and not isinstance(part.of, IsNull)
    ):
        return f"({text})"
    return text


_WRITERS: dict[type, Callable[[Any], str]] = {
    And: lambda node: " AND ".join(_inner(part) for part in node.parts),
    Comparison: lambda node: (
        f"{operand_text(node.left)} {node.operator} {operand_text(node.right)}"
    ),
    Constant: lambda node: "NULL" if node.value is None else str(node.value).upper(),
    In: _in_text,
    IsNull: lambda node: f"{_inner(node.of)} IS NULL",
    IsTrue: lambda node: f"{_inner(node.of)} <=> TRUE",
    Not: _not_text,
    Or: lambda node: " OR ".join(_inner(part) for part in node.parts),
    StartsWith: lambda node: (
        f"startswith({operand_text(node.operand)}, {value_text(node.prefix, STRING)})"
    ),
    Unknown: lambda node: str(node.text),
}
