"""What casts do to ranges, in generation expressions and backwards in filters.

Points in time lie on the wall clock of the writer that computed the value; see `calendar`.
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

# Spark casts further spellings to dates. For those the range stays open, which keeps all files.
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def cast_range(values: Range, source: DataType, target: DataType) -> Range | None:
    """Return where values lie once they are cast.

    Values that the cast makes null, or an error, need not lie there.

    Args:
        values: Where they lie before; points in time on a wall clock.
        source: Their type.
        target: The type they get.

    Returns:
        None for casts that are not looked into.
    """
    if source == target:
        return values
    if source in TIMES and target in TIMES:
        return _time(values, source, target)
    if source == STRING and target == DATE:
        return _date(values)
    if source in INTEGERS and target in INTEGERS:
        return _whole(values, source, target)
    if isinstance(target, DecimalType) and (source in INTEGERS or isinstance(source, DecimalType)):
        return _decimal(values, scale_of(source), target)
    if isinstance(source, DecimalType) and target in INTEGERS:
        return _truncated(values, source, target)
    return None


def scale_of(data_type: DataType) -> int:
    """Return the digits after the point of a number that a range stores as an integer."""
    return data_type.scale if isinstance(data_type, DecimalType) else 0


def uncast_range(
    values: Range, source: DataType, target: DataType, *, in_utc: bool
) -> Range | None:
    """Return where values lie that are in a range once they are cast.

    Args:
        values: Where the results lie, with bounds inside; points in time in UTC.
        source: The type of the values.
        target: The type of the results.
        in_utc: Is the time zone of the session that of UTC?

    Returns:
        None for casts that are not looked into.
    """
    if source == target:
        return values
    if source in TIMES and target in TIMES:
        return _time_before(values, source, target, in_utc=in_utc)
    if source in INTEGERS and target in INTEGERS and INTEGERS[source] < INTEGERS[target]:
        return values
    widens = isinstance(target, DecimalType) and target.scale >= scale_of(source)
    if widens and (source in INTEGERS or isinstance(source, DecimalType)):
        factor = 10 ** (scale_of(target) - scale_of(source))
        # The bounds are rounded inwards: exactly the values between them have a cast in the range.
        return mapped(values, lambda low: -(-low // factor), lambda high: high // factor)
    return None


def _time(values: Range, source: DataType, target: DataType) -> Range:
    walls = mapped(values, lambda days: days * DAY) if source == DATE else values
    if target == TIMESTAMP:
        # A wall-clock time that the clock of the zone skipped becomes a later point in time.
        return mapped(walls, lambda low: low, lambda high: high + LONGEST_SKIP)
    return mapped(walls, lambda micros: micros // DAY) if target == DATE else walls


def _time_before(values: Range, source: DataType, target: DataType, *, in_utc: bool) -> Range:
    # A cast to or from TIMESTAMP uses the zone of the session, which is not known here.
    room = FARTHEST_ZONE if TIMESTAMP in (source, target) and not in_utc else 0
    if target == DATE:
        # Every time of a day has that day as its date.
        values = mapped(values, lambda low: low * DAY, lambda high: (high + 1) * DAY - 1)
    values = mapped(values, lambda low: low - room, lambda high: high + room)
    if source == DATE:
        return mapped(values, lambda low: -(-low // DAY), lambda high: high // DAY)
    return values


def _date(values: Range) -> Range:
    """Return the date of a single string; strings of dates have another order than the dates."""
    if not values.is_point or _DATE.fullmatch(values.lower) is None:
        return EVERYTHING
    days = days_from_text(values.lower)
    return EVERYTHING if days is None else Range(days, days)


def _whole(values: Range, source: DataType, target: DataType) -> Range:
    if INTEGERS[source] <= INTEGERS[target]:
        return mapped(values, _same)
    return _fitting(values, target)


def _truncated(values: Range, source: DecimalType, target: DataType) -> Range:
    factor = 10**source.scale
    return _fitting(mapped(values, lambda value: _towards_zero(value, factor)), target)


def _fitting(values: Range, target: DataType) -> Range:
    """Return numbers that all fit; others may wrap around."""
    # Without ANSI mode a cast drops the upper bits, so a range that crosses the edge loses its
    # order.
    edge = 1 << INTEGERS[target]
    has_ends = values.lower is not None and values.upper is not None
    fits = has_ends and -edge <= values.lower and values.upper < edge
    return mapped(values, _same) if fits else EVERYTHING


def _towards_zero(value: int, factor: int) -> int:
    # `//` alone rounds down; Spark drops the digits after the point.
    return value // factor if value >= 0 else -(-value // factor)


def _decimal(values: Range, scale: int, target: DecimalType) -> Range:
    if target.scale >= scale:
        factor = 10 ** (target.scale - scale)
        return mapped(values, lambda value: value * factor)
    factor = 10 ** (scale - target.scale)
    return mapped(values, lambda value: _half_up(value, factor))


def _half_up(value: int, factor: int) -> int:
    # Spark rounds halves away from zero, on both sides of it.
    away = (2 * abs(value) + factor) // (2 * factor)
    return away if value >= 0 else -away


def _same(value: Any) -> Any:
    return value
