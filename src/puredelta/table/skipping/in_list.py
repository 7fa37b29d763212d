"""Compares the bounds of a column with a list of constants."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.table.skipping.column_bounds import Interval
from puredelta.table.skipping.ordering import (
    FLOATS,
    are_comparable,
    at_most,
    ordered_values,
    valid,
)
from puredelta.table.skipping.predicate import In
from puredelta.table.skipping.stats_cache import Mask

# So many constants are compared with all files each; for longer lists the files are narrowed first.
_FEW = 8


def members(found: Interval, condition: In) -> tuple[Mask | bool, Mask | bool]:
    """Return which files can have a value in the list, and which can have one outside of it.

    Args:
        found: The bounds of the column.
        condition: The list.
    """
    minimum, maximum = found.minimum, found.maximum
    # A column without any bounds has None here, and a constant a scalar: nothing is excluded.
    comparable = are_comparable(found.data_type, condition.data_type)
    if not comparable or not condition.values or not isinstance(minimum, pa.Array):
        return True, True
    values = ordered_values(condition.values, condition.data_type)
    if pa.types.is_int64(minimum.type):
        some, others = _integers(minimum, maximum, np.unique(np.asarray(values)))
    else:
        some, others = _any_kind(minimum, maximum, values)
    if found.data_type in FLOATS and 0.0 in condition.values:
        # Spark's sets of constants distinguish the negative zero from the positive one; the bounds
        # do not, so a file of zeros need not be in the list.
        others = np.ones_like(others)
    return some, others


def _integers(minimum: pa.Array, maximum: pa.Array, values: Any) -> tuple[Mask, Mask]:
    # Missing bounds become the edges of the type. The smallest constant at or above the minimum
    # decides: where it is above the maximum, so are all later ones.
    low = np.where(valid(minimum), np.asarray(minimum.fill_null(0)), -(2**63))
    high = np.where(valid(maximum), np.asarray(maximum.fill_null(0)), 2**63 - 1)
    positions = np.searchsorted(values, low)
    nearest = values[np.minimum(positions, len(values) - 1)]
    some = (positions < len(values)) & (nearest <= high)
    return some, ~(some & (low == high))


def _any_kind(minimum: pa.Array, maximum: pa.Array, values: pa.Array) -> tuple[Mask, Mask]:
    by_value = {value.as_py(): value for value in values}
    plain = sorted(by_value)
    if len(plain) <= _FEW:
        each = (_within(minimum, maximum, value, value) for value in by_value.values())
        some = np.logical_or.reduce(list(each))
    else:
        some = _within(minimum, maximum, by_value[plain[0]], by_value[plain[-1]])
        some = _narrowed(some, minimum, maximum, plain)
    is_point = np.asarray(pc.fill_null(pc.equal(minimum, maximum), fill_value=False))
    return some, ~(some & is_point)


def _within(minimum: pa.Array, maximum: pa.Array, first: Any, last: Any) -> Mask:
    starts: Mask = np.asarray(pc.fill_null(at_most(minimum, last), fill_value=True))
    ends: Mask = np.asarray(pc.fill_null(at_most(first, maximum), fill_value=True))
    return starts & ends


def _narrowed(some: Mask, minimum: pa.Array, maximum: pa.Array, values: list[Any]) -> Mask:
    """Compare each file whose bounds overlap those of the whole list with the single values."""
    # Python compares strings by code points, which is the order of their bytes in UTF-8, too.
    rows = np.flatnonzero(some)
    taken = pa.array(rows, pa.int64())
    lows, highs = minimum.take(taken).to_pylist(), maximum.take(taken).to_pylist()
    some = some.copy()
    for row, low, high in zip(rows, lows, highs, strict=True):
        position = 0 if low is None else bisect_left(values, low)
        some[row] = position < len(values) and (high is None or values[position] <= high)
    return some
