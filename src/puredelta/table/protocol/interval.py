"""Retention periods as properties spell them: "interval 30 days", "12 hours 30 minutes"."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal

from puredelta.errors import DeltaIllegalArgumentError

_MICROSECONDS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_LONGEST = 1_000
_CALENDAR_UNITS = ("month", "year")
_PART = re.compile(r"([+-]?\s*\d+(?:\.\d+)?)\s+([a-z]+)")


def parse_interval(text: str) -> timedelta | None:
    """Read an interval of fixed length.

    Returns:
        The length, or None when the text counts months or years, whose length depends on the date.

    Raises:
        DeltaIllegalArgumentError: The text is blank or is no interval.
    """
    body = text.strip().lower()
    if not body:
        raise DeltaIllegalArgumentError("DELTA_INVALID_CALENDAR_INTERVAL_EMPTY")
    # Looking for the parts of a text takes the square of its length.
    if len(body) > _LONGEST:
        raise DeltaIllegalArgumentError("DELTA_INVALID_INTERVAL", interval=text[:_LONGEST])
    body = re.sub(r"^interval(\s+|$)", "", body)
    parts = _PART.findall(body)
    if not parts or _PART.sub("", body).strip():
        raise DeltaIllegalArgumentError("DELTA_INVALID_INTERVAL", interval=text)
    # Fractions of seconds are exact in decimal, unlike in binary.
    micros = Decimal(0)
    for number, word in parts:
        unit = word.removesuffix("s")
        if unit in _CALENDAR_UNITS:
            return None
        # Spark's intervals accept a fraction of seconds only.
        if unit not in _MICROSECONDS or ("." in number and unit != "second"):
            raise DeltaIllegalArgumentError("DELTA_INVALID_INTERVAL", interval=text)
        micros += Decimal(re.sub(r"\s", "", number)) * _MICROSECONDS[unit]
    try:
        return timedelta(microseconds=int(micros))
    # A timedelta ends at 999,999,999 days.
    except OverflowError as error:
        raise DeltaIllegalArgumentError("DELTA_INVALID_INTERVAL", interval=text) from error
