"""Ranges of values: what a condition leaves of a column, and a function of the range."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """The values between two others.

    Attributes:
        lower: Nothing is below it; None for no bound.
        upper: Nothing is above it; None for no bound.
        open_below: Is `lower` itself left out?
        open_above: Is `upper` itself left out?
    """

    lower: Any = None
    upper: Any = None
    open_below: bool = False
    open_above: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether there is no bound."""
        return self.lower is None and self.upper is None

    @property
    def is_point(self) -> bool:
        """Whether the range is a single value."""
        return self.lower is not None and self.lower == self.upper


EVERYTHING = Range()


def mapped(
    values: Range, low: Callable[[Any], Any], high: Callable[[Any], Any] | None = None
) -> Range:
    """Return the range of a function that keeps the order of values.

    Values that differ may become the same, so the bounds themselves belong to it.

    Args:
        values: Where the function's argument lies.
        low: What it makes of the lower bound; None for no bound.
        high: What it makes of the upper bound, where that is another function.
    """
    high = high or low
    # No bound stays no bound; the flags of open bounds are dropped, which only widens the range.
    lower = None if values.lower is None else low(values.lower)
    upper = None if values.upper is None else high(values.upper)
    return Range(lower, upper)


def moved(values: Range, down: int, up: int) -> Range:
    """Return a range whose bounds are further apart."""
    return mapped(values, lambda lower: lower - down, lambda upper: upper + up)


def joined(ranges: Iterable[Range], most: int) -> list[Range]:
    """Return ranges that cover the same values; ranges that overlap are united.

    Args:
        ranges: Each with both bounds, both of them inside.
        most: Where more ranges are left, a single one that spans them all is returned.
    """
    # In the order of their lower bounds, a range can overlap only the last one that was united.
    found: list[Range] = []
    for interval in sorted(ranges, key=lambda each: each.lower):
        if found and interval.lower <= found[-1].upper:
            found[-1] = Range(found[-1].lower, max(found[-1].upper, interval.upper))
        else:
            found.append(interval)
    return found if len(found) <= most else [Range(found[0].lower, found[-1].upper)]
