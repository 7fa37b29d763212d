"""The types of partition values as Spark infers them from texts, and how it joins two."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from puredelta.conversion.partitions.folders import PartitionPart
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
)
from puredelta.table.statistics.datetime_text import days_from_text, micros_from_text

_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")
# What java.lang.Double reads, blanks around it included. It reads hexadecimal ones, too, and takes
# what is too large for infinite: such texts are names of something, and stay texts.
_DOUBLE = re.compile(
    r"[\x00-\x20]*([+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?))[\x00-\x20]*"
)
# A year of more than four digits has a sign, one of four digits no plus.
_DAY = r"(?:-?\d{4}|[+-]\d{5,7})-\d\d-\d\d"
_DATE = re.compile(_DAY)
_TIMESTAMP = re.compile(rf"{_DAY} \d\d:\d\d:\d\d(?:\.\d)?")
_MAX_PRECISION = 38  # of Spark's decimals
_AS_DECIMAL: Mapping[DataType, DecimalType] = {
    LONG: DecimalType(20, 0),
    INTEGER: DecimalType(10, 0),
}


def type_of_part(part: PartitionPart, timestamp_type: PrimitiveType = TIMESTAMP) -> DataType:
    """Say what type the value of a folder has; VOID for null.

    Args:
        part: What the folder says.
        timestamp_type: What points in time are.
    """
    if part.text is None:
        return VOID
    found = type_of_text(part.text, timestamp_type)
    # Spark looks for numbers and dates in the name as it is, for points in time behind it.
    return STRING if part.is_escaped and found != timestamp_type else found


def type_of_text(text: str, timestamp_type: PrimitiveType = TIMESTAMP) -> DataType:
    """Say what type a partition value has, going by its text.

    >>> type_of_text("1").name, type_of_text("2024-01-02").name, type_of_text("1L").name
    ('integer', 'date', 'string')

    Args:
        text: The value, without escapes.
        timestamp_type: What points in time are.
    """
    if _INTEGER.fullmatch(text):
        return _whole(int(text))
    if number := _DOUBLE.fullmatch(text):
        return _decimal(text) or _double(number[1])
    if _TIMESTAMP.fullmatch(text) and micros_from_text(text) is not None:
        return timestamp_type
    if _DATE.fullmatch(text) and days_from_text(text) is not None:
        return DATE
    return STRING


def wider_type(left: DataType, right: DataType) -> DataType:
    """Say what type holds the values of two types; a text when no other does.

    Args:
        left: A type that `type_of_text` has, or VOID for nulls.
        right: Another.
    """
    if right in (left, VOID):
        return left
    if left == VOID:
        return right
    pair = {left, right}
    if pair == {INTEGER, LONG}:
        return LONG
    if pair == {INTEGER, DOUBLE}:
        return DOUBLE
    if pair in ({DATE, TIMESTAMP}, {DATE, TIMESTAMP_NTZ}):
        return TIMESTAMP if TIMESTAMP in pair else TIMESTAMP_NTZ
    first, second = _as_decimal(left), _as_decimal(right)
    return STRING if first is None or second is None else _wider_decimal(first, second)


def _whole(value: int) -> DataType:
    if -(2**31) <= value < 2**31:
        return INTEGER
    if -(2**63) <= value < 2**63:
        return LONG
    # Beyond 64 bits Spark goes on with decimals, and beyond these with doubles.
    digits = len(str(abs(value)))
    return DecimalType(digits, 0) if digits <= _MAX_PRECISION else DOUBLE


def _decimal(text: str) -> DecimalType | None:
    """Return the type of a whole number that is written with an exponent."""
    found = _DECIMAL.fullmatch(text)
    if found is None:
        return None
    whole, fraction, exponent = found[1], found[2] or "", int(found[3] or 0)
    scale = len(fraction) - exponent
    digits = len((whole + fraction).lstrip("0")) or 1
    if scale > 0 or digits - scale > _MAX_PRECISION:
        return None
    return DecimalType(digits - scale, 0)


def _double(text: str) -> DataType:
    is_too_large = math.isinf(float(text.rstrip("fFdD"))) and text[-1] != "y"
    return STRING if is_too_large else DOUBLE


def _as_decimal(data_type: DataType) -> DecimalType | None:
    return data_type if isinstance(data_type, DecimalType) else _AS_DECIMAL.get(data_type)


def _wider_decimal(left: DecimalType, right: DecimalType) -> DecimalType:
    return DecimalType(max(left.precision, right.precision), 0)
