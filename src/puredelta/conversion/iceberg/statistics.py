"""Statistics of data files from what Iceberg's manifests say of them: no footer is read."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructType,
)
from puredelta.table.columns.column_mapping import ID_KEY, MappingMode, physical_name
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.file_stats import stats_from_bounds
from puredelta.table.statistics.indexed_columns import Indexing, Path, indexed_leaves

_FLOATING = (DOUBLE, FLOAT)
_DAY = 86_400_000_000
# How bounds are written, by their length, and what one of them counts. Those from before their
# column was widened have the form of the type that it had then.
_FORMS: Mapping[DataType, Mapping[int, tuple[str, int]]] = {
    INTEGER: {4: ("<i", 1)},
    DATE: {4: ("<i", 1)},
    LONG: {4: ("<i", 1), 8: ("<q", 1)},
    TIMESTAMP: {8: ("<q", 1)},
    TIMESTAMP_NTZ: {4: ("<i", _DAY), 8: ("<q", 1)},
    FLOAT: {4: ("<f", 1)},
    DOUBLE: {4: ("<f", 1), 8: ("<d", 1)},
}


@dataclass(frozen=True, slots=True)
class _MeasuredColumn:
    path: Path
    number: int
    data_type: DataType


class Metrics:
    """Turns the metrics of data files into statistics of the log.

    Args:
        columns: The data columns, by the names that users have.
        physical: The same by the names that the log has.
        indexing: Which of them get statistics, by the names that the log has.
    """

    def __init__(self, columns: StructType, physical: StructType, indexing: Indexing) -> None:
        numbers = dict(_numbers(columns))
        self._physical = physical
        self._indexing = indexing
        self._columns = [
            _MeasuredColumn(leaf.path, numbers[leaf.path], leaf.data_type)
            for leaf in indexed_leaves(physical, indexing)
        ]

    def stats(self, file: Any, *, has_deleted_rows: bool = False) -> str:
        """Return the JSON text for `AddFile.stats`.

        Args:
            file: A `pyiceberg.manifest.DataFile`.
            has_deleted_rows: Does a deletion vector take rows away, so that bounds may be wide?
        """
        nulls = file.null_value_counts or {}
        nans = file.nan_value_counts or {}
        lower, upper = file.lower_bounds or {}, file.upper_bounds or {}
        facts = {
            column.path: ColumnBounds(
                nulls.get(column.number),
                bound(lower.get(column.number), column.data_type),
                _maximum(column, upper, nans),
            )
            for column in self._columns
        }
        return stats_from_bounds(
            file.record_count,
            facts,
            self._physical,
            self._indexing,
            tight_bounds=False if has_deleted_rows else None,
        )


def _numbers(columns: StructType, above: Path = ()) -> Iterator[tuple[Path, int]]:
    for field in columns:
        path = (*above, physical_name(field, MappingMode.ID))
        number = field.metadata[ID_KEY]
        if isinstance(number, int):
            yield path, number
        if isinstance(field.data_type, StructType):
            yield from _numbers(field.data_type, path)


def _maximum(column: _MeasuredColumn, upper: Mapping[int, bytes], nans: Mapping[int, int]) -> Any:
    # Iceberg leaves NaN out of the bounds, Spark takes it for the maximum. Without a count of zero
    # there may be some.
    if column.data_type in _FLOATING and nans.get(column.number) != 0:
        return None
    return bound(upper.get(column.number), column.data_type)


def bound(raw: bytes | None, data_type: DataType) -> Any:
    """Read a bound.

    Args:
        raw: As the manifest has it.
        data_type: The type that the column has now.

    Returns:
        The value; None when it is not known, or in a form that no earlier type of the column has.
    """
    if raw is None:
        return None
    if data_type in _FORMS:
        form, unit = _FORMS[data_type].get(len(raw), ("", 1))
        return struct.unpack(form, raw)[0] * unit if form else None
    # Iceberg: Single-value serialization. Decimals are as long as their value needs.
    if isinstance(data_type, DecimalType):
        return int.from_bytes(raw, "big", signed=True)
    if data_type == STRING:
        return _text(raw)
    return None


def _text(raw: bytes) -> str | None:
    try:
        return bytes(raw).decode()
    # A bound that cannot be read is left out: its file is then read and not skipped.
    except UnicodeDecodeError:
        return None
