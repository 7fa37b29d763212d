"""What the footer of a Parquet file knows of its columns."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    VARIANT,
    DataType,
    DecimalType,
)
from puredelta.table.facts import UNKNOWN, Facts
from puredelta.table.footer_writer import Writer, writer_of
from puredelta.table.indexing import Leaf, Path

Read = Callable[[Any], Any]

_INTEGERS = frozenset({"NONE", "INT_8", "INT_16", "INT_32", "INT_64"})
_UNSIGNED = {"UINT_8": 2**32, "UINT_16": 2**32, "UINT_32": 2**32, "UINT_64": 2**64}
_TEXTS = ("UTF8", "ENUM", "JSON")
# What is before these was moved between calendars, in files of writers with the older one.
_GREGORIAN_DAYS = -141_427
_GREGORIAN_MICROS = -2_208_902_400_000_000
_COUNTED = frozenset(
    {
        BINARY, BOOLEAN, BYTE, DATE, DOUBLE, FLOAT, INTEGER, LONG, SHORT, STRING, TIMESTAMP,
        TIMESTAMP_NTZ, VARIANT,
    }
)  # fmt: skip
# In a variant's group the part `metadata` is always there, so it is null where the variant is.
_VARIANT_WITNESS = "metadata"
# A point in time of old, for whose values footers have no order.
_INT96 = "INT96"
# Of a column whose values are all null.
_NULLS = "UNKNOWN"
_MAX_FORMS = 64


@dataclass(frozen=True, slots=True)
class _Reader:
    """How raw bounds become comparable values; None stands for a bound that cannot be used."""

    least: Read
    greatest: Read


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the columns of a file are, by their path in lower case, joined by dots."""

    by_path: dict[str, int]
    ambiguous: frozenset[str]

    def is_absent(self, path: str) -> bool:
        """Tell that the file has neither the column nor anything below it."""
        below = path + "."
        known = (*self.by_path, *self.ambiguous)
        return not any(one == path or one.startswith(below) for one in known)


@dataclass(frozen=True, slots=True)
class _Way:
    """How the facts of a column are found in files of one form.

    Attributes:
        path: The column.
        place: Which column of the file it is; None where it is none.
        reader: How its bounds are read; None where they cannot be.
        is_absent: Files have nothing of it, so that it is null in each row.
        has_bounds: Rows show its bounds, whether or not footers tell them.
    """

    path: Path
    place: int | None = None
    reader: _Reader | None = None
    is_absent: bool = False
    has_bounds: bool = False


@dataclass(frozen=True, slots=True)
class SilentColumn:
    """A column whose bounds a footer does not tell.

    Attributes:
        leaf: The column.
        path_in_file: Its path there, joined by dots.
    """

    leaf: Leaf
    path_in_file: str


