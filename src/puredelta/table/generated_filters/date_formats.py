"""Patterns of `date_format` whose texts have the order of the times that they are of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from puredelta.table.generated_filters.calendar import (
    DAY,
    civil,
    day_of,
    hour_of,
)

# From the year on down without a gap; what stands between is no letter, which would mean a field,
# and no quote.
_PATTERN = re.compile(r"yyyy(?:[-/_:. ]?MM(?:[-/_:. ]?dd(?:[-/_:. ]?HH)?)?)?")
_FIELD = re.compile("yyyy|MM|dd|HH")

# Before, the older formatter, which a writer may have asked for, counts by another calendar.
_FIRST = day_of(1583) * DAY
# After, years have a sign or more digits, and another order.
_LAST = day_of(10000) * DAY - 1


@dataclass(frozen=True, slots=True)
class Pattern:
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


def pattern_of(text: str) -> Pattern | None:
    """Return a pattern whose texts are in order; None for all others.

    >>> pattern_of("yyyy-MM").at_least(0)
    '1970-01'
    """
    return Pattern(text) if _PATTERN.fullmatch(text) else None
