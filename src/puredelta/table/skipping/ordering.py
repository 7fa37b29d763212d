"""Turns values of each type into ones that Arrow compares in Spark's order.

Booleans, integers, dates and points in time become 8-byte integers. So do floats, because Spark
orders NaN above all numbers and takes both zeros for the same one. Strings compare by their bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from puredelta.table.statistics.bound_encoding import decimal_text

INTEGERS = (BYTE, SHORT, INTEGER, LONG)
FLOATS = (FLOAT, DOUBLE)

_WHOLE = frozenset({*INTEGERS, BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ})
_MAGNITUDE = np.int64(2**63 - 1)
_WIDEST = 76


def are_comparable(left: DataType, right: DataType) -> bool:
    """Return whether values of two types are comparable once each is made so."""
    if left in INTEGERS and right in INTEGERS:
        return True
    if left in FLOATS and right in FLOATS:
        return True
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        return True
    return left == right and (left in _WHOLE or left in (STRING, BINARY))


def ordered_array(values: pa.Array, data_type: DataType) -> pa.Array:
    """Make bounds of a type comparable."""
    if data_type in FLOATS:
        # Each 4-byte float is exactly a double, so both types have the same keys.
        return ordered_floats(values.cast(pa.float64()))
    if data_type == DATE:
        # Arrow has no cast from dates to 8 bytes.
        return values.cast(pa.int32()).cast(pa.int64())
    if data_type in _WHOLE:
        return values.cast(pa.int64())
    return values


def ordered_scalar(value: Any, data_type: DataType) -> pa.Scalar:
    """Make a plain value of a type comparable.

    Args:
        value: As `table.partition_values.plain_from_text` has it, not null.
        data_type: Its type.
    """
    return ordered_values([value], data_type)[0]


def ordered_values(values: Sequence[Any], data_type: DataType) -> pa.Array:
    """Make plain values of a type comparable, none of which is null."""
    if data_type in FLOATS:
        return ordered_floats(pa.array(values, pa.float64()))
    if isinstance(data_type, DecimalType):
        exact = [Decimal(decimal_text(value, data_type.scale)) for value in values]
        return pa.array(exact, pa.decimal128(data_type.precision, data_type.scale))
    if data_type in _WHOLE:
        return pa.array(list(map(int, values)), pa.int64())
    return pa.array(values, pa.string() if data_type == STRING else pa.binary())


def ordered_floats(numbers: pa.DoubleArray) -> pa.Int64Array:
    """Number floats in Spark's order: equal ones alike, NaN above all others."""
    plain = np.asarray(numbers.fill_null(0.0))
    # Adding zero makes the negative zero a positive one; all NaNs become the same.
    bits = np.where(np.isnan(plain), np.nan, plain + 0.0).view(np.int64)
    # The bits of negative floats grow as their values fall; flipping all but the sign mends that.
    keys = np.where(bits < 0, bits ^ _MAGNITUDE, bits)
    return pa.array(keys, mask=~valid(numbers))


def valid(values: pa.Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where an array is not null."""
    return np.asarray(values.is_valid())


def at_most(left: Any, right: Any) -> Any:
    """Return where left <= right; null where one of them is."""
    return _compared(pc.less_equal, left, right)


def below(left: Any, right: Any) -> Any:
    """Return where left < right; null where one of them is."""
    return _compared(pc.less, left, right)


def _compared(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left.type != right.type and pa.types.is_decimal(left.type):
        # Arrow finds no common type by itself once that has more than 38 digits.
        common = pa.decimal256(_WIDEST, max(left.type.scale, right.type.scale))
        left, right = left.cast(common), right.cast(common)
    return compare(left, right)