class FooterFacts:
    """Tells what footers know of the columns of a table; the way is found once for each form.

    Args:
        leaves: The columns wanted.
    """

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._leaves = [(leaf, _dotted(leaf)) for leaf in leaves]
        self._clashes = {
            path for path, seen in Counter(path for _, path in self._leaves).items() if seen > 1
        }
        self._ways: dict[tuple[str, Writer], list[_Way]] = {}
        self._last: tuple[Any, list[_Way]] = (None, [])

    def of(self, footer: Any) -> dict[Path, Facts]:
        """Tell what a footer knows.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
        """
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        absent = Facts(nulls=footer.num_rows)
        return {
            way.path: _folded(groups, way.place, way.reader)
            if way.place is not None
            else (absent if way.is_absent else UNKNOWN)
            for way in self._ways_of(footer)
        }

    def silent(self, footer: Any, facts: Mapping[Path, Facts]) -> list[SilentColumn]:
        """List the columns of which a footer tells no bounds, though rows would.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
            facts: What it tells.
        """
        return [
            SilentColumn(leaf, str(footer.schema.column(way.place).path))
            for (leaf, _), way in zip(self._leaves, self._ways_of(footer), strict=True)
            if way.place is not None
            and way.has_bounds
            and _is_silent(facts[way.path], footer.num_rows)
        ]

    def _ways_of(self, footer: Any) -> list[_Way]:
        last, found = self._last
        if last is footer:
            return found
        writer = writer_of(footer)
        # The first line of the print is the object's own; its equality overlooks groups.
        form = str(footer.schema).partition("\n")[2], writer
        ways = self._ways.get(form)
        if ways is None:
            if len(self._ways) >= _MAX_FORMS:
                self._ways.clear()
            ways = self._ways[form] = self._ways_in(footer, writer)
        self._last = footer, ways
        return ways

    def _ways_in(self, footer: Any, writer: Writer) -> list[_Way]:
        columns = [footer.schema.column(number) for number in range(footer.num_columns)]
        places = _places(columns)
        return [self._way(leaf, path, columns, places, writer) for leaf, path in self._leaves]

    def _way(
        self,
        leaf: Leaf,
        path: str,
        columns: Sequence[Any],
        places: _Places,
        writer: Writer,
    ) -> _Way:
        if path in self._clashes or not _is_counted(leaf.data_type):
            return _Way(leaf.path)
        place = places.by_path.get(path)
        if place is None:
            return _Way(leaf.path, is_absent=places.is_absent(path))
        if columns[place].logical_type.type == _NULLS:
            return _Way(leaf.path, is_absent=True)
        reader = _reader(leaf.data_type, columns[place], writer)
        old = leaf.data_type == TIMESTAMP and columns[place].physical_type == _INT96
        # Rows that are read here are not moved either.
        moved = writer.is_hybrid and leaf.data_type in (DATE, TIMESTAMP)
        known = reader is not None and not moved
        return _Way(leaf.path, place, reader, has_bounds=old or known)


def footer_facts(footer: Any, leaves: Iterable[Leaf]) -> dict[Path, Facts]:
    """Tell what one footer knows of the columns of a table; see `FooterFacts`."""
    return FooterFacts(leaves).of(footer)


def _is_silent(known: Facts, num_rows: int) -> bool:
    return known.least is None and known.greatest is None and known.nulls != num_rows


def _is_counted(data_type: DataType) -> bool:
    return isinstance(data_type, DecimalType) or data_type in _COUNTED


def _dotted(leaf: Leaf) -> str:
    path = (*leaf.path, _VARIANT_WITNESS) if leaf.data_type == VARIANT else leaf.path
    return ".".join(path).lower()


def _places(columns: Sequence[Any]) -> _Places:
    paths = [str(column.path).lower() for column in columns]
    seen = Counter(paths)
    ambiguous = {path for path, times in seen.items() if times > 1}
    # Inside a list or map the levels of nulls say nothing about rows.
    ambiguous |= {
        path for path, one in zip(paths, columns, strict=True) if one.max_repetition_level > 0
    }
    by_path = {path: place for place, path in enumerate(paths) if path not in ambiguous}
    return _Places(by_path, frozenset(ambiguous))


def _folded(groups: Sequence[Any], place: int, reader: _Reader | None) -> Facts:
    """Put the row groups of a column together; what one does not know, the file does not know."""
    nulls: int | None = 0
    least: list[Any] = []
    greatest: list[Any] = []
    for group in groups:
        if group.num_rows == 0:
            continue
        known = group.column(place).statistics
        if known is None:
            return UNKNOWN
        counted = known.has_null_count
        nulls = nulls + known.null_count if counted and nulls is not None else None
        if reader is None:
            continue
        if known.has_min_max:
            least.append(reader.least(known.min_raw))
            greatest.append(reader.greatest(known.max_raw))
        elif not (counted and known.null_count == group.num_rows):
            reader = None
    if reader is None:
        return Facts(nulls=nulls)
    return Facts(nulls, when_all_known(min, least), when_all_known(max, greatest))


