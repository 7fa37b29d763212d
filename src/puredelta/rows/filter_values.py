"""Constants of a filter's text in the types of the columns that they are compared with.

As in Spark, a constant never loses digits in a comparison: `n < 2.5` is `n <= 2` for integers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from puredelta.errors import DeltaRuntimeError
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    simple_string,
)
from puredelta.table.partition_values import plain_from_text
from puredelta.table.skipping.predicate_text import PredicateTextError, Term, TextConstant, Word
from puredelta.table.statistics.bound_encoding import decimal_text

_NUMBER = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?P<power>e[-+]?\d+)?(?P<kind>[lsydf]|bd)?",
    re.IGNORECASE | re.ASCII,
)
_BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
_TIMES = (DATE, TIMESTAMP, TIMESTAMP_NTZ)
# More digits than any number of Spark has, and few enough to count with.
_MOST_DIGITS = 400


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """A constant in the type that a comparison with a column is made in.

    Attributes:
        operator: How the column is compared with it.
        plain: The value, as `table.skipping.predicate.Literal` has it.
        data_type: The type; DOUBLE for a column of other numbers that is compared as a double.
    """

    operator: str
    plain: Any
    data_type: DataType

    @property
    def scalar(self) -> pa.Scalar:
        """The value for Arrow."""
        return arrow_scalar(self.plain, self.data_type)


def is_number(term: Term) -> bool:
    """Say whether a word is a number, so that it is no name."""
    return isinstance(term, Word) and not term.is_name and _NUMBER.fullmatch(term.text) is not None


def is_constant(term: Term) -> bool:
    """Say whether a term is a constant, null among them, and no column."""
    is_word = isinstance(term, Word) and term.keyword in ("TRUE", "FALSE", "NULL")
    return isinstance(term, TextConstant) or is_word or is_number(term)


def value_for(
    operator: str, term: Term, name: str, data_type: DataType, zone: str
) -> ColumnValue | None:
    """Return a constant as a column of some type is compared with it; None for null.

    Args:
        operator: How the column is compared with it: one of `predicate.OPERATORS` but `<=>`.
        term: The constant.
        name: The column, for messages.
        data_type: Its type.
        zone: The time zone of timestamps that name none.

    Raises:
        PredicateTextError: It is no value that the column can be compared with.
    """
    if isinstance(term, Word) and term.keyword == "NULL":
        return None
    if data_type in _BITS or data_type in (FLOAT, DOUBLE) or isinstance(data_type, DecimalType):
        return _number(operator, term, name, data_type)
    return ColumnValue(operator, _plain(term, name, data_type, zone), data_type)


def arrow_scalar(plain: Any, data_type: DataType) -> pa.Scalar:
    """Return a plain value, as `predicate.Literal` has it, for Arrow."""
    target = type_to_arrow(data_type)
    if data_type == DATE:
        return pa.scalar(plain, pa.int32()).cast(target)
    if data_type in _TIMES:
        return pa.scalar(plain, pa.int64()).cast(target)
    if isinstance(data_type, DecimalType):
        text = decimal_text(plain, data_type.scale)
        return pa.scalar(text).cast(target)
    return pa.scalar(plain, target)


def _plain(term: Term, name: str, data_type: DataType, zone: str) -> Any:
    said = said_type(name, data_type)
    if data_type in (STRING, BINARY):
        if not isinstance(term, TextConstant) or term.type_name:
            raise PredicateTextError(f"{said}, and {term.text} has to be in quotes")
        return term.text if data_type == STRING else term.text.encode()
    if data_type == BOOLEAN:
        text = term.text.strip().lower()
        if text not in ("true", "false") or (isinstance(term, TextConstant) and term.type_name):
            raise PredicateTextError(f"{name} is a boolean, and {term.text!r} is none")
        return text == "true"
    if data_type not in _TIMES:
        raise PredicateTextError(f"{said}, which is compared with NULL alone")
    if not isinstance(term, TextConstant):
        raise PredicateTextError(f"{said}, and {term.text} has to be in quotes")
    if data_type == DATE and term.type_name not in (None, "DATE"):
        raise PredicateTextError(f"{name} is a date: compare it with DATE '2024-05-01'")
    return _in_type(term.text, name, data_type, zone)


def _in_type(text: str, name: str, data_type: DataType, zone: str = "UTC") -> Any:
    try:
        found = plain_from_text(text, data_type, zone)
    except DeltaRuntimeError:
        found = None
    if found is None:
        raise PredicateTextError(f"{said_type(name, data_type)}, and {text!r} is none")
    return found


def said_type(name: str, data_type: DataType) -> str:
    """Say of which type a column is: `id is an int`."""
    kind = simple_string(data_type)
    return f"{name} is {'an' if kind.startswith(tuple('aeiou')) else 'a'} {kind}"


# ------------------------------------------------------------------------------------------ numbers


def _number(operator: str, term: Term, name: str, data_type: DataType) -> ColumnValue:
    if isinstance(term, TextConstant):
        # As in Spark, a text has to be a value of the column.
        if term.type_name:
            raise PredicateTextError(f"{name} is a number, and {term.text!r} is none")
        return ColumnValue(operator, _in_type(term.text, name, data_type), data_type)
    found = _NUMBER.fullmatch(term.text)
    if found is None:
        raise PredicateTextError(f"{name} is a number, and {term.text!r} is none")
    if len(term.text) > _MOST_DIGITS or abs(int((found["power"] or "e0")[1:])) > _MOST_DIGITS:
        raise PredicateTextError(f"{term.text[:20]}... has too many digits")
    kind = (found["kind"] or "").upper()
    digits = term.text[: len(term.text) - len(kind)]
    is_double = kind == "D" or (found["power"] and kind != "BD")
    if data_type in (FLOAT, DOUBLE) or is_double or kind == "F":
        return _floating(operator, digits, data_type, kind)
    return on_grid(operator, Fraction(digits), data_type)


def _floating(operator: str, digits: str, data_type: DataType, kind: str) -> ColumnValue:
    """Compare as Spark does: only a float with a float is compared as such."""
    if kind == "F":
        value = float(np.float32(digits))
        return ColumnValue(operator, value, FLOAT if data_type == FLOAT else DOUBLE)
    return ColumnValue(operator, float(digits), DOUBLE)


def on_grid(operator: str, exact: Fraction, data_type: DataType) -> ColumnValue:
    """Compare integers or decimals with any number: by the next value that they can have.

    >>> on_grid("<", Fraction(5, 2), INTEGER)
    ColumnValue(operator='<=', plain=2, data_type=PrimitiveType(name='integer'))

    Args:
        operator: How the column is compared with it.
        exact: The number.
        data_type: The type of the column.
    """
    if isinstance(data_type, DecimalType):
        scale, high = data_type.scale, 10**data_type.precision - 1
        low = -high
    else:
        scale, high = 0, 2 ** (_BITS[data_type] - 1) - 1
        low = -high - 1
    scaled = exact * 10**scale
    below = math.floor(scaled)
    if below == scaled and low <= below <= high:
        return ColumnValue(operator, below, data_type)
    # No value of the column equals the number. What is true for all values, or for none, is null
    # for null all the same, so it stays a comparison.
    never, always = ColumnValue("<", low, data_type), ColumnValue("<=", high, data_type)
    if operator in ("=", "!="):
        return never if operator == "=" else always
    if operator in ("<", "<="):
        return never if below < low else ColumnValue("<=", min(below, high), data_type)
    return never if below >= high else ColumnValue(">=", max(below + 1, low), data_type)
