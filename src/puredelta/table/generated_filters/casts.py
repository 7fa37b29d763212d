"""What casts do to ranges, in generation expressions and backwards in filters.

Points in time lie on the wall clock of who computed the value; see `clock`.
"""

from __future__ import annotations

import re
from typing import Any

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from puredelta.table.generated_filters.calendar import DAY, FARTHEST_ZONE, LONGEST_SKIP
from puredelta.table.generated_filters.ranges import EVERYTHING, Range, mapped
from puredelta.table.statistics.datetime_text import days_from_text

INTEGERS: dict[DataType, int] = {BYTE: 7, SHORT: 15, INTEGER: 31, LONG: 63}
"""The types of whole numbers, with their bits besides the sign."""

TIMES = (DATE, TIMESTAMP, TIMESTAMP_NTZ)

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def cast_range(one: Range, source: DataType, target: DataType) -> Range | None:
    """Return where values lie once they are cast.

    Values that the cast makes null, or an error, need not lie there.

    Args:
        one: Where they lie before; points in time on a wall clock.
        source: Their type.
        target: The type they get.

    Returns:
        None for casts that are not looked into.
    """
    if source == target:
        return one
    if source in TIMES and target in TIMES:
        return _time(one, source, target)
    if source == STRING and target == DATE:
        return _date(one)
    if source in INTEGERS and target in INTEGERS:
        return _whole(one, source, target)
    if isinstance(target, DecimalType) and (source in INTEGERS or isinstance(source, DecimalType)):
        return _decimal(one, scale_of(source), target)
    if isinstance(source, DecimalType) and target in INTEGERS:
        return _truncated(one, source, target)
    return None


def scale_of(data_type: DataType) -> int:
    """Return the digits after the point of a number that is held as a whole one."""
    return data_type.scale if isinstance(data_type, DecimalType) else 0


def uncast_range(one: Range, source: DataType, target: DataType, *, in_utc: bool) -> Range | None:
    """Return where values lie that are in a range once they are cast.

    Args:
        one: Where the results lie, with bounds inside; points in time in UTC.
        source: The type of the values.
        target: The type of the results.
        in_utc: Is the time zone of the session that of UTC?

    Returns:
        None for casts that are not looked into.
    """
    if source == target:
        return one
    if source in TIMES and target in TIMES:
        return _time_before(one, source, target, in_utc=in_utc)
    if source in INTEGERS and target in INTEGERS and INTEGERS[source] < INTEGERS[target]:
        return one
    widens = isinstance(target, DecimalType) and target.scale >= scale_of(source)
    if widens and (source in INTEGERS or isinstance(source, DecimalType)):
        factor = 10 ** (scale_of(target) - scale_of(source))
        return mapped(one, lambda low: -(-low // factor), lambda high: high // factor)
    return None


def _time(one: Range, source: DataType, target: DataType) -> Range:
    walls = mapped(one, lambda days: days * DAY) if source == DATE else one
    if target == TIMESTAMP:
        return mapped(walls, lambda low: low, lambda high: high + LONGEST_SKIP)
    return mapped(walls, lambda micros: micros // DAY) if target == DATE else walls


def _time_before(one: Range, source: DataType, target: DataType, *, in_utc: bool) -> Range:
    room = FARTHEST_ZONE if TIMESTAMP in (source, target) and not in_utc else 0
    if target == DATE:
        one = mapped(one, lambda low: low * DAY, lambda high: (high + 1) * DAY - 1)
    one = mapped(one, lambda low: low - room, lambda high: high + room)
    if source == DATE:
        return mapped(one, lambda low: -(-low // DAY), lambda high: high // DAY)
    return one


def _date(one: Range) -> Range:
    """Return the date of one text; texts of dates have another order than the dates."""
    if not one.is_point or _DATE.fullmatch(one.lower) is None:
        return EVERYTHING
    days = days_from_text(one.lower)
    return EVERYTHING if days is None else Range(days, days)


def _whole(one: Range, source: DataType, target: DataType) -> Range:
    if INTEGERS[source] <= INTEGERS[target]:
        return mapped(one, _same)
    return _fitting(one, target)


def _truncated(one: Range, source: DecimalType, target: DataType) -> Range:
    factor = 10**source.scale
    return _fitting(mapped(one, lambda value: _towards_zero(value, factor)), target)


def _fitting(one: Range, target: DataType) -> Range:
    """Return numbers that all fit; others may wrap around."""
    edge = 1 << INTEGERS[target]
    has_ends = one.lower is not None and one.upper is not None
    fits = has_ends and -edge <= one.lower and one.upper < edge
    return mapped(one, _same) if fits else EVERYTHING


def _towards_zero(value: int, factor: int) -> int:
    return value // factor if value >= 0 else -(-value // factor)


def _decimal(one: Range, scale: int, target: DecimalType) -> Range:
    if target.scale >= scale:
        factor = 10 ** (target.scale - scale)
        return mapped(one, lambda value: value * factor)
    factor = 10 ** (scale - target.scale)
    return mapped(one, lambda value: _half_up(value, factor))


def _half_up(value: int, factor: int) -> int:
    away = (2 * abs(value) + factor) // (2 * factor)
    return away if value >= 0 else -away


def _same(value: Any) -> Any:
    return value