def when_all_known(choose: Callable[[list[Any]], Any], values: list[Any]) -> Any:
    """Choose one of some bounds; None when there are none, or one is not known."""
    if len(values) == 1:
        return values[0]
    return choose(values) if values and None not in values else None


def _reader(data_type: DataType, column: Any, writer: Writer) -> _Reader | None:
    """Choose how bounds are read, or None when the file's type does not fit the table's."""
    if isinstance(data_type, DecimalType):
        return _decimal_reader(data_type, column, writer)
    choose = _READERS.get(data_type)
    return None if choose is None else choose(column, writer)


def _text_reader(column: Any, writer: Writer) -> _Reader | None:
    del writer
    return _both(_text) if column.converted_type in _TEXTS else None


def _float_reader(column: Any, writer: Writer) -> _Reader | None:
    if column.physical_type not in ("FLOAT", "DOUBLE") or column.logical_type.type != "NONE":
        return None
    return _Reader(_number, _number if writer.nan_is_greatest else _no_bound)


def _date_reader(column: Any, writer: Writer) -> _Reader | None:
    if column.converted_type != "DATE":
        return None
    return _since(_GREGORIAN_DAYS, _both(int), writer)


def _instant_reader(column: Any, writer: Writer) -> _Reader | None:
    return _since(_GREGORIAN_MICROS, _timestamp_reader(column, adjusted=True), writer)


def _clock_reader(column: Any, writer: Writer) -> _Reader | None:
    del writer
    return _timestamp_reader(column, adjusted=False)


def _both(read: Read) -> _Reader:
    return _Reader(read, read)


def _since(first: int, reader: _Reader | None, writer: Writer) -> _Reader | None:
    """Leave out bounds of days that Spark moves, of which those after `first` are none."""
    if reader is None or not writer.is_hybrid:
        return reader
    read = reader.least

    def moved_or_not(raw: Any) -> Any:
        found = read(raw)
        return found if found >= first else None

    return _both(moved_or_not)


def _integer_reader(column: Any, writer: Writer) -> _Reader | None:
    del writer
    if column.physical_type not in ("INT32", "INT64") or not _is_plain_integer(column):
        return None
    if column.converted_type in _INTEGERS:
        return _both(int)
    values = _UNSIGNED.get(column.converted_type)
    # Arrow gives the bits as if one of them were a sign.
    return None if values is None else _both(lambda raw: raw % values)


def _is_plain_integer(column: Any) -> bool:
    """Tell integers from points in time without zone, whose old-style type is NONE as well."""
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


def _decimal_reader(wanted: DecimalType, column: Any, writer: Writer) -> _Reader | None:
    if column.converted_type == "UINT_64":
        # Which is read as a decimal: no integer of Spark's holds all of its values.
        return _both(lambda raw: raw % 2**64 * 10**wanted.scale)
    if column.converted_type != "DECIMAL" or wanted.scale < column.scale:
        return None
    factor = 10 ** (wanted.scale - column.scale)
    if column.physical_type in ("INT32", "INT64"):
        return _both(lambda raw: raw * factor)
    if not writer.orders_decimals:
        return None
    return _both(lambda raw: int.from_bytes(raw, "big", signed=True) * factor)


def _timestamp_reader(column: Any, *, adjusted: bool) -> _Reader | None:
    if column.physical_type != "INT64" or column.logical_type.type != "TIMESTAMP":
        return None
    described = json.loads(column.logical_type.to_json())
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


_READERS: Mapping[DataType, Callable[[Any, Writer], _Reader | None]] = {
    **dict.fromkeys((BYTE, SHORT, INTEGER, LONG), _integer_reader),
    **dict.fromkeys((FLOAT, DOUBLE), _float_reader),
    DATE: _date_reader,
    STRING: _text_reader,
    TIMESTAMP: _instant_reader,
    TIMESTAMP_NTZ: _clock_reader,
}
