"""The statistics of a version, a row a file and column."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaAnalysisError
from puredelta.log.file_stats import FileStats, file_stats
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.column_path import parse_path, quote_path
from puredelta.schema.datatypes import (
    BINARY,
    VARIANT,
    VOID,
    DataType,
    DecimalType,
    PrimitiveType,
    StructType,
    simple_string,
)
from puredelta.schema.physical import name_in_files

Path = tuple[str, ...]

_WITHOUT_BOUNDS = (BINARY, VARIANT, VOID)


class _Column(NamedTuple):
    """A column without parts of its own: its path for users and in the log, and its type."""

    path: Path
    inside: Path
    data_type: DataType


def list_stats(snapshot: Snapshot, column: str | None = None) -> pa.Table:
    """List what the log knows of the values in each file.

    Args:
        snapshot: The version.
        column: The path of one column, `a.b`; its bounds come in its type. By default all, with
            bounds as text.

    Returns:
        A row a file and column of which the log says anything, column by column: `path` of the
        file; `column`, its path; `type`; `min` and `max`, null where unknown; `null_count`;
        `num_records`, the rows in the file; `tight_bounds`, whether bounds and counts are those
        of the rows that are left, false when deletion vectors came later. Texts may be cut: a
        `min` then is below all values and a `max` above them. Times are ISO 8601 text in UTC.

    Raises:
        DeltaAnalysisError: There is no such column, or it has parts of its own.
    """
    columns = list(_columns(snapshot))
    if column is not None:
        columns = [_named(columns, column, snapshot.schema)]
    files = snapshot.files
    stats = file_stats(files, {leaf.inside: _bounds_type(leaf.data_type) for leaf in columns})
    as_text = column is None
    blocks = [_rows(files["path"], stats, leaf, as_text=as_text) for leaf in columns]
    kind = pa.string() if as_text else _bounds_type(columns[0].data_type)
    return pa.concat_tables([_schema(kind).empty_table(), *blocks])


def _schema(bounds: pa.DataType) -> pa.Schema:
    return pa.schema(
        [
            ("path", pa.string()),
            ("column", pa.string()),
            ("type", pa.string()),
            ("min", bounds),
            ("max", bounds),
            ("null_count", pa.int64()),
            ("num_records", pa.int64()),
            ("tight_bounds", pa.bool_()),
        ]
    )


def _rows(paths: pa.ChunkedArray, stats: FileStats, column: _Column, *, as_text: bool) -> pa.Table:
    """Return the rows of one column; they share the memory of the paths with those of others."""
    kind = _bounds_type(column.data_type)
    unknown = pa.chunked_array([pa.nulls(len(paths), kind)])
    minimum = stats.least.get(column.inside, unknown)
    maximum = stats.greatest.get(column.inside, unknown)
    nulls = stats.null_counts[column.inside]
    shown = _text if as_text else (lambda bounds: bounds)
    table = pa.table(
        [
            paths,
            pa.repeat(quote_path(column.path), len(paths)),
            pa.repeat(simple_string(column.data_type), len(paths)),
            shown(minimum),
            shown(maximum),
            nulls,
            stats.num_records,
            # Protocol: Per-file Statistics. Without the mark, bounds are tight.
            pc.fill_null(stats.tight_bounds, fill_value=True),
        ],
        schema=_schema(pa.string() if as_text else kind),
    )
    known = pc.or_(pc.or_(minimum.is_valid(), maximum.is_valid()), nulls.is_valid())
    return table if pc.all(known).as_py() else table.filter(known)


def _text(bounds: pa.ChunkedArray) -> pa.ChunkedArray:
    text = bounds.cast(pa.string())
    return pc.replace_substring(text, " ", "T") if pa.types.is_timestamp(bounds.type) else text


def _columns(snapshot: Snapshot) -> Iterator[_Column]:
    partitioning = {name.lower() for name in snapshot.partition_columns}
    for column in _leaves(snapshot.schema, (), ()):
        # Protocol: Per-file Statistics. Partition columns have none: the values of a file are all
        # equal.
        if column.path[0].lower() not in partitioning:
            yield column


def _leaves(schema: StructType, above: Path, above_inside: Path) -> Iterator[_Column]:
    for field in schema:
        path, inside = (*above, field.name), (*above_inside, name_in_files(field))
        if isinstance(field.data_type, StructType):
            yield from _leaves(field.data_type, path, inside)
        else:
            yield _Column(path, inside, field.data_type)


def _named(columns: list[_Column], name: str, schema: StructType) -> _Column:
    wanted = [part.lower() for part in parse_path(name)]
    for column in columns:
        if [part.lower() for part in column.path] == wanted:
            return column
    raise DeltaAnalysisError(
        "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", columnName=name, tableSchema=simple_string(schema)
    )


def _bounds_type(data_type: DataType) -> pa.DataType:
    """Return the Arrow type of a column's bounds; null where it has none."""
    ordered = isinstance(data_type, DecimalType) or (
        isinstance(data_type, PrimitiveType) and data_type not in _WITHOUT_BOUNDS
    )
    return type_to_arrow(data_type) if ordered else pa.null()
