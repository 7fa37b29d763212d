"""How the bounds in the footer of a Parquet file become values that can be compared."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from puredelta.schema.datatypes import (
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
from puredelta.table.statistics.footer_trust import GREGORIAN_DAYS, Writer

Read = Callable[[Any], Any]

_INTEGERS = frozenset({"NONE", "INT_8", "INT_16", "INT_32", "INT_64"})
_UNSIGNED = {"UINT_8": 2**32, "UINT_16": 2**32, "UINT_32": 2**32, "UINT_64": 2**64}
_TEXTS = ("UTF8", "ENUM", "JSON")
# As `GREGORIAN_DAYS`, for points in time.
_GREGORIAN_MICROS = -2_208_902_400_000_000


@dataclass(frozen=True, slots=True)
class BoundReader:
    """How raw bounds become comparable values; None stands for a bound that cannot be used."""

    minimum: Read
    maximum: Read


def reader_of(data_type: DataType, column: Any, writer: Writer) -> BoundReader | None:
    """Choose how bounds are read; None when the type of the file does not fit that of the table.

    Args:
        data_type: Of the table's column.
        column: The file's, a `pyarrow.parquet.ColumnSchema`.
        writer: The program that wrote the file.
    """
    if isinstance(data_type, DecimalType):
        return _decimal_reader(data_type, column, writer)
    choose = _READERS.get(data_type)
    return None if choose is None else choose(column, writer)


def _text_reader(column: Any, writer: Writer) -> BoundReader | None:
    del writer
    return _both(_text) if column.converted_type in _TEXTS else None


def _float_reader(column: Any, writer: Writer) -> BoundReader | None:
    if column.physical_type not in ("FLOAT", "DOUBLE") or column.logical_type.type != "NONE":
        return None
    # A maximum that leaves NaN out is too low: Spark orders NaN above all numbers.
    return BoundReader(_number, _number if writer.nan_is_greatest else _no_bound)


def _date_reader(column: Any, writer: Writer) -> BoundReader | None:
    if column.converted_type != "DATE":
        return None
    return _since(GREGORIAN_DAYS, _both(int), writer)


def _instant_reader(column: Any, writer: Writer) -> BoundReader | None:
    return _since(_GREGORIAN_MICROS, _timestamp_reader(column, adjusted=True), writer)


def _clock_reader(column: Any, writer: Writer) -> BoundReader | None:
    del writer
    return _timestamp_reader(column, adjusted=False)


def _both(read: Read) -> BoundReader:
    return BoundReader(read, read)


def _since(first: int, reader: BoundReader | None, writer: Writer) -> BoundReader | None:
    """Leave out bounds before `first`, which Spark moves to another calendar when it reads them."""
    if reader is None or not writer.is_hybrid:
        return reader
    read = reader.minimum

    def moved_or_not(raw: Any) -> Any:
        found = read(raw)
        return found if found >= first else None

    return _both(moved_or_not)


def _integer_reader(column: Any, writer: Writer) -> BoundReader | None:
    del writer
    if column.physical_type not in ("INT32", "INT64") or not _is_plain_integer(column):
        return None
    if column.converted_type in _INTEGERS:
        return _both(int)
    values = _UNSIGNED.get(column.converted_type)
    # Arrow returns the bits as a signed integer.
    return None if values is None else _both(lambda raw: raw % values)


def _is_plain_integer(column: Any) -> bool:
    """Return whether a column has integers: points in time without zone have type NONE as well."""
    return column.logical_type.type in ("NONE", "INT")


def _no_bound(raw: Any) -> None:
    del raw


def _number(raw: float) -> float | None:
    return None if math.isnan(raw) else raw


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def _decimal_reader(wanted: DecimalType, column: Any, writer: Writer) -> BoundReader | None:
    if column.converted_type == "UINT_64":
        # Which is read as a decimal: no integer of Spark's holds all of its values.
        return _both(lambda raw: raw % 2**64 * 10**wanted.scale)
    # With fewer digits than the file, a bound would be rounded, and might then exclude its value.
    if column.converted_type != "DECIMAL" or wanted.scale < column.scale:
        return None
    factor = 10 ** (wanted.scale - column.scale)
    if column.physical_type in ("INT32", "INT64"):
        return _both(lambda raw: raw * factor)
    if not writer.orders_decimals:
        return None
    return _both(lambda raw: int.from_bytes(raw, "big", signed=True) * factor)


def _timestamp_reader(column: Any, *, adjusted: bool) -> BoundReader | None:
    if column.physical_type != "INT64" or column.logical_type.type != "TIMESTAMP":
        return None
    described = json.loads(column.logical_type.to_json())
    # An instant and a wall-clock time differ by the zone, which bounds cannot bridge.
    if described.get("isAdjustedToUTC") is not adjusted:
        return None
    match described.get("timeUnit"):
        case "microseconds":
            return _both(int)
        case "milliseconds":
            return _both(lambda raw: raw * 1000)
        case "nanoseconds":
            return _both(lambda raw: raw // 1000)
    return None


_READERS: Mapping[DataType, Callable[[Any, Writer], BoundReader | None]] = {
    **dict.fromkeys((BYTE, SHORT, INTEGER, LONG), _integer_reader),
    **dict.fromkeys((FLOAT, DOUBLE), _float_reader),
    DATE: _date_reader,
    STRING: _text_reader,
    TIMESTAMP: _instant_reader,
    TIMESTAMP_NTZ: _clock_reader,
}
