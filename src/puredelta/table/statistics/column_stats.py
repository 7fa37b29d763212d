"""The statistics of one column of one file: its null count, and the bounds of its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """What is known of one column of one file.

    Bounds are comparable Python values: integers, floats, strings; days for dates, microseconds
    for points in time, unscaled integers at the scale of the column for decimals.

    Attributes:
        nulls: How many values are null, or None when that is unknown.
        minimum: No value that is not null is below this; None when unknown or when all are null.
        maximum: No value that is not null is above this.
    """

    nulls: int | None = None
    minimum: Any = None
    maximum: Any = None


UNKNOWN = ColumnBounds()
