"""Dates and times as the log writes them, for any year that Spark can hold.

Python's own dates end at the years 1 and 9999; Spark's do not. Days and microseconds are counted
from 1970-01-01 in the proleptic Gregorian calendar, as in Parquet and Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from puredelta.errors import DeltaIllegalArgumentError

MICROS_PER_SECOND = 1_000_000
MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND

_EPOCH_DAY = date(1970, 1, 1).toordinal()
# The Gregorian calendar repeats after 400 years.
_CYCLE_YEARS = 400
_CYCLE_DAYS = 146_097
_LAST_DAY = date.max.toordinal() - _EPOCH_DAY
_FIRST_DAY = date.min.toordinal() - _EPOCH_DAY

# As in Spark, digits are those of ASCII.
_DATE = re.compile(r"([+-]?)(\d{4,7})-(\d{1,2})-(\d{1,2})", re.ASCII)
_TIMESTAMP = re.compile(
    r"([+-]?\d{4,7}-\d{1,2}-\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?"
    r"\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?(?::?\d{2})?)?",
    re.ASCII,
)
_FIXED_ZONE = re.compile(r"^(?:UTC|GMT|UT|Z)(?=$|[+-])", re.IGNORECASE)
_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})?:?(\d{2})?")


def days_from_text(text: str) -> int | None:
    """Count the days from 1970-01-01 to a date such as `2024-02-29` or `+10000-01-01`."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    sign, year, month, day = found.groups()
    cycles, within = divmod(int(sign + year), _CYCLE_YEARS)
    try:
        # One cycle later, since Python has no year 0; the result is moved back.
        ordinal = date(within + _CYCLE_YEARS, int(month), int(day)).toordinal()
    except ValueError:
        return None
    return ordinal - _EPOCH_DAY + (cycles - 1) * _CYCLE_DAYS


def date_text(days: int) -> str:
    """Write a count of days as `yyyy-MM-dd`; years past 9999 get a sign, as in Spark."""
    cycles, within = divmod(days - _FIRST_DAY, _CYCLE_DAYS)
    found = date.fromordinal(within + 1)
    year = found.year + cycles * _CYCLE_YEARS
    sign = "-" if year < 0 else "+" if year > date.max.year else ""
    return f"{sign}{abs(year):04d}-{found.month:02d}-{found.day:02d}"


def is_common_year(days: int) -> bool:
    """Return whether a day lies in the years 1 to 9999, which every engine can read."""
    return _FIRST_DAY <= days <= _LAST_DAY


def micros_from_text(text: str, zone: str | None = None) -> int | None:
    """Count the microseconds from 1970-01-01 00:00 to a point in time.

    Args:
        text: `2024-01-02T03:04:05.100000Z`, or without zone `2024-01-02 03:04:05.1`.
        zone: The zone of a text that names none; with None the result is wall-clock time, and a
            text with a zone is refused.
    """
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    day, hour, minute, second, fraction, offset = found.groups()
    days = days_from_text(day)
    clock = [int(part or 0) for part in (hour, minute, second)]
    if days is None or clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        return None
    seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
    micros = days * MICROS_PER_DAY + seconds * MICROS_PER_SECOND
    # Spark's unit is the microsecond: further digits are cut off.
    micros += int((fraction or "").ljust(6, "0")[:6])
    # TIMESTAMP_NTZ has no zone, so an offset in the text would change its meaning.
    if zone is None:
        return micros if offset is None else None
    shift = zone_shift(zone, micros) if offset is None else _offset_seconds(offset)
    return micros - shift * MICROS_PER_SECOND


def timestamp_text(micros: int, separator: str = " ") -> str:
    """Write microseconds as `yyyy-MM-dd HH:mm:ss`, with six more digits when they are not zero."""
    days, rest = divmod(micros, MICROS_PER_DAY)
    seconds, fraction = divmod(rest, MICROS_PER_SECOND)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    digits = f".{fraction:06d}" if fraction else ""
    return f"{date_text(days)}{separator}{clock}{digits}"


def zone_shift(zone: str, wall_micros: int) -> int:
    """Seconds that a zone's wall clock is ahead of UTC at a wall-clock time.

    A time that the clock skipped counts with the offset before the jump, one that it showed twice
    with the earlier of the two: what java.time does.

    Raises:
        DeltaIllegalArgumentError: There is no zone of that name.
    """
    return _shift(zone, wall_micros, lambda moment, rules: moment.replace(tzinfo=rules))


def utc_shift(zone: str, micros: int) -> int:
    """Seconds that a zone's wall clock is ahead of UTC at a point in time.

    Args:
        zone: The zone.
        micros: The point in time, in microseconds since 1970 in UTC.

    Raises:
        DeltaIllegalArgumentError: There is no zone of that name.
    """
    return _shift(zone, micros, lambda moment, rules: moment.astimezone(rules))


def zone_rules(zone: str) -> tzinfo:
    """Return a zone by its name in Java: `Europe/Oslo`, `UTC+2`, `GMT+02:00`.

    Raises:
        DeltaIllegalArgumentError: There is no zone of that name.
    """
    # ZoneInfo knows no zones of a fixed shift.
    bare = _FIXED_ZONE.sub("", zone)
    try:
        if not bare or _OFFSET.fullmatch(bare):
            return timezone(timedelta(seconds=_offset_seconds(bare)))
        return ZoneInfo(zone)
    # Zones are files: a name may be that of a folder, or too long for a file.
    except (ZoneInfoNotFoundError, ValueError, OSError) as reason:
        raise DeltaIllegalArgumentError("DELTA_UNKNOWN_TIME_ZONE", zone=zone) from reason


def _shift(zone: str, micros: int, in_zone: Callable[[datetime, tzinfo], datetime]) -> int:
    bare = _FIXED_ZONE.sub("", zone)
    if not bare:
        return 0
    if _OFFSET.fullmatch(bare):
        return _offset_seconds(bare)
    days = micros // MICROS_PER_DAY
    # Years that Python does not have use the offset of a year in the same position of the cycle.
    cycles = 0 if _FIRST_DAY < days < _LAST_DAY else (days - _FIRST_DAY) // _CYCLE_DAYS
    near = micros - cycles * _CYCLE_DAYS * MICROS_PER_DAY
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=near)
    offset = in_zone(moment, zone_rules(zone)).utcoffset()
    return round(offset.total_seconds()) if offset is not None else 0


def _offset_seconds(offset: str) -> int:
    found = _OFFSET.fullmatch(offset)
    if found is None:
        return 0
    sign, hours, minutes, seconds = found.groups()
    total = int(hours) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return -total if sign == "-" else total
