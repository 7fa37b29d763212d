"""Floating-point numbers as Java writes them, which is how the log holds partition values."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from decimal import Decimal

_NAMES = {"nan": math.nan, "infinity": math.inf, "inf": math.inf}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?")

# Java writes numbers from 10^-3 up to 10^7 without an exponent.
_PLAIN_FROM, _PLAIN_BELOW = -3, 7


def double_text(value: float) -> str:
    """Write an 8-byte float.

    >>> double_text(12345678.9), double_text(1e-5), double_text(3.0)
    ('1.23456789E7', '1.0E-5', '3.0')
    """
    return _java_text(value, repr)


def float_text(value: float) -> str:
    """Write a 4-byte float.

    >>> float_text(0.10000000149011612)
    '0.1'
    """
    return _java_text(value, _shortest_float)


def number_from_text(text: str) -> float | None:
    """Read a number in Java's or any usual form; None for any other text."""
    sign = -1.0 if text.startswith("-") else 1.0
    name = text.lstrip("+-").lower()
    if name in _NAMES and len(text) - len(name) <= 1:
        return sign * _NAMES[name]
    # Java accepts a type suffix, as in `1.5d`, and Python does not.
    return float(text.rstrip("dDfF")) if _NUMBER.fullmatch(text) else None


def float_from_text(text: str) -> float | None:
    """Read a number and round it to the nearest 4-byte float."""
    found = number_from_text(text)
    if found is None or not math.isfinite(found):
        return found
    try:
        return float(struct.unpack("<f", struct.pack("<f", found))[0])
    except OverflowError:
        # `struct` refuses what Java rounds to infinity.
        return math.copysign(math.inf, found)


def _java_text(value: float, shortest: Callable[[float], str]) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    _, digits, exponent = Decimal(shortest(abs(value))).normalize().as_tuple()
    figures = "".join(map(str, digits))
    # The power of ten of the first digit.
    power = len(figures) - 1 + int(exponent)
    if not _PLAIN_FROM <= power < _PLAIN_BELOW:
        return f"{sign}{figures[0]}.{figures[1:] or '0'}E{power}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{figures}"
    whole = figures[: power + 1].ljust(power + 1, "0")
    return f"{sign}{whole}.{figures[power + 1 :] or '0'}"


def _shortest_float(value: float) -> str:
    """Give the shortest decimal text whose nearest 4-byte float is `value`."""
    wanted = struct.pack("<f", value)
    # Nine digits identify every 4-byte float, so the loop needs to try fewer only.
    for digits in range(1, 9):
        text = f"{value:.{digits}g}"
        try:
            if struct.pack("<f", float(text)) == wanted:
                return text
        except OverflowError:
            # Near the largest float, few digits may round up beyond it.
            continue
    return f"{value:.9g}"
