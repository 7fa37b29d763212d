"""What a condition leaves of one column: ranges of it, or its nulls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from puredelta.schema.datatypes import (
    DATE,
    INTEGER,
    STRING,
    DataType,
    DecimalType,
    PrimitiveType,
    StructType,
)
from puredelta.table.generated_filters.calendar import day_of
from puredelta.table.generated_filters.casts import INTEGERS, TIMES, uncast_range
from puredelta.table.generated_filters.ranges import EVERYTHING, Range, mapped
from puredelta.table.skipping.predicate import (
    MIRRORED,
    OPERANDS,
    CastValue,
    Column,
    Comparison,
    Condition,
    In,
    IsNull,
    Literal,
    Operand,
    Path,
    StartsWith,
    YearValue,
)

# A longer list becomes the range from its minimum to its maximum, which bounds the work.
_MOST_VALUES = 1000

_LAST_CHARACTER = chr(0x10FFFF)
# Surrogates are no characters: U+E000 follows U+D7FF.
_SURROGATES, _AFTER_SURROGATES = 0xD800, 0xE000


@dataclass(frozen=True, slots=True)
class ColumnRange:
    """The values of a column that a condition is true for.

    Attributes:
        path: The column.
        ranges: Where its values lie; None when they are null. Points in time are in UTC.
    """

    path: Path
    ranges: tuple[Range, ...] | None


def column_ranges(condition: Condition, schema: StructType) -> ColumnRange | None:
    """Say for which values of a column a condition can be true.

    Args:
        condition: A condition that is not joined from others.
        schema: Of the table.

    Returns:
        None when the condition names several columns, or has a form that is not understood.
    """
    match condition:
        # Against null, `<=>` is true for nulls only; against any other literal it is true where `=`
        # is.
        case Comparison("<=>", operand, Literal(None)) | Comparison("<=>", Literal(None), operand):
            return _null(operand)
        case Comparison(operator, operand, Literal(value, kind)):
            return _of_ranges(operand, [_range(operator, value, kind)], kind, schema)
        case Comparison(operator, Literal(value, kind), operand):
            return _of_ranges(operand, [_range(MIRRORED[operator], value, kind)], kind, schema)
        case In(operand, values, kind):
            return _of_ranges(operand, _points(values), kind, schema)
        case StartsWith(operand, prefix):
            return _of_ranges(operand, [_beginning_with(prefix)], STRING, schema)
        case IsNull(of) if isinstance(of, OPERANDS):
            return _null(of)
        case _:
            return None


def column_type(schema: StructType, path: Path) -> DataType | None:
    """Return the type of a column, or of a field in structs; None when there is none."""
    found: DataType = schema
    for name in path:
        field = found.field(name) if isinstance(found, StructType) else None
        if field is None:
            return None
        found = field.data_type
    return found


def _null(operand: Operand) -> ColumnRange | None:
    """Return the nulls of a column; a cast or `year` around it makes no further ones."""
    match operand:
        case Column(path):
            return ColumnRange(path, None)
        case CastValue(inner) | YearValue(inner):
            return _null(inner)
        case _:
            return None


def _range(operator: str, value: Any, data_type: DataType) -> Range:
    is_whole = data_type in INTEGERS or data_type in TIMES or isinstance(data_type, DecimalType)
    # A comparison with null is never true, and `!=` leaves out a single value: no range says
    # either.
    if value is None or operator == "!=":
        return EVERYTHING
    # Whole numbers have a neighbour, so an open bound becomes a closed one, which `mapped` keeps.
    if operator == "<":
        return Range(None, value - 1) if is_whole else Range(None, value, open_above=True)
    if operator == ">":
        return Range(value + 1) if is_whole else Range(value, open_below=True)
    return Range(
        None if operator == "<=" else value,
        None if operator == ">=" else value,
    )


def _points(values: Sequence[Any]) -> list[Range]:
    """Return the values of a list; of a long list the range that spans them."""
    if len(values) > _MOST_VALUES:
        return [Range(min(values), max(values))]
    return [Range(value, value) for value in values]


def _beginning_with(prefix: str) -> Range:
    """Return the strings from a prefix to the first string after all that begin with it."""
    if not prefix:
        return EVERYTHING
    # The last character has no successor, so the character before it is raised.
    kept = prefix.rstrip(_LAST_CHARACTER)
    if not kept:
        return Range(prefix)
    following = ord(kept[-1]) + 1
    after = _AFTER_SURROGATES if following == _SURROGATES else following
    return Range(prefix, kept[:-1] + chr(after), open_above=True)


def _of_ranges(
    operand: Operand, ranges: list[Range], data_type: DataType, schema: StructType
) -> ColumnRange | None:
    """Turn the ranges of an expression over a column into ranges of the column."""
    # A literal of another type counts in other units: days instead of microseconds, another scale.
    if not _same_kind(_type_of(operand, schema), data_type):
        return None
    before = [_before(operand, interval, schema) for interval in ranges]
    known = [each for each in before if each is not None]
    path = _path(operand)
    if path is None or len(known) < len(before) or any(each.is_everything for each in known):
        return None
    return ColumnRange(path, tuple(known))


def _same_kind(found: DataType | None, literal: DataType) -> bool:
    if isinstance(found, DecimalType) and isinstance(literal, DecimalType):
        return found.scale == literal.scale
    return found == literal


def _type_of(operand: Operand, schema: StructType) -> DataType | None:
    match operand:
        case Column(path):
            found = column_type(schema, path)
            return found if isinstance(found, (PrimitiveType, DecimalType)) else None
        case CastValue(_, data_type):
            return data_type
        case YearValue():
            return INTEGER
        case _:
            return None


def _path(operand: Operand) -> Path | None:
    while isinstance(operand, (CastValue, YearValue)):
        operand = operand.operand
    return operand.path if isinstance(operand, Column) else None


def _before(operand: Operand, values: Range, schema: StructType) -> Range | None:
    match operand:
        case Column():
            return values
        case CastValue(inner, target, in_utc):
            source = _type_of(inner, schema)
            if source is None:
                return None
            found = uncast_range(values, source, target, in_utc=in_utc)
            return None if found is None else _before(inner, found, schema)
        case YearValue(inner):
            # The year of a point in time depends on the time zone of the session.
            if _type_of(inner, schema) != DATE:
                return None
            days = mapped(values, day_of, lambda year: day_of(year + 1) - 1)
            return _before(inner, days, schema)
        case _:
            return None
