"""Calendar arithmetic on days and microseconds since 1970-01-01, for any year.

A point in time is counted on the wall clock of the writer that computed a partition value. The log
does not record the zone of that clock; `FARTHEST_ZONE` bounds its offset from UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

FARTHEST_ZONE = 18 * HOUR
"""The largest offset of a zone from UTC that Java allows."""

LONGEST_SKIP = DAY
"""The largest jump forward of a clock: a day, on islands that moved over the date line.

A wall-clock time within the jump, and so a date, becomes a later one when it is cast to a point in
time.
"""

_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097  # the Gregorian calendar repeats
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_MONDAY = 4  # 1970-01-05
_WEEK = 7


class Civil(NamedTuple):
    """A date in the proleptic Gregorian calendar; the year 0 is 1 BC."""

    year: int
    month: int
    day: int


def civil(days: int) -> Civil:
    """Return the date of a day.

    >>> civil(-719529)
    Civil(year=-1, month=12, day=31)
    """
    # Python's dates end at the years 1 and 9999, Spark's do not. A shift by whole cycles keeps
    # month and day.
    cycles, within = divmod(days + _EPOCH_DAY - 1, _CYCLE_DAYS)
    found = date.fromordinal(within + 1)
    return Civil(found.year + cycles * _CYCLE_YEARS, found.month, found.day)


def day_of(year: int, month: int = 1, day: int = 1) -> int:
    """Return the day of a date.

    >>> day_of(1970, 1, 2)
    1
    """
    cycles, within = divmod(year - 1, _CYCLE_YEARS)
    return date(within + 1, month, day).toordinal() - _EPOCH_DAY + cycles * _CYCLE_DAYS


def hour_of(micros: int) -> int:
    """Return the hour on a wall clock."""
    return micros % DAY // HOUR


def first_day(unit: str) -> Callable[[int], int] | None:
    """Return the function from a day to the first day of its week, month, quarter or year.

    Args:
        unit: As `trunc` of Spark takes it, in any case.

    Returns:
        None for a unit that `trunc` does not know: it makes null of all dates.
    """
    return _FIRST_DAYS.get(unit.upper())


def start(unit: str) -> Callable[[int], int] | None:
    """Return the function from a wall-clock time to the start of its unit, as `date_trunc` has it.

    Args:
        unit: As `date_trunc` takes it, in any case.

    Returns:
        None for a unit that it does not know.
    """
    # Units up to a day have a fixed length on a wall clock; the longer ones follow the calendar.
    length = _LENGTHS.get(unit.upper())
    if length is not None:
        return lambda micros: micros - micros % length
    days = first_day(unit)
    return None if days is None else lambda micros: days(micros // DAY) * DAY


def _week(days: int) -> int:
    return days - (days - _MONDAY) % _WEEK


def _month(days: int) -> int:
    found = civil(days)
    return day_of(found.year, found.month)


def _quarter(days: int) -> int:
    found = civil(days)
    return day_of(found.year, (found.month - 1) // 3 * 3 + 1)


def _year(days: int) -> int:
    return day_of(civil(days).year)


_FIRST_DAYS: Mapping[str, Callable[[int], int]] = {
    "WEEK": _week,
    **dict.fromkeys(("MON", "MONTH", "MM"), _month),
    "QUARTER": _quarter,
    **dict.fromkeys(("YEAR", "YYYY", "YY"), _year),
}
_LENGTHS = {
    "MICROSECOND": 1,
    "MILLISECOND": MILLISECOND,
    "SECOND": SECOND,
    "MINUTE": MINUTE,
    "HOUR": HOUR,
    "DAY": DAY,
    "DD": DAY,
}
