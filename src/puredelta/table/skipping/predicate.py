"""Conditions on the columns of a table, in the forms that statistics can evaluate.

Three-valued as in SQL: a condition is true, false or null for a row. What cannot be expressed is
`Unknown`, which may be any of the three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from puredelta.schema.datatypes import DataType

Path: TypeAlias = tuple[str, ...]

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "<=>")

MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "<=>": "<=>"}
"""The operator that means the same with its sides exchanged."""

NEGATED = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The operator that is true where another one is false; both are null where a side is."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or a field that structs alone lead to, by logical names."""

    path: Path


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant.

    Attributes:
        value: As `table.partition_values.plain_from_text` has values: days for dates,
            microseconds for points in time, the unscaled integer for decimals; None for null.
        data_type: Its type.
    """

    value: Any
    data_type: DataType


@dataclass(frozen=True, slots=True)
class CastValue:
    """A value cast to another type.

    Attributes:
        operand: What is cast.
        data_type: The type it gets.
        in_utc: Whether the time zone of the session is UTC; others shift times by hours.
    """

    operand: Operand
    data_type: DataType
    in_utc: bool = False


@dataclass(frozen=True, slots=True)
class YearValue:
    """The year of a date, as an integer."""

    operand: Operand


Operand: TypeAlias = Column | Literal | CastValue | YearValue
OPERANDS = (Column, Literal, CastValue, YearValue)


@dataclass(frozen=True, slots=True)
class Constant:
    """A condition that is the same for all rows: True, False, or None for null."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A condition that statistics cannot evaluate.

    Attributes:
        text: The condition as the user may recognise it.
    """

    text: str = "?"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two values, one of which at least comes from a column.

    Raises:
        ValueError: There is no such operator.
    """

    operator: str
    left: Operand
    right: Operand

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ValueError(f"{self.operator} is none of {', '.join(OPERATORS)}")


@dataclass(frozen=True, slots=True)
class In:
    """`operand IN (values)`.

    Attributes:
        operand: The value that is looked up.
        values: The values of the list that are not null, plain as in `Literal`.
        data_type: The type of the values.
        has_null: Whether the list has a null.
    """

    operand: Operand
    values: tuple[Any, ...]
    data_type: DataType
    has_null: bool = False


@dataclass(frozen=True, slots=True)
class StartsWith:
    """A text that begins with another: `operand LIKE 'prefix%'`."""

    operand: Operand
    prefix: str


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether a value, or a condition, is null; itself never null."""

    of: Operand | Condition


@dataclass(frozen=True, slots=True)
class IsTrue:
    """Whether a condition is true, `condition <=> true`; itself never null."""

    of: Condition


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite; null stays null."""

    of: Condition


@dataclass(frozen=True, slots=True)
class And:
    """All of some conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of some conditions."""

    parts: tuple[Condition, ...]


Condition: TypeAlias = (
    Constant | Unknown | Comparison | In | StartsWith | IsNull | IsTrue | Not | And | Or
)

UNKNOWN = Unknown()


def conjuncts(conditions: Iterable[Condition]) -> Iterator[Condition]:
    """Split conditions that must all be true into parts that no AND joins."""
    for condition in conditions:
        if isinstance(condition, And):
            yield from conjuncts(condition.parts)
        else:
            yield condition


def columns_of(node: Condition | Operand) -> Iterator[Column]:
    """Yield the columns in a condition."""
    match node:
        case Column():
            yield node
        case Comparison(_, left, right):
            yield from columns_of(left)
            yield from columns_of(right)
        case CastValue(inner) | YearValue(inner) | In(inner) | StartsWith(inner):
            yield from columns_of(inner)
        case IsNull(below) | IsTrue(below) | Not(below):
            yield from columns_of(below)
        case And(parts) | Or(parts):
            for part in parts:
                yield from columns_of(part)
