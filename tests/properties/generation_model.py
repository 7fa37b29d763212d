"""What Spark makes of generation expressions, in plain Python."""

from datetime import datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DecimalType,
)
from puredelta.table.generated_filters.expressions import Call, Cast
from puredelta.table.skipping.predicate import Column

DAY = 86_400_000_000
HOUR = 3_600_000_000
BITS = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CYCLE = 146_097 * DAY


def generated(expression, value, data_type, zone):
    """The value and the type of an expression, computed in a session of some zone."""
    match expression:
        case Column():
            return value, data_type
        case Cast(operand, target):
            inner, source = generated(operand, value, data_type, zone)
            return (None if inner is None else cast(inner, source, target, zone)), target
        case Call(function, operand, arguments):
            inner, source = generated(operand, value, data_type, zone)
            return FUNCTIONS[function](inner, source, zone, *arguments)


def offset(zone, near):
    """What a zone is ahead of UTC at a point in time, in microseconds."""
    cycles = 0 if -CYCLE < near < CYCLE else near // CYCLE
    found = (EPOCH + timedelta(microseconds=near - cycles * CYCLE)).astimezone(at(zone))
    return round(found.utcoffset().total_seconds()) * 1_000_000


@cache
def at(zone):
    sign = {"+": 1, "-": -1}.get(zone[0])
    return ZoneInfo(zone) if sign is None else timezone(sign * timedelta(hours=int(zone[1:3])))


def wall(instant, zone):
    """The wall clock at a point in time."""
    return instant + offset(zone, instant)


def instant(clock, zone, *, of_day=False):
    """The point in time of a wall clock, as java.time has it."""
    before, after = offset(zone, clock - DAY - 12 * HOUR), offset(zone, clock + DAY + 12 * HOUR)
    for one in sorted({before, after, *near_offsets(zone, clock)}, reverse=True):
        if wall(clock - one, zone) == clock:
            return clock - one
    # Put forward over it: what is asked for begins with the change, or is as much later.
    low, high = clock - max(before, after), clock - min(before, after)
    if not of_day:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wall(middle, zone) >= clock else (middle, high)
    return high


def near_offsets(zone, clock):
    return {offset(zone, clock + hours * HOUR) for hours in range(-36, 37, 6)}


def cast(value, source, target, zone):
    if source == target:
        return value
    if source == STRING:
        try:
            return int(np.datetime64(value, "D").astype(int))
        except ValueError:
            return None
    if target in BITS:
        factor = 10 ** getattr(source, "scale", 0)
        return wrapped(abs(value) // factor * (1 if value >= 0 else -1), BITS[target])
    if isinstance(target, DecimalType):
        return to_decimal(value, getattr(source, "scale", 0), target)
    clock = value * DAY if source == DATE else value
    if source == TIMESTAMP:
        clock = wall(value, zone)
    if target == TIMESTAMP:
        return instant(clock, zone, of_day=source == DATE)
    return clock // DAY if target == DATE else clock


def wrapped(value, bits):
    """What is left of a number in so many bits."""
    half = 1 << bits - 1
    return (value + half) % (1 << bits) - half


def to_decimal(value, scale, target):
    numerator, denominator = (
        value * 10 ** max(target.scale - scale, 0),
        10 ** max(scale - target.scale, 0),
    )
    rounded = (abs(numerator) * 2 + denominator) // (2 * denominator)
    found = rounded if value >= 0 else -rounded
    return found if abs(found) < 10**target.precision else None


def date_of(value, source, zone):
    """A date in Python's and numpy's terms: year, month, day."""
    days = np.datetime64(cast(value, source, DATE, zone), "D")
    months = days.astype("datetime64[M]")
    year = int(months.astype("datetime64[Y]").astype(np.int64)) + 1970
    month = int(months.astype(np.int64)) % 12 + 1
    return year, month, int((days - months.astype("datetime64[D]")).astype(np.int64)) + 1


def clock_of(value, source, zone):
    if source == TIMESTAMP_NTZ:
        return value
    return wall(cast(value, source, TIMESTAMP, zone), zone)


def part(place):
    def read(value, source, zone):
        return (None if value is None else date_of(value, source, zone)[place]), INTEGER

    return read


def hour(value, source, zone):
    found = None if value is None else clock_of(value, source, zone) % DAY // HOUR
    return found, INTEGER


def first_of(days, unit):
    date = np.datetime64(days, "D")
    if unit == "WEEK":
        return days - (days + 3) % 7
    if unit == "QUARTER":
        months = int(date.astype("datetime64[M]").astype(np.int64))
        return int(np.datetime64(months - months % 3, "M").astype("datetime64[D]").astype(np.int64))
    letter = {"MM": "M", "YEAR": "Y"}[unit]
    first = date.astype(f"datetime64[{letter}]").astype("datetime64[D]")
    return int(first.astype(np.int64))


def trunc(value, source, zone, unit):
    found = None if value is None else cast(value, source, DATE, zone)
    return (None if found is None else first_of(found, unit)), DATE


def date_trunc(value, source, zone, unit):
    if value is None:
        return None, TIMESTAMP
    moment = cast(value, source, TIMESTAMP, zone)
    if unit == "SECOND":
        return moment // 1_000_000 * 1_000_000, TIMESTAMP
    clock = wall(moment, zone)
    if unit in ("HOUR", "DAY"):
        length = HOUR if unit == "HOUR" else DAY
        began = clock - clock % length
        keeps = wall(began - (clock - moment), zone) == began
        return (began - (clock - moment) if keeps else instant(began, zone)), TIMESTAMP
    return instant(first_of(clock // DAY, unit) * DAY, zone, of_day=True), TIMESTAMP


def date_format(value, source, zone, pattern):
    if value is None:
        return None, STRING
    clock = wall(cast(value, source, TIMESTAMP, zone), zone)
    year, month, day = date_of(clock // DAY, DATE, zone)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    fields = {
        "yyyy": f"{sign}{abs(year):04d}",
        "MM": f"{month:02d}",
        "dd": f"{day:02d}",
        "HH": f"{clock % DAY // HOUR:02d}",
    }
    for letters, digits in fields.items():
        pattern = pattern.replace(letters, digits)
    return pattern, STRING


def substring(value, source, zone, position, length):
    if value is None:
        return None, STRING
    first = position - 1 if position > 0 else position + len(value) if position < 0 else 0
    kept = [one for place, one in enumerate(value) if first <= place < first + length]
    return "".join(kept), STRING


FUNCTIONS = {
    "year": part(0),
    "month": part(1),
    "day": part(2),
    "hour": hour,
    "trunc": trunc,
    "date_trunc": date_trunc,
    "date_format": date_format,
    "substring": substring,
}
