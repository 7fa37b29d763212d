"""The bounds of a value that is cast: only casts that keep the order of values and make no null.

The year of a date keeps the order, too.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from puredelta.table.skipping.ordering import INTEGERS, ordered_floats

Bound: TypeAlias = pa.Array | pa.Scalar | None

# A decimal with fewer digits in front of the point overflows: null, or an error under ANSI.
_DIGITS: dict[DataType, int] = {BYTE: 3, SHORT: 5, INTEGER: 10, LONG: 19}
_TIMES = (DATE, TIMESTAMP, TIMESTAMP_NTZ)

_EPOCH_YEAR = 1970
_DAY = 86_400_000_000
# Java allows no zone whose clock is further from UTC.
_FARTHEST_ZONE = 18 * 3_600_000_000
_FIRST, _LAST = -(2**63), 2**63 - 1


def keeps_order(source: DataType, target: DataType) -> bool:
    """Return whether the bounds of a value stay bounds when it is cast."""
    if source == target:
        return True
    if source in _DIGITS:
        if isinstance(target, DecimalType):
            return target.precision - target.scale >= _DIGITS[source]
        is_wider = _DIGITS.get(target, 0) > _DIGITS[source]
        return is_wider or target in (FLOAT, DOUBLE)
    if isinstance(source, DecimalType) and isinstance(target, DecimalType):
        whole = target.precision - target.scale >= source.precision - source.scale
        return whole and target.scale >= source.scale
    # Casts to and from text are missing on purpose: "10" is before "9".
    return (source == FLOAT and target == DOUBLE) or (source in _TIMES and target in _TIMES)


def converted(
    minimum: Bound, maximum: Bound, source: DataType, target: DataType, *, in_utc: bool
) -> tuple[Bound, Bound] | None:
    """Return the bounds of a value that is cast, or None when nothing is known of the result.

    Args:
        minimum: Its lower bound, comparable as in `skipping.ordering`.
        maximum: Its upper bound.
        source: Its type.
        target: The type it is cast to.
        in_utc: Is the time zone of the session that of UTC?
    """
    if not keeps_order(source, target):
        return None
    if source == target:
        return minimum, maximum
    if source in _TIMES:
        # A timestamp is an instant and the other types are what a clock shows. The offset between
        # them depends on the day, so both bounds move apart by the largest one.
        is_shifted = TIMESTAMP in (source, target) and not in_utc
        room = _FARTHEST_ZONE if is_shifted else 0
        return _time(minimum, source, target, -room), _time(maximum, source, target, room)
    return _number(minimum, source, target), _number(maximum, source, target)


def years(days: Bound) -> Bound:
    """Return the years of dates, which keep their order."""
    return None if days is None else _each(days, _years)


def _years(days: pa.Array) -> pa.Array:
    plain = np.asarray(days.fill_null(0)).astype("datetime64[D]")
    counted = plain.astype("datetime64[Y]").astype(np.int64) + _EPOCH_YEAR
    return pa.array(counted, mask=np.asarray(days.is_null()))


def _number(bound: Bound, source: DataType, target: DataType) -> Bound:
    # Comparable floats are 8-byte keys already, and all integers are 8-byte integers.
    if bound is None or (source == FLOAT) or (source in INTEGERS and target in INTEGERS):
        return bound
    if isinstance(target, DecimalType):
        # The bounds of a decimal may be wider than its own type, as `data_bounds` widens them.
        return bound.cast(pa.decimal256(76, target.scale))
    return _each(bound, lambda whole: _rounded(whole, target))


def _rounded(whole: pa.Array, target: DataType) -> pa.Array:
    plain = np.asarray(whole.fill_null(0))
    # Spark rounds a large integer the same way, so the rounded bound is that of the rounded values.
    numbers = plain.astype(np.float32 if target == FLOAT else np.float64).astype(np.float64)
    return ordered_floats(pa.array(numbers, mask=np.asarray(whole.is_null())))


def _time(bound: Bound, source: DataType, target: DataType, room: int) -> Bound:
    if bound is None:
        return None
    micros = _saturated(bound, _DAY) if source == DATE else bound
    moved = _moved(micros, room) if room else micros
    return _each(moved, _days) if target == DATE else moved


def _saturated(days: Any, factor: int) -> Any:
    """Turn days into microseconds; those past the last one become the last one."""
    # The years of dates reach further than 8 bytes of microseconds; Arrow's product wraps.
    edge = _LAST // factor
    near = pc.max_element_wise(
        pc.min_element_wise(days, edge, skip_nulls=False), -edge, skip_nulls=False
    )
    return pc.multiply(near, factor)


def _moved(micros: Any, room: int) -> Any:
    # A bound at the edge stays there rather than wrap to the other end, which would skip files.
    edge = _LAST - room if room > 0 else _FIRST - room
    nearest = pc.min_element_wise if room > 0 else pc.max_element_wise
    return pc.add(nearest(micros, edge, skip_nulls=False), room)


def _days(micros: pa.Array) -> pa.Array:
    plain = np.asarray(micros.fill_null(0))
    # The day of a time before 1970 is the one that began before it: division towards zero errs.
    return pa.array(np.floor_divide(plain, _DAY), mask=np.asarray(micros.is_null()))


def _each(bound: Any, change: Any) -> Any:
    if isinstance(bound, pa.Scalar):
        return change(pa.array([bound.as_py()], bound.type))[0]
    return change(bound)
