"""Generation expressions as trees, in the forms that filters are derived for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from puredelta.schema.datatypes import DataType, StructType
from puredelta.table.skipping.predicate import Column


@dataclass(frozen=True, slots=True)
class Cast:
    """A value cast to another type."""

    operand: Expression
    data_type: DataType


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one value.

    Attributes:
        function: `year`, `month`, `day`, `hour`, `trunc`, `date_trunc`, `date_format` or
            `substring`.
        operand: What it is a function of.
        arguments: Its constants, in their order: the unit, the pattern, position and length.
    """

    function: str
    operand: Expression
    arguments: tuple[str | int, ...] = ()


Expression: TypeAlias = Column | Cast | Call

Reader: TypeAlias = Callable[[str, StructType], Expression | None]
"""Reads a text in SQL over the columns of a schema; None for what has none of these forms."""


def base_of(expression: Expression) -> Column:
    """Return the column that an expression is a function of.

    >>> base_of(Call("year", Column(("s", "ts")))).path
    ('s', 'ts')
    """
    while not isinstance(expression, Column):
        expression = expression.operand
    return expression
