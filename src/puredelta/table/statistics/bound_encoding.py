"""Bounds of column values as statistics write them: what is cut, what is rounded, what is left out.

Protocol: Per-file Statistics. A bound that cannot be recorded safely is left out: a reader may then
read a file in vain, and never misses a row.
"""

from __future__ import annotations

import math

import msgspec

from puredelta.table.statistics.datetime_text import (
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    date_text,
    is_common_year,
)

JsonValue = int | float | str | msgspec.Raw

LAST_CHARACTER = "\U0010ffff"
_ASCII_TIE_BREAKER = "\x7f"
_LAST_OF_ONE_UNIT = 0xFFFF


def lower_text(text: str, prefix: int) -> str | None:
    """Cut a minimum value: a prefix sorts before all that it begins."""
    return text[: _characters(text, prefix)] if prefix else None


def upper_text(text: str, prefix: int) -> str | None:
    """Cut a maximum value and end it with a character above all that was cut off.

    Returns:
        None when no such character exists near the prefix.
    """
    cut = _characters(text, prefix)
    if cut == len(text):
        return text if prefix else None
    # No character sorts above the last one, so it stays and the cut moves behind it.
    while cut < len(text) and text[cut] == LAST_CHARACTER:
        cut += 1
    # delta-spark gives up at the same length.
    if prefix == 0 or cut > 2 * prefix:
        return None
    if cut == len(text):
        return text
    # The tie-breaker sorts above what was cut off. DEL is one byte in UTF-8, the last character
    # four.
    return text[:cut] + (_ASCII_TIE_BREAKER if text[cut] < _ASCII_TIE_BREAKER else LAST_CHARACTER)


def _characters(text: str, units: int) -> int:
    """Return how many characters contain the first UTF-16 units; no surrogate pair is split."""
    # In ASCII every character is one unit: the usual case needs no loop.
    if text.isascii():
        return min(len(text), units)
    used = 0
    for position, character in enumerate(text):
        if used >= units:
            return position
        # Spark cuts by UTF-16 units, of which a character beyond U+FFFF takes two.
        used += 2 if ord(character) > _LAST_OF_ONE_UNIT else 1
    return len(text)


def date_bound(days: int) -> str | None:
    """Write a date; years that other engines cannot read have no bound."""
    return date_text(days) if is_common_year(days) else None


def timestamp_bound(micros: int, suffix: str) -> str | None:
    """Write a point in time, rounded down to milliseconds: readers add one to an upper bound."""
    days, rest = divmod(micros, MICROS_PER_DAY)
    if not is_common_year(days):
        return None
    seconds, fraction = divmod(rest, MICROS_PER_SECOND)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{date_text(days)}T{clock}.{fraction // 1000:03d}{suffix}"


def decimal_bound(unscaled: int, scale: int) -> msgspec.Raw:
    """Write a decimal as a JSON number with all its digits, which a float would lose."""
    return msgspec.Raw(decimal_text(unscaled, scale).encode())


def decimal_text(unscaled: int, scale: int) -> str:
    """Write `unscaled` / 10^`scale` without an exponent: (150, 2) is 1.50."""
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    sign = "-" if unscaled < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}" if scale else f"{sign}{digits}"


def double_bound(value: float) -> float | None:
    """Keep a finite number; JSON has no others."""
    return value if math.isfinite(value) else None
