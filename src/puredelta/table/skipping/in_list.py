"""Whether the values of a column lie in a list of constants."""

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

# So many constants are compared one by one; for longer lists files are narrowed down first.
_FEW = 8


def members(found: Interval, condition: In) -> tuple[Mask | bool, Mask | bool]:
    """Return where some value may be in the list, and where some value may not be in it.

    Args:
        found: What is known of the column.
        condition: The list.
    """
    least, greatest = found.least, found.greatest
    comparable = are_comparable(found.data_type, condition.data_type)
    if not comparable or not condition.values or not isinstance(least, pa.Array):
        return True, True
    values = ordered_values(condition.values, condition.data_type)
    if pa.types.is_int64(least.type):
        some, others = _integers(least, greatest, np.unique(np.asarray(values)))
    else:
        some, others = _any_kind(least, greatest, values)
    if found.data_type in FLOATS and 0.0 in condition.values:
        # Spark's sets of constants tell the negative zero from the positive one.
        others = np.ones_like(others)
    return some, others


def _integers(least: pa.Array, greatest: pa.Array, values: Any) -> tuple[Mask, Mask]:
    low = np.where(valid(least), np.asarray(least.fill_null(0)), -(2**63))
    high = np.where(valid(greatest), np.asarray(greatest.fill_null(0)), 2**63 - 1)
    places = np.searchsorted(values, low)
    nearest = values[np.minimum(places, len(values) - 1)]
    some = (places < len(values)) & (nearest <= high)
    return some, ~(some & (low == high))


def _any_kind(least: pa.Array, greatest: pa.Array, values: pa.Array) -> tuple[Mask, Mask]:
    by_value = {value.as_py(): value for value in values}
    plain = sorted(by_value)
    if len(plain) <= _FEW:
        each = (_within(least, greatest, value, value) for value in by_value.values())
        some = np.logical_or.reduce(list(each))
    else:
        some = _within(least, greatest, by_value[plain[0]], by_value[plain[-1]])
        some = _narrowed(some, least, greatest, plain)
    is_point = np.asarray(pc.fill_null(pc.equal(least, greatest), fill_value=False))
    return some, ~(some & is_point)


def _within(least: pa.Array, greatest: pa.Array, first: Any, last: Any) -> Mask:
    starts: Mask = np.asarray(pc.fill_null(at_most(least, last), fill_value=True))
    ends: Mask = np.asarray(pc.fill_null(at_most(first, greatest), fill_value=True))
    return starts & ends


def _narrowed(some: Mask, least: pa.Array, greatest: pa.Array, values: list[Any]) -> Mask:
    """Look closer at the files whose bounds meet those of the whole list."""
    # Python compares texts by characters, which is the order of their bytes too.
    rows = np.flatnonzero(some)
    taken = pa.array(rows, pa.int64())
    lows, highs = least.take(taken).to_pylist(), greatest.take(taken).to_pylist()
    some = some.copy()
    for row, low, high in zip(rows, lows, highs, strict=True):
        place = 0 if low is None else bisect_left(values, low)
        some[row] = place < len(values) and (high is None or values[place] <= high)
    return some
