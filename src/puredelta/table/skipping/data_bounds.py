"""Turns the bounds in the log into comparable ones that are valid for every row.

Protocol: Per-file Statistics; Partition Value Serialization.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.files import partition_texts
from puredelta.schema.datatypes import STRING, TIMESTAMP, TIMESTAMP_NTZ, DecimalType
from puredelta.table.partition_values import plain_from_text, typed_column
from puredelta.table.skipping.columns import StatsColumn
from puredelta.table.skipping.ordering import ordered_array

Bounds: TypeAlias = tuple[pa.Array, pa.Array]

_MILLISECOND = 1_000
_LAST_MICRO = 2**63 - 1
_CONTROLS = r"[\x00-\x1f]"

# Decimals of so many digits survive an 8-byte float; longer ones lose at most this share.
_EXACT_DIGITS = 15
_FLOAT_LOSS = math.ulp(1.0) * 4
_LAST_INTEGER = 2.0**63
# A sum of two decimals has one digit more, and Arrow allows 76.
_DIGITS = 75


def bounds_from_statistics(minimum: pa.Array, maximum: pa.Array, column: StatsColumn) -> Bounds:
    """Make the bounds in statistics comparable, and as wide as the loss of digits requires.

    Args:
        minimum: Lower bounds, in the Arrow type of the column.
        maximum: Upper bounds.
        column: The column.
    """
    if column.was_float:
        minimum, maximum = _for_floats(minimum, maximum)
    if isinstance(column.data_type, DecimalType):
        return _for_decimals(minimum, maximum, column.data_type)
    minimum = ordered_array(minimum, column.data_type)
    maximum = ordered_array(maximum, column.data_type)
    if column.data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        # Writers truncate to milliseconds, so a value may be up to one later than its maximum. The
        # sum saturates, as it does in delta-spark.
        room = pc.min_element_wise(maximum, _LAST_MICRO - _MILLISECOND, skip_nulls=False)
        maximum = pc.add(room, _MILLISECOND)
    if column.padded_to:
        maximum = _padded(maximum, column.padded_to)
    return minimum, maximum


def bounds_from_partitions(
    maps: pa.Array, column: StatsColumn
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Read the values of a partition column, which are their own bounds.

    Args:
        maps: The partition values of some files.
        column: The column.

    Returns:
        Lower bounds, upper bounds, and whether the value is null.

    Raises:
        DeltaRuntimeError: A value is none of the column's type.
    """
    texts = partition_texts(maps, column.path[0])
    # Whether a value is null is known even where its text is of no use as a bound.
    is_null = pc.is_null(texts)
    if column.data_type == TIMESTAMP:
        texts = _with_zone(texts)
    values = ordered_array(typed_column(texts, column.data_type), column.data_type)
    if column.data_type == STRING and column.padded_to:
        return values, _padded(values, column.padded_to), is_null
    return values, values, is_null


def _for_floats(minimum: pa.Array, maximum: pa.Array) -> Bounds:
    """Widen bounds that were written for a float: 0.1 as a double is less than 0.1 as a float."""
    low, high = (bound.cast(pa.float32()).cast(pa.float64()) for bound in (minimum, maximum))
    return (
        pc.min_element_wise(minimum, low, skip_nulls=False),
        pc.max_element_wise(maximum, high, skip_nulls=False),
    )


def _for_decimals(minimum: pa.Array, maximum: pa.Array, data_type: DecimalType) -> Bounds:
    """Widen the bounds of long decimals, which some writers convert to 8-byte floats."""
    if data_type.precision <= _EXACT_DIGITS:
        return minimum, maximum
    wide = pa.decimal256(_DIGITS, data_type.scale)
    low, low_loss = _with_loss(minimum, wide)
    high, high_loss = _with_loss(maximum, wide)
    return pc.subtract(low, low_loss), pc.add(high, high_loss)


def _with_loss(bound: pa.Array, wide: pa.DataType) -> Bounds:
    numbers = np.abs(np.asarray(bound.cast(pa.float64()).fill_null(0.0)))
    loss = pa.array(numbers * _FLOAT_LOSS).cast(wide)
    # deltalake 1.6 writes larger numbers as the last 8-byte integer, which is no bound of them.
    is_sure = pa.array(numbers != _LAST_INTEGER)
    return pc.if_else(is_sure, bound.cast(wide), pa.scalar(None, wide)), loss


def _padded(maximum: pa.Array, width: int) -> pa.Array:
    """Widen maxima by the blanks that readers of a char(n) append to shorter strings."""
    # A padded bound must not be below the bound itself. It would be if a string continued with a
    # character below the blank, so such bounds are left out.
    unsafe = pc.match_substring_regex(maximum, _CONTROLS)
    filled = pc.binary_join_element_wise(maximum, " " * width, "")
    return pc.if_else(unsafe, pa.scalar(None, pa.string()), filled)


def _with_zone(texts: pa.Array) -> pa.Array:
    """Leave out points in time whose strings do not name the zone of their writer."""
    # Few distinct values stand for many files, and parsing is Python's.
    encoded = texts.dictionary_encode()
    sure = [text if _is_same_everywhere(text) else None for text in encoded.dictionary.to_pylist()]
    return pa.array(sure, pa.string()).take(encoded.indices)


def _is_same_everywhere(text: str) -> bool:
    # A string with an offset of its own ignores the zone that is passed.
    in_utc, east_of_it = (plain_from_text(text, TIMESTAMP, zone) for zone in ("UTC", "+01:00"))
    return bool(in_utc == east_of_it)
