"""What the statistics of a file claim, and whether that is true of its columns.

Protocol: Per-file Statistics.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
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
from puredelta.table.check.finding import Finding, error, warning
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.datetime_text import days_from_text, micros_from_text
from puredelta.table.statistics.indexed_columns import Leaf, Path

# Protocol, Per-file Statistics: bounds of timestamps are cut to milliseconds, and readers take
# that into account.
_CUT_MICROS = 999


class MalformedStatsError(ValueError):
    """The text is no statistics of a file."""


@dataclass(frozen=True, slots=True)
class StatsClaims:
    """What the statistics of a file claim.

    Attributes:
        num_records: How many rows it has, deleted ones included.
        least: Least values, as nested objects.
        greatest: Greatest values.
        nulls: Null counts.
        tight: Are the bounds and counts exact?
    """

    num_records: int | None
    least: Mapping[str, Any]
    greatest: Mapping[str, Any]
    nulls: Mapping[str, Any]
    tight: bool


def read_claims(text: str) -> StatsClaims:
    """Read statistics, numbers with all their digits.

    Raises:
        MalformedStatsError: The text is none.
    """
    try:
        plain = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as reason:
        raise MalformedStatsError(str(reason)) from reason
    if not isinstance(plain, dict):
        raise MalformedStatsError("not an object")
    groups = [plain.get(key) or {} for key in ("minValues", "maxValues", "nullCount")]
    records = plain.get("numRecords")
    if not all(isinstance(group, dict) for group in groups):
        raise MalformedStatsError("bounds and null counts must be objects")
    if records is not None and not _is_count(records):
        raise MalformedStatsError(f"numRecords is {records}")
    least, greatest, nulls = groups
    return StatsClaims(records, least, greatest, nulls, plain.get("tightBounds") is not False)


def false_claims(
    claims: StatsClaims,
    leaves: Iterable[Leaf],
    facts: Mapping[Path, ColumnBounds],
    rows: int,
    path: str,
) -> Iterator[Finding]:
    """Compare claims with what is known of the columns.

    Args:
        claims: What the statistics say.
        leaves: The columns.
        facts: What is known of them, by their paths.
        rows: How many rows the facts are about.
        path: The file, for the findings.
    """
    for leaf in leaves:
        if (known := facts.get(leaf.path)) is not None:
            yield from _false_bounds(claims, leaf, known, path)
            yield from _false_nulls(claims, leaf, known, rows, path)


def _false_bounds(
    claims: StatsClaims, leaf: Leaf, known: ColumnBounds, path: str
) -> Iterator[Finding]:
    name = ".".join(leaf.path)
    least, greatest = _at(claims.least, leaf.path), _at(claims.greatest, leaf.path)
    try:
        low, high = _comparable(least, leaf.data_type), _comparable(greatest, leaf.data_type)
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        text = f"Column {name}: the bounds {least} and {greatest} are no values of its type."
        yield warning("bounds-unreadable", path, text)
        return
    if low is not None and known.minimum is not None and known.minimum < low:
        yield error("min-value", path, f"Column {name} has values below its least value {least}.")
    if high is None:
        return
    # A minimum that is cut stays a lower bound; a maximum has to be raised to be an upper one.
    if leaf.data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        high += _CUT_MICROS
    if known.maximum is not None and known.maximum > high:
        text = f"Column {name} has values above its greatest value {greatest}."
        yield error("max-value", path, text)


def _false_nulls(
    claims: StatsClaims, leaf: Leaf, known: ColumnBounds, rows: int, path: str
) -> Iterator[Finding]:
    said, name = _at(claims.nulls, leaf.path), ".".join(leaf.path)
    if known.nulls is None or said is None:
        return
    if not _is_count(said):
        yield warning("bounds-unreadable", path, f"Column {name}: {said} is no null count.")
    elif _is_false_count(claims, said, known.nulls, rows):
        text = f"Column {name} has {known.nulls} nulls in {rows} rows, and the log says {said}."
        yield error("null-count", path, text)


def _is_false_count(claims: StatsClaims, said: int, true: int, rows: int) -> bool:
    if claims.tight:
        return said != true
    # A count that is not exact still says whether none or all are null.
    return (said == 0 and true > 0) or (said == claims.num_records and true < rows)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _at(tree: Any, path: Path) -> Any:
    for part in path:
        if not isinstance(tree, Mapping):
            return None
        tree = tree.get(part)
    return tree


def _comparable(value: Any, data_type: DataType) -> Any:
    """Turn a bound into the form of `ColumnBounds`; None when there is none, or none to compare by.

    Raises:
        ValueError, TypeError, AttributeError, ArithmeticError: It is no value of the type.
    """
    if value is None:
        return None
    if isinstance(data_type, DecimalType):
        # Exact, since a bound may have more digits than the scale of the column.
        return Fraction(value) * 10**data_type.scale
    read = _READERS.get(data_type)
    return None if read is None else read(value)


def _float(value: Any) -> float:
    # Written with the digits that distinguish a float of four bytes from its neighbours.
    (found,) = struct.unpack("f", struct.pack("f", float(value)))
    return float(found)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _present(count: int | None) -> int:
    if count is None:
        raise ValueError
    return count


_READERS: dict[DataType, Callable[[Any], Any]] = {
    **dict.fromkeys((BYTE, SHORT, INTEGER, LONG), Fraction),
    DOUBLE: float,
    FLOAT: _float,
    STRING: _text,
    DATE: lambda text: _present(days_from_text(text)),
    TIMESTAMP: lambda text: _present(micros_from_text(text, "UTC")),
    # Some writers put a zone where there is none.
    TIMESTAMP_NTZ: lambda text: _present(micros_from_text(text.removesuffix("Z"))),
}
