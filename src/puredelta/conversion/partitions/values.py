"""Partition values as the log has them, out of the texts that folders are named with.

Folders may say a value in any way that Spark's casts read; the log has one way for each value, so
that every reader understands it. What a cast would change, such as 1.5 to an integer, is no value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from puredelta.errors import DeltaRuntimeError
from puredelta.schema.datatypes import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
)
from puredelta.table.java_floats import double_text, float_text
from puredelta.table.partition_values import plain_from_text, utc_text
from puredelta.table.statistics.bound_encoding import decimal_text
from puredelta.table.statistics.datetime_text import date_text, timestamp_text

_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})

# A month may be left out, and so may the day in it.
_YEAR_OR_MONTH = re.compile(r"[+-]?\d{4,7}(-\d{1,2})?")
_DAY = re.compile(r"([+-]?\d{4,7}-\d{1,2}-\d{1,2})(?:[ T].*)?", re.DOTALL)


def logged_text(text: str, data_type: DataType, zone: str = "UTC") -> str | None:
    """Write a partition value as the log does; None when the text is no value of the type.

    >>> from puredelta.schema.datatypes import INTEGER
    >>> logged_text("007", INTEGER), logged_text("2024-1-2", DATE), logged_text("x", INTEGER)
    ('7', '2024-01-02', None)

    Args:
        text: As the folder says it, without escapes; not empty.
        data_type: Of the partition column.
        zone: Where a timestamp without zone was written.
    """
    # Python reads digits with underscores between them.
    if isinstance(data_type, DecimalType) and "_" in text:
        return None
    try:
        plain = plain_from_text(_readable(text, data_type), data_type, zone)
    except DeltaRuntimeError:
        return None
    if plain is None or not _is_kept(text, plain, data_type):
        return None
    return _written(plain, data_type)


def _readable(text: str, data_type: DataType) -> str:
    """Put a text into a form that the log could have."""
    plain = text.strip()
    if data_type == BOOLEAN:
        lower = plain.lower()
        return "true" if lower in _TRUE else "false" if lower in _FALSE else plain
    if data_type in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        if found := _YEAR_OR_MONTH.fullmatch(plain):
            return f"{plain}-01" if found[1] else f"{plain}-01-01"
        if data_type == DATE and (day := _DAY.fullmatch(plain)):
            return day[1]
    return text


def _is_kept(text: str, plain: object, data_type: DataType) -> bool:
    """Is the value what the text says, to the last digit?"""
    if isinstance(data_type, DecimalType) and isinstance(plain, int):
        return Decimal(text.strip()) == Decimal(decimal_text(plain, data_type.scale))
    if isinstance(plain, float) and math.isinf(plain):
        return "inf" in text.lower()
    return True


def _written(plain: object, data_type: DataType) -> str:
    if isinstance(plain, bytes):
        return plain.decode("utf-8")
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(data_type, DecimalType) and isinstance(plain, int):
        return decimal_text(plain, data_type.scale)
    return _WRITERS.get(data_type, str)(plain)


def _ntz_text(micros: int) -> str:
    text = timestamp_text(micros)
    return text.rstrip("0") if "." in text else text


_WRITERS: Mapping[DataType, Callable[[Any], str]] = {
    DATE: date_text,
    TIMESTAMP: utc_text,
    TIMESTAMP_NTZ: _ntz_text,
    DOUBLE: double_text,
    FLOAT: float_text,
}
