"""Null counts and bounds of columns, computed from rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    DataType,
    DecimalType,
    PrimitiveType,
)
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.indexed_columns import Leaf, Path

_WITHOUT_BOUNDS = (BOOLEAN, BINARY, VARIANT)


def bounds_from_arrow(rows: pa.Table, leaves: Iterable[Leaf]) -> dict[Path, ColumnBounds]:
    """Return the null counts and bounds of the columns of a table.

    Args:
        rows: The rows of one file, in the Arrow types of the table's schema.
        leaves: The columns wanted.
    """
    return {leaf.path: _facts(rows, leaf) for leaf in leaves}


def _facts(rows: pa.Table, leaf: Leaf) -> ColumnBounds:
    column = bounds_column(rows, leaf.path)
    if column is None:
        # A file without the column is read as nulls.
        return ColumnBounds(nulls=rows.num_rows)
    if not _has_bounds(leaf.data_type) or column.null_count == len(column):
        return ColumnBounds(nulls=column.null_count)
    if leaf.data_type in (FLOAT, DOUBLE):
        return _float_facts(column)
    found = pc.min_max(_comparable(column, leaf.data_type))
    to_python = _to_python(leaf.data_type)
    return ColumnBounds(column.null_count, to_python(found["min"]), to_python(found["max"]))


def bounds_column(rows: pa.Table, path: Path) -> pa.ChunkedArray | None:
    """Find a column of some rows by its path; the parts of a null struct are null."""
    if path[0] not in rows.column_names:
        return None
    column = rows.column(path[0])
    for part in path[1:]:
        if column.type.get_field_index(part) < 0:
            return None
        column = pc.struct_field(column, part)
    return column


def _has_bounds(data_type: DataType) -> bool:
    return isinstance(data_type, DecimalType) or (
        isinstance(data_type, PrimitiveType) and data_type not in _WITHOUT_BOUNDS
    )


def _float_facts(column: pa.ChunkedArray) -> ColumnBounds:
    """Leave out the maximum where there is NaN: Spark orders it last, and JSON has no NaN."""
    numbers = column.filter(pc.invert(pc.is_nan(column)))
    has_nan = len(numbers) + column.null_count < len(column)
    if len(numbers) == numbers.null_count:
        return ColumnBounds(column.null_count)
    found = pc.min_max(numbers)
    return ColumnBounds(
        column.null_count, found["min"].as_py(), None if has_nan else found["max"].as_py()
    )


def _comparable(column: pa.ChunkedArray, data_type: DataType) -> pa.ChunkedArray:
    """Turn dates and points in time into counts: Python's dates end at the years 1 and 9999."""
    if data_type == DATE:
        return column.cast(pa.date32()).cast(pa.int32())
    if data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        unit = pa.timestamp("us", column.type.tz)
        return column.cast(unit, safe=False).cast(pa.int64())
    return column


def _to_python(data_type: DataType) -> Callable[[Any], Any]:
    if isinstance(data_type, DecimalType):
        scale = data_type.scale
        return lambda scalar: unscaled(scalar.as_py(), scale)
    return _text_or_number


def _text_or_number(scalar: Any) -> Any:
    """Return a value; None for a string that is not UTF-8, which other writers let through."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return None


def unscaled(value: Decimal, scale: int) -> int:
    """Give the integer that `value` is at a scale; digits beyond the scale are rounded half up."""
    sign, digits, exponent = value.as_tuple()
    number = int("".join(map(str, digits)) or "0")
    power = int(exponent) + scale
    if power >= 0:
        number *= _power_of_ten(power)
    else:
        number = (number + _power_of_ten(-power) // 2) // _power_of_ten(-power)
    return -number if sign else number


def _power_of_ten(exponent: int) -> int:
    return int("1" + "0" * exponent)
