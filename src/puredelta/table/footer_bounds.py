"""What the footer of a Parquet file knows of its columns."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
from puredelta.table.indexing import Leaf, Path

Read = Callable[[Any], Any]

_INTEGERS = frozenset({"NONE", "INT_8", "INT_16", "INT_32", "INT_64"})
_COUNTED = frozenset(
    {
        BINARY, BOOLEAN, BYTE, DATE, DOUBLE, FLOAT, INTEGER, LONG, SHORT, STRING, TIMESTAMP,
        TIMESTAMP_NTZ, VARIANT,
    }
)  # fmt: skip
# In a variant's group the part `metadata` is always there, so it is null where the variant is.
_VARIANT_WITNESS = "metadata"
# Puts NaN above all other values, as Spark does; other writers leave it out of the bounds.
_NAN_IS_GREATEST = "parquet-mr"
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
    """

    path: Path
    place: int | None = None
    reader: _Reader | None = None
    is_absent: bool = False


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
        self._ways: dict[tuple[str, bool], list[_Way]] = {}

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

    def _ways_of(self, footer: Any) -> list[_Way]:
        nan_is_greatest = str(footer.created_by or "").startswith(_NAN_IS_GREATEST)
        # The first line of the print is the object's own; its equality overlooks groups.
        form = str(footer.schema).partition("\n")[2], nan_is_greatest
        found = self._ways.get(form)
        if found is None:
            if len(self._ways) >= _MAX_FORMS:
                self._ways.clear()
            found = self._ways[form] = self._ways_in(footer, nan_is_greatest=nan_is_greatest)
        return found

    def _ways_in(self, footer: Any, *, nan_is_greatest: bool) -> list[_Way]:
        columns = [footer.schema.column(number) for number in range(footer.num_columns)]
        places = _places(columns)
        return [
            self._way(leaf, path, columns, places, nan_is_greatest=nan_is_greatest)
            for leaf, path in self._leaves
        ]

    def _way(
        self,
        leaf: Leaf,
        path: str,
        columns: Sequence[Any],
        places: _Places,
        *,
        nan_is_greatest: bool,
    ) -> _Way:
        if path in self._clashes or not _is_counted(leaf.data_type):
            return _Way(leaf.path)
        place = places.by_path.get(path)
        if place is None:
            return _Way(leaf.path, is_absent=places.is_absent(path))
        reader = _reader(leaf.data_type, columns[place], nan_is_greatest=nan_is_greatest)
        return _Way(leaf.path, place, reader)


def footer_facts(footer: Any, leaves: Iterable[Leaf]) -> dict[Path, Facts]:
    """Tell what one footer knows of the columns of a table; see `FooterFacts`."""
    return FooterFacts(leaves).of(footer)


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
    return Facts(nulls, _when_all_known(min, least), _when_all_known(max, greatest))


def _when_all_known(choose: Callable[[list[Any]], Any], values: list[Any]) -> Any:
    return choose(values) if values and all(value is not None for value in values) else None


def _reader(data_type: DataType, column: Any, *, nan_is_greatest: bool) -> _Reader | None:
    """Choose how bounds are read, or None when the file's type does not fit the table's."""
    physical, converted = column.physical_type, column.converted_type
    if data_type in (BYTE, SHORT, INTEGER, LONG):
        fits = physical in ("INT32", "INT64") and converted in _INTEGERS
        return _both(int) if fits and _is_plain_integer(column) else None
    if data_type in (FLOAT, DOUBLE):
        if physical not in ("FLOAT", "DOUBLE") or column.logical_type.type != "NONE":
            return None
        return _Reader(_number, _number if nan_is_greatest else _no_bound)
    if isinstance(data_type, DecimalType):
        return _decimal_reader(data_type, column) if converted == "DECIMAL" else None
    if data_type == DATE:
        return _both(int) if converted == "DATE" else None
    if data_type == STRING:
        return _both(_text) if converted == "UTF8" else None
    if data_type in (TIMESTAMP, TIMESTAMP_NTZ):
        return _timestamp_reader(column, adjusted=data_type == TIMESTAMP)
    return None


def _both(read: Read) -> _Reader:
    return _Reader(read, read)


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


def _decimal_reader(wanted: DecimalType, column: Any) -> _Reader | None:
    if wanted.scale < column.scale:
        return None
    factor = 10 ** (wanted.scale - column.scale)
    if column.physical_type in ("INT32", "INT64"):
        return _both(lambda raw: raw * factor)
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
