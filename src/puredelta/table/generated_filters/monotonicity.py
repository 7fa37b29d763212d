"""What generation expressions make of a range of their column.

A function is understood where it keeps the order of values and null stays null.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from puredelta.schema.datatypes import (
    DATE,
    INTEGER,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    PrimitiveType,
)
from puredelta.table.generated_filters.calendar import (
    DAY,
    FARTHEST_ZONE,
    LONGEST_SKIP,
    civil,
    day_of,
    first_day,
    hour_of,
    start,
)
from puredelta.table.generated_filters.casts import cast_range
from puredelta.table.generated_filters.expressions import Call, Cast, Expression
from puredelta.table.generated_filters.ranges import (
    EVERYTHING,
    Range,
    mapped,
    moved,
)
from puredelta.table.skipping.predicate import Column


@dataclass(frozen=True, slots=True)
class ImpliedRange:
    """What an expression can be.

    Attributes:
        values: Where its values lie; points in time on the wall clock of the writer.
        data_type: Its type.
        width: The length of the strings that are in order; others may be anywhere. None: all are.
    """

    values: Range
    data_type: DataType
    width: int | None = None


def implied_range(
    expression: Expression, data_type: DataType, values: Range
) -> ImpliedRange | None:
    """Say what an expression can be where its column lies in a range.

    Args:
        expression: A function of one column.
        data_type: The type of the column.
        values: Where the column lies; points in time in UTC.

    Returns:
        None for an expression that is not looked into.
    """
    match expression:
        case Column():
            return _column(data_type, values)
        case Cast(operand, target):
            return _cast(implied_range(operand, data_type, values), target)
        case Call(function, operand, arguments):
            inner = implied_range(operand, data_type, values)
            read = _FUNCTIONS.get(function)
            return None if inner is None or read is None else read(inner, *arguments)


def _column(data_type: DataType, values: Range) -> ImpliedRange | None:
    if not isinstance(data_type, (PrimitiveType, DecimalType)):
        return None
    if data_type == TIMESTAMP:
        # The range is in UTC, and the writer computed the expression by the clock of an unknown
        # zone.
        values = moved(values, FARTHEST_ZONE, FARTHEST_ZONE)
    return ImpliedRange(values, data_type)


def _cast(inner: ImpliedRange | None, target: DataType) -> ImpliedRange | None:
    # Strings of other widths may be anywhere, so nothing is known of their cast.
    if inner is None or inner.width is not None:
        return None
    values = cast_range(inner.values, inner.data_type, target)
    return None if values is None else ImpliedRange(values, target)


def _year(inner: ImpliedRange) -> ImpliedRange | None:
    dates = _cast(inner, DATE)
    if dates is None:
        return None
    return ImpliedRange(mapped(dates.values, lambda days: civil(days).year), INTEGER)


def _part(inner: ImpliedRange) -> ImpliedRange | None:
    """Return all values for a month, a day or an hour: they repeat."""
    is_time = inner.data_type in (DATE, TIMESTAMP, TIMESTAMP_NTZ)
    return ImpliedRange(EVERYTHING, INTEGER) if is_time else None


def _trunc(inner: ImpliedRange, unit: str) -> ImpliedRange | None:
    dates, first = _cast(inner, DATE), first_day(unit)
    if dates is None or first is None:
        return None
    return ImpliedRange(mapped(dates.values, first), DATE)


def _date_trunc(inner: ImpliedRange, unit: str) -> ImpliedRange | None:
    times, began = _time(inner), start(unit)
    if times is None or began is None:
        return None
    # A clock that was put forward does not show every start of a day or an hour.
    values = mapped(times.values, began, lambda high: began(high) + LONGEST_SKIP)
    return ImpliedRange(values, TIMESTAMP)


def _date_format(inner: ImpliedRange, text: str) -> ImpliedRange | None:
    times, pattern = _time(inner), _pattern_of(text)
    if times is None or pattern is None:
        return None
    return ImpliedRange(
        mapped(times.values, pattern.at_least, pattern.at_most), STRING, pattern.width
    )


def _time(inner: ImpliedRange) -> ImpliedRange | None:
    """Cast a date to a point in time, as Spark does for functions that take one."""
    return _cast(inner, TIMESTAMP) if inner.data_type in (DATE, TIMESTAMP_NTZ, TIMESTAMP) else None


def _substring(inner: ImpliedRange, position: int, length: int) -> ImpliedRange | None:
    """Take a part of a text.

    Prefixes have the order of their strings: that of the bytes in UTF-8, which is that of the
    characters. Other parts are known for a single string only.
    """
    if inner.data_type != STRING or inner.width is not None:
        return None
    values = inner.values
    if position not in (0, 1) and not values.is_point:
        return ImpliedRange(EVERYTHING, STRING)
    found = mapped(values, lambda text: _part_of(text, position, length))
    # A string below a bound can share the prefix of the bound, but not the whole bound.
    is_whole = found.upper == values.upper
    return ImpliedRange(replace(found, open_above=values.open_above and is_whole), STRING)


def _part_of(text: str, position: int, length: int) -> str:
    # SQL counts from 1, from the end where negative, and reads 0 as 1.
    first = position - 1 if position > 0 else len(text) + position if position < 0 else 0
    return text[max(first, 0) : max(first + length, 0)] if length > 0 else ""


_Read: TypeAlias = Callable[..., ImpliedRange | None]

_FUNCTIONS: Mapping[str, _Read] = {
    "year": _year,
    "month": _part,
    "day": _part,
    "hour": _part,
    "trunc": _trunc,
    "date_trunc": _date_trunc,
    "date_format": _date_format,
    "substring": _substring,
}


def wall_clock_range(expression: Expression, data_type: DataType, values: Range) -> Range | None:
    """Return the range of the wall-clock time that an expression gives, if it gives one.

    Args:
        expression: A function of one column, of a date or a point in time.
        data_type: The type of the column.
        values: Where the column lies; points in time in UTC.
    """
    found = implied_range(expression, data_type, values)
    if found is None:
        return None
    if found.data_type == DATE:
        return mapped(found.values, lambda low: low * DAY, lambda high: (high + 1) * DAY - 1)
    return found.values if found.data_type in (TIMESTAMP, TIMESTAMP_NTZ) else None


# ------------------------------------------------------------------ ordered patterns of date_format


# From the year on down without a gap; what stands between is no letter, which would mean a field,
# and no quote.
_PATTERN = re.compile(r"yyyy(?:[-/_:. ]?MM(?:[-/_:. ]?dd(?:[-/_:. ]?HH)?)?)?")
_FIELD = re.compile("yyyy|MM|dd|HH")

# Before, the older formatter, which a writer may have asked for, counts by another calendar.
_FIRST = day_of(1583) * DAY
# After, years have a sign or more digits, and another order.
_LAST = day_of(10000) * DAY - 1


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern such as `yyyy-MM`.

    Attributes:
        text: The pattern.
    """

    text: str

    @property
    def width(self) -> int:
        """How long the texts are, of years with four digits."""
        return len(self.text)

    def at_least(self, micros: int) -> str | None:
        """Return the lowest text of that width from a time on; None where it is not known."""
        return None if micros < _FIRST else self._text(min(micros, _LAST))

    def at_most(self, micros: int) -> str | None:
        """Return the highest text up to a time; None where it is not known."""
        return None if micros > _LAST else self._text(max(micros, _FIRST))

    def _text(self, micros: int) -> str:
        date = civil(micros // DAY)
        fields = {
            "yyyy": f"{date.year:04d}",
            "MM": f"{date.month:02d}",
            "dd": f"{date.day:02d}",
            "HH": f"{hour_of(micros):02d}",
        }
        return _FIELD.sub(lambda found: fields[found.group()], self.text)


def _pattern_of(text: str) -> _Pattern | None:
    """Return a pattern whose texts are in order; None for all others.

    >>> _pattern_of("yyyy-MM").at_least(0)
    '1970-01'
    """
    return _Pattern(text) if _PATTERN.fullmatch(text) else None
