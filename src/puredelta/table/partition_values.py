"""Partition values: between the string in the log, Python values and typed Arrow columns.

Protocol: Partition Value Serialization. Null and the empty string both mean null. A timestamp is
written in UTC, and read in either form: with a zone, or as an older writer's wall clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.log.files import map_value
from puredelta.schema.arrow import type_to_arrow
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
    StructType,
    simple_string,
)
from puredelta.storage.location import escape_partition_name, unescape_partition_name
from puredelta.table.java_floats import (
    double_text,
    float_from_text,
    float_text,
    number_from_text,
)
from puredelta.table.statistics.arrow_bounds import unscaled
from puredelta.table.statistics.bound_encoding import decimal_text
from puredelta.table.statistics.datetime_text import (
    date_text,
    days_from_text,
    micros_from_text,
    timestamp_text,
)

NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__"

_MOST_DIGITS = 38
_EPOCH_DATE = date(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=timezone.utc)
_EPOCH = _EPOCH_UTC.replace(tzinfo=None)
_MICROSECOND = timedelta(microseconds=1)


def text_from_value(value: Any, data_type: DataType) -> str | None:
    """Write a partition value as the log does.

    >>> text_from_value(Decimal("1.5"), DecimalType(10, 2))
    '1.50'

    Args:
        value: A Python value: `date` for dates, aware `datetime` for timestamps and naive ones for
            timestamp_ntz, `bytes` for binary.
        data_type: Type of the column.
    """
    if value is None:
        return None
    text = _text(value, data_type)
    return text or None


def value_from_text(text: str | None, data_type: DataType, zone: str = "UTC") -> Any:
    """Read a partition value of the log as a Python value.

    Args:
        text: The value in `partitionValues`.
        data_type: Type of the column.
        zone: Where a timestamp without zone was written.

    Raises:
        DeltaRuntimeError: The text is no value of the type, or a date outside the years 1 to 9999.
    """
    plain = plain_from_text(text, data_type, zone)
    if plain is None:
        return None
    try:
        if data_type == DATE:
            return _EPOCH_DATE + timedelta(days=plain)
        if data_type == TIMESTAMP_NTZ:
            return _EPOCH + timedelta(microseconds=plain)
        if data_type == TIMESTAMP:
            return _EPOCH_UTC + timedelta(microseconds=plain)
    except OverflowError as reason:
        raise _not_castable(text, data_type) from reason
    if isinstance(data_type, DecimalType):
        return Decimal(decimal_text(plain, data_type.scale))
    return plain


def plain_from_text(text: str | None, data_type: DataType, zone: str = "UTC") -> Any:
    """Read a partition value as a plain one, which knows no first and last year.

    Returns:
        Days for dates, microseconds for points in time, the unscaled integer for decimals; bool,
        int, float, str or bytes for the others; None for null.

    Raises:
        DeltaRuntimeError: The text is no value of the type.
    """
    if text is None or text == "":
        return None
    found = _plain(text, data_type, zone)
    if found is None:
        raise _not_castable(text, data_type)
    return found


def typed_partitions(
    files: pa.Table,
    schema: StructType,
    partition_columns: Sequence[str],
    zone: str = "UTC",
) -> pa.Table:
    """Turn the partition values of many files into one typed Arrow column a partition column.

    Each distinct text is read once, so the cost is that of the distinct values.

    Args:
        files: A table with the column `partition_values` (map of string to string).
        schema: The table's schema.
        partition_columns: The columns wanted, in this order.
        zone: Where timestamps without zone were written.
    """
    values = files.column("partition_values").combine_chunks()
    columns = {}
    for name in partition_columns:
        field = schema.field(name)
        data_type = field.data_type if field is not None else STRING
        columns[name] = typed_column(map_value(values, name), data_type, zone)
    return pa.table(columns)


def typed_column(texts: pa.Array, data_type: DataType, zone: str = "UTC") -> pa.Array:
    """Read an Arrow array of texts as partition values of a type."""
    encoded = texts.dictionary_encode()
    plain = [plain_from_text(text, data_type, zone) for text in encoded.dictionary.to_pylist()]
    return _arrow_values(plain, data_type).take(encoded.indices)


def partition_folder(values: Mapping[str, str | None], partition_columns: Sequence[str]) -> str:
    """Name the folder of a partition as Hive does: `a=1/b=x%2Fy`, empty when there is none.

    >>> partition_folder({"a": "1", "b": None}, ["a", "b"])
    'a=1/b=__HIVE_DEFAULT_PARTITION__'
    """
    parts = []
    for name in partition_columns:
        text = values.get(name)
        escaped = escape_partition_name(text) if text else NULL_FOLDER
        parts.append(f"{escape_partition_name(name)}={escaped}")
    return "/".join(parts)


def values_from_folder(
    folder: str, schema: StructType, partition_columns: Sequence[str], zone: str = "UTC"
) -> dict[str, str | None]:
    """Read the partition values of a file off the folder that a Spark writer put it in.

    >>> from puredelta.schema.datatypes import StructField
    >>> columns = StructType((StructField("a", STRING), StructField("b", TIMESTAMP)))
    >>> values_from_folder("a=x%2Fy/b=2024-01-02 03%3A04%3A05", columns, ["a", "b"])
    {'a': 'x/y', 'b': '2024-01-02T03:04:05.000000Z'}

    Args:
        folder: Decoded path of the folder below the table's root.
        schema: The table's schema.
        partition_columns: The partition columns, in order.
        zone: The writer's time zone.

    Raises:
        DeltaAnalysisError: The folder is not that of a partition of the table.
        DeltaRuntimeError: The value of a timestamp column is no timestamp.
    """
    parts = [part.partition("=") for part in folder.split("/") if part]
    names = [unescape_partition_name(name).lower() for name, _, _ in parts]
    if names != [name.lower() for name in partition_columns]:
        raise DeltaAnalysisError("DELTA_INVALID_PARTITION_PATH", path=folder)
    values: dict[str, str | None] = {}
    for name, (_, _, escaped) in zip(partition_columns, parts, strict=True):
        field = schema.field(name)
        text = None if escaped == NULL_FOLDER else unescape_partition_name(escaped)
        values[name] = _as_logged(text, STRING if field is None else field.data_type, zone)
    return values


def _as_logged(text: str | None, data_type: DataType, zone: str) -> str | None:
    # Spark names folders by the session's wall clock, and the log is to have UTC.
    if text and data_type == TIMESTAMP:
        return utc_text(plain_from_text(text, data_type, zone))
    return text or None


def _text(value: Any, data_type: DataType) -> str:
    if isinstance(data_type, DecimalType):
        return decimal_text(unscaled(Decimal(value), data_type.scale), data_type.scale)
    return _WRITERS.get(data_type, str)(value)


def _micros_since(epoch: datetime, value: datetime) -> int:
    return (value - epoch) // _MICROSECOND


def utc_text(micros: int) -> str:
    """Write a point in time as partition values have it: `2024-01-02T03:04:05.100000Z`."""
    text = timestamp_text(micros, "T")
    # delta-spark writes six digits always, as its pattern `SSSSSSz` requires.
    return f"{text}Z" if "." in text else f"{text}.000000Z"


def _without_trailing_zeros(text: str) -> str:
    return text.rstrip("0") if "." in text else text


def _plain(text: str, data_type: DataType, zone: str) -> Any:
    if data_type == TIMESTAMP:
        return _within_64_bits(micros_from_text(text.strip(), zone))
    if isinstance(data_type, DecimalType):
        return _decimal(text.strip(), data_type)
    read = _READERS.get(data_type)
    return None if read is None else read(text)


def _within_64_bits(micros: int | None) -> int | None:
    return micros if micros is None or -(2**63) <= micros < 2**63 else None


def _date(text: str) -> int | None:
    stripped = text.strip()
    days = days_from_text(stripped[:10] if _is_midnight(stripped) else stripped)
    return days if days is None or -(2**31) <= days < 2**31 else None


def _is_midnight(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d[ T]00:00:00(\.0*)?", text) is not None


def _integer(bits: int) -> Callable[[str], int | None]:
    def read(text: str) -> int | None:
        # Python refuses to read thousands of digits, and 20 are more than any integer has.
        if not re.fullmatch(r"\s*[+-]?0*\d{1,20}\s*", text):
            return None
        sign, digits = text.strip()[:1], text.strip().lstrip("+-0") or "0"
        found = -int(digits) if sign == "-" else int(digits)
        return found if -(2 ** (bits - 1)) <= found < 2 ** (bits - 1) else None

    return read


def _decimal(text: str, data_type: DecimalType) -> int | None:
    # Python reads underscores, too.
    if "_" in text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    # An exponent may be larger than any number of digits that fits in memory.
    if not value.is_finite() or value.adjusted() > _MOST_DIGITS:
        return None
    # Likewise below: a value without a digit in reach of any scale is rounded to zero.
    found = unscaled(value, data_type.scale) if value.adjusted() >= -_MOST_DIGITS else 0
    return found if abs(found) < 10**data_type.precision else None


def _arrow_values(plain: list[Any], data_type: DataType) -> pa.Array:
    wanted = type_to_arrow(data_type)
    if data_type == DATE:
        return pa.array(plain, pa.int32()).cast(wanted)
    if data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        return pa.array(plain, pa.int64()).cast(wanted)
    if isinstance(data_type, DecimalType):
        scale = data_type.scale
        exact = [None if value is None else Decimal(decimal_text(value, scale)) for value in plain]
        return pa.array(exact, wanted)
    return pa.array(plain, wanted)


def _not_castable(text: str | None, data_type: DataType) -> DeltaRuntimeError:
    return DeltaRuntimeError(
        "DELTA_FAILED_CAST_PARTITION_VALUE",
        value=text,
        dataType=simple_string(data_type),
        path="partitionValues",
    )


_WRITERS: Mapping[DataType, Callable[[Any], str]] = {
    BOOLEAN: lambda value: "true" if value else "false",
    BINARY: lambda value: bytes(value).decode("utf-8", "replace"),
    DATE: lambda value: date_text((value - _EPOCH_DATE).days),
    DOUBLE: double_text,
    FLOAT: float_text,
    TIMESTAMP: lambda value: utc_text(_micros_since(_EPOCH_UTC, value)),
    TIMESTAMP_NTZ: lambda value: _without_trailing_zeros(
        timestamp_text(_micros_since(_EPOCH, value))
    ),
}

_READERS: Mapping[DataType, Callable[[str], Any]] = {
    STRING: str,
    BINARY: str.encode,
    BOOLEAN: lambda text: {"true": True, "false": False}.get(text.strip().lower()),
    BYTE: _integer(8),
    SHORT: _integer(16),
    INTEGER: _integer(32),
    LONG: _integer(64),
    DATE: _date,
    DOUBLE: lambda text: number_from_text(text.strip()),
    FLOAT: lambda text: float_from_text(text.strip()),
    TIMESTAMP_NTZ: lambda text: _within_64_bits(micros_from_text(text.strip())),
}
