"""Conditions on rows with the meaning of SQL: three-valued, and with NaN as the greatest value.

Each is an expression of Arrow, which chooses rows, and a condition, by which statistics skip
files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.rows.filter_values import (
    ColumnValue,
    arrow_scalar,
    said_type,
)
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.column_path import quote_path
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
from puredelta.table.skipping.predicate import (
    MIRRORED,
    UNKNOWN,
    And,
    CastValue,
    Column,
    Comparison,
    Condition,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Or,
    StartsWith,
)
from puredelta.table.skipping.predicate_text import (
    PredicateTextError,
)

_INTEGERS = (BYTE, SHORT, INTEGER, LONG)
_FLOATS = (FLOAT, DOUBLE)
_ORDERED = (STRING, BINARY, BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ)
NULL, _FALSE = (pc.scalar(pa.scalar(value, pa.bool_())) for value in (None, False))
"""Neither true nor false, for Arrow."""

# Enough for an integer of 64 bits in front of the scale of any decimal.
_WIDE_DIGITS = 76


@dataclass(frozen=True, slots=True)
class FilterCondition:
    """A condition, for rows and for files.

    Attributes:
        rows: For Arrow: true, false or null for a row.
        files: What statistics are asked.
    """

    rows: pc.Expression
    files: Condition = UNKNOWN


@dataclass(frozen=True, slots=True)
class FoundColumn:
    """A column of the table, or a field in a struct.

    Attributes:
        path: Its names, as the schema spells them.
        data_type: Its type.
        length: How many characters a value of CHAR has; 0 for other types.
    """

    path: tuple[str, ...]
    data_type: DataType
    length: int = 0

    @property
    def name(self) -> str:
        """The name, as SQL writes it."""
        return quote_path(self.path)

    @property
    def said_type(self) -> str:
        """Of which type it is, in words."""
        return said_type(self.name, self.data_type)

    @property
    def rows(self) -> pc.Expression:
        """Its values, for Arrow."""
        return pc.field(*self.path)

    @property
    def column(self) -> Column:
        """Its values, for statistics."""
        return Column(self.path)


# ---------------------------------------------------------------------------- three-valued tests


def joined(parts: Sequence[FilterCondition], *, are_all: bool) -> FilterCondition:
    """Join conditions of which all have to be true, or any."""
    rows = reduce(pc.and_kleene if are_all else pc.or_kleene, (part.rows for part in parts))
    return FilterCondition(rows, (And if are_all else Or)(tuple(part.files for part in parts)))


def negated(test: FilterCondition) -> FilterCondition:
    """Return the opposite; null stays null."""
    return FilterCondition(pc.invert(test.rows), Not(test.files))


def truth(test: FilterCondition, *, value: bool | None) -> FilterCondition:
    """Return whether a test is true, or false, or null; itself never null."""
    if value is None:
        return FilterCondition(test.rows.is_null(), IsNull(test.files))
    asked = test if value else negated(test)
    return FilterCondition(pc.coalesce(asked.rows, _FALSE), IsTrue(asked.files))


# ------------------------------------------------------------------------------------- comparisons


_COMPARE = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def with_value(column: FoundColumn, value: ColumnValue) -> FilterCondition:
    """Compare a column with a constant that is not null."""
    rows, operand, plain = column.rows, column.column, value.plain
    condition: Condition
    if column.length:
        # Spark compares CHAR with the blanks that fill the shorter one up.
        wide = max(column.length, len(plain))
        padded, text = pc.utf8_rpad(rows, wide), pa.scalar(plain.ljust(wide))
        return FilterCondition(_COMPARE[value.operator](padded, text))
    if value.data_type == column.data_type:
        condition = Comparison(value.operator, operand, Literal(plain, value.data_type))
    else:
        rows = _cast(rows, value.data_type)
        cast = CastValue(operand, value.data_type)
        condition = Comparison(value.operator, cast, Literal(plain, value.data_type))
    if value.data_type in _FLOATS:
        condition = UNKNOWN if math.isnan(plain) else condition
        return FilterCondition(
            _float_test(value.operator, rows, pc.scalar(value.scalar)), condition
        )
    # The log writes the empty partition value as null, and binary values have no statistics.
    has_statistics = plain not in ("", b"") and value.data_type != BINARY
    found = _COMPARE[value.operator](rows, value.scalar)
    return FilterCondition(found, condition if has_statistics else UNKNOWN)


def with_column(operator: str, left: FoundColumn, right: FoundColumn) -> FilterCondition:
    """Compare two columns.

    Raises:
        PredicateTextError: Their types cannot be compared.
    """
    common = _common_type(left, right)
    one, other = left.rows, right.rows
    if isinstance(common, DecimalType) and common.precision > _LARGEST_DECIMAL:
        wide = pa.decimal256(_WIDE_DIGITS, common.scale)
        one, other = one.cast(wide), other.cast(wide)
    elif left.length or right.length:
        wide_text = max(left.length, right.length)
        one, other = pc.utf8_rpad(one, wide_text), pc.utf8_rpad(other, wide_text)
    else:
        one = one if left.data_type == common else _cast(one, common)
        other = other if right.data_type == common else _cast(other, common)
    null_safe = operator == "<=>"
    compare = _float_test if common in _FLOATS else _plain_test
    found = FilterCondition(compare("=" if null_safe else operator, one, other))
    if not null_safe:
        return found
    both_null = pc.and_kleene(one.is_null(), other.is_null())
    return FilterCondition(pc.or_kleene(truth(found, value=True).rows, both_null))


_LARGEST_DECIMAL = 38


def _common_type(left: FoundColumn, right: FoundColumn) -> DataType:
    """Return the type in which Spark compares two columns."""
    one, other = left.data_type, right.data_type
    kinds = {one, other}
    if one == other and (one in (*_ORDERED, *_INTEGERS, *_FLOATS) or isinstance(one, DecimalType)):
        return one
    if kinds <= {*_INTEGERS}:
        return max(kinds, key=_INTEGERS.index)
    exact = all(kind in _INTEGERS or isinstance(kind, DecimalType) for kind in kinds)
    if exact:
        scale = max(kind.scale if isinstance(kind, DecimalType) else 0 for kind in kinds)
        return DecimalType(_WIDE_DIGITS, scale)
    if all(kind in (*_INTEGERS, *_FLOATS) or isinstance(kind, DecimalType) for kind in kinds):
        return DOUBLE
    texts = [f"{found.name} ({simple_string(found.data_type)})" for found in (left, right)]
    raise PredicateTextError(f"{' and '.join(texts)} cannot be compared")


def _plain_test(operator: str, one: pc.Expression, other: pc.Expression) -> pc.Expression:
    return _COMPARE[operator](one, other)


def _float_test(operator: str, one: pc.Expression, other: pc.Expression) -> pc.Expression:
    """Compare as Spark does: NaN equals NaN, and is greater than all other values."""
    if operator in (">", ">="):
        return _float_test(MIRRORED[operator], other, one)
    one_nan, other_nan = pc.is_nan(one), pc.is_nan(other)
    equal = pc.or_kleene(pc.equal(one, other), pc.and_kleene(one_nan, other_nan))
    if operator in ("=", "!="):
        return equal if operator == "=" else pc.invert(equal)
    before_nan = pc.and_kleene(pc.invert(one_nan), other_nan)
    less = pc.or_kleene(pc.less(one, other), before_nan)
    return less if operator == "<" else pc.or_kleene(less, equal)


def _cast(rows: pc.Expression, data_type: DataType) -> pc.Expression:
    # Large integers become the nearest float, as in Spark.
    return rows.cast(options=pc.CastOptions.unsafe(type_to_arrow(data_type)))


# ---------------------------------------------------------------------------------------- IN, LIKE


def in_list(
    column: FoundColumn, values: Iterable[ColumnValue], *, has_null: bool
) -> FilterCondition:
    """Say whether a column is in a list of constants.

    Args:
        column: The column.
        values: The constants, as `value_for("=", ...)` returns them.
        has_null: Whether null is in the list, too.
    """
    # A number that the column cannot have is compared in another way, and equals nothing.
    equal = [value for value in values if value.operator == "="]
    is_plain = column.data_type not in _FLOATS and not column.length
    if is_plain and all(value.data_type == column.data_type for value in equal):
        plain = tuple(value.plain for value in equal)
        scalars = [arrow_scalar(each, column.data_type).as_py() for each in plain]
        listed = column.rows.isin(pa.array(scalars, type_to_arrow(column.data_type)))
        # Null is neither in a list nor outside of it.
        found = pc.if_else(column.rows.is_valid(), listed, NULL)
        condition: Condition = In(column.column, plain, column.data_type, has_null=has_null)
        if not plain or "" in plain or column.data_type == BINARY:
            condition = UNKNOWN
        result = FilterCondition(found, condition)
    elif equal:
        result = joined([with_value(column, value) for value in equal], are_all=False)
    else:
        result = FilterCondition(pc.if_else(column.rows.is_valid(), _FALSE, NULL))
    return FilterCondition(pc.or_kleene(result.rows, NULL), result.files) if has_null else result


def like(column: FoundColumn, pattern: str, escape: str) -> FilterCondition:
    """Match a column of texts with a pattern of LIKE.

    Raises:
        PredicateTextError: The column has no texts, or the pattern is none.
    """
    if column.data_type != STRING:
        raise PredicateTextError(f"{column.said_type}, and LIKE is for texts")
    parts = _pattern_parts(pattern, escape)
    regex = "".join(
        {"%": ".*", "_": "."}[text] if is_wildcard else re.escape(text)
        for text, is_wildcard in parts
    )
    # The pattern is matched with the whole text, line breaks included.
    rows = pc.match_substring_regex(column.rows, pattern=rf"(?s)\A{regex}\z")
    if not parts or parts[0][1] or column.length:
        return FilterCondition(rows)
    prefix = parts[0][0]
    starts = StartsWith(column.column, prefix)
    is_prefix = [text for text, _ in parts[1:]] == ["%"]
    return FilterCondition(rows, starts if is_prefix else And((starts, UNKNOWN)))


def _pattern_parts(pattern: str, escape: str) -> list[tuple[str, bool]]:
    """Split a pattern into runs of plain text, and wildcards.

    Raises:
        PredicateTextError: The character that escapes stands before one that is not special.
    """
    parts: list[tuple[str, bool]] = []
    plain = ""
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            after = next(letters, "")
            if after not in ("%", "_", escape) or not after:
                raise PredicateTextError(f"{escape!r} escapes %, _ and itself alone in a pattern")
            plain += after
        elif letter in "%_":
            parts += [(plain, False)] if plain else []
            parts.append((letter, True))
            plain = ""
        else:
            plain += letter
    return [*parts, (plain, False)] if plain else parts
