"""Bounds of columns, from what the log says to what surely holds.

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

# Digits that go through an 8-byte float unharmed, and what others lose at most.
_EXACT_DIGITS = 15
_FLOAT_LOSS = math.ulp(1.0) * 4
_LAST_INTEGER = 2.0**63
# Sums have one digit more, and Arrow knows up to 76.
_DIGITS = 75


def bounds_from_statistics(least: pa.Array, greatest: pa.Array, place: StatsColumn) -> Bounds:
    """Make the bounds in statistics comparable, and wide enough for what their texts leave out.

    Args:
        least: Lower bounds, in the Arrow type of the column.
        greatest: Upper bounds.
        place: The column.
    """
    if place.was_float:
        least, greatest = _for_floats(least, greatest)
    if isinstance(place.data_type, DecimalType):
        return _for_decimals(least, greatest, place.data_type)
    least = ordered_array(least, place.data_type)
    greatest = ordered_array(greatest, place.data_type)
    if place.data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        # Statistics are cut to milliseconds.
        room = pc.min_element_wise(greatest, _LAST_MICRO - _MILLISECOND, skip_nulls=False)
        greatest = pc.add(room, _MILLISECOND)
    if place.padded_to:
        greatest = _padded(greatest, place.padded_to)
    return least, greatest


def bounds_from_partitions(
    maps: pa.Array, place: StatsColumn
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Read the values of a partition column, which are their own bounds.

    Args:
        maps: The partition values of some files.
        place: The column.

    Returns:
        Lower bounds, upper bounds, and whether the value is null.

    Raises:
        DeltaRuntimeError: A value is none of the column's type.
    """
    texts = partition_texts(maps, place.path[0])
    is_null = pc.is_null(texts)
    if place.data_type == TIMESTAMP:
        texts = _with_zone(texts)
    values = ordered_array(typed_column(texts, place.data_type), place.data_type)
    if place.data_type == STRING and place.padded_to:
        return values, _padded(values, place.padded_to), is_null
    return values, values, is_null


def _for_floats(least: pa.Array, greatest: pa.Array) -> Bounds:
    """Make room for what a text lost that was written for a float: 0.1 is less than (float) 0.1."""
    low, high = (bound.cast(pa.float32()).cast(pa.float64()) for bound in (least, greatest))
    return (
        pc.min_element_wise(least, low, skip_nulls=False),
        pc.max_element_wise(greatest, high, skip_nulls=False),
    )


def _for_decimals(least: pa.Array, greatest: pa.Array, data_type: DecimalType) -> Bounds:
    """Make room for what long decimals lose with writers that take them through 8 bytes."""
    if data_type.precision <= _EXACT_DIGITS:
        return least, greatest
    wide = pa.decimal256(_DIGITS, data_type.scale)
    low, low_loss = _with_loss(least, wide)
    high, high_loss = _with_loss(greatest, wide)
    return pc.subtract(low, low_loss), pc.add(high, high_loss)


def _with_loss(bound: pa.Array, wide: pa.DataType) -> Bounds:
    numbers = np.abs(np.asarray(bound.cast(pa.float64()).fill_null(0.0)))
    loss = pa.array(numbers * _FLOAT_LOSS).cast(wide)
    # Larger numbers became the last 8-byte integer (deltalake 1.6), which bounds nothing then.
    is_sure = pa.array(numbers != _LAST_INTEGER)
    return pc.if_else(is_sure, bound.cast(wide), pa.scalar(None, wide)), loss


def _padded(greatest: pa.Array, width: int) -> pa.Array:
    """Make room for the blanks that readers of a char(n) put behind shorter texts.

    What a text is shortened by, and filled up to, must not be above it: characters below the blank
    would be.
    """
    unsafe = pc.match_substring_regex(greatest, _CONTROLS)
    filled = pc.binary_join_element_wise(greatest, " " * width, "")
    return pc.if_else(unsafe, pa.scalar(None, pa.string()), filled)


def _with_zone(texts: pa.Array) -> pa.Array:
    """Leave out points in time that do not say in which zone they were written."""
    encoded = texts.dictionary_encode()
    sure = [text if _is_same_everywhere(text) else None for text in encoded.dictionary.to_pylist()]
    return pa.array(sure, pa.string()).take(encoded.indices)


def _is_same_everywhere(text: str) -> bool:
    here, there = (plain_from_text(text, TIMESTAMP, zone) for zone in ("UTC", "+01:00"))
    return bool(here == there)
