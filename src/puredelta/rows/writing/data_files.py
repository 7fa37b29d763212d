"""Rows -> Parquet files of a table, which no reader sees until a commit names them.

Protocol: Partition Value Serialization; Writer Requirements for Column Mapping.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from puredelta._util.clock import now_ms
from puredelta.errors import DeltaIllegalArgumentError, DeltaInvariantViolationError
from puredelta.log.actions import AddFile
from puredelta.rows.writing.file_layout import FileLayout
from puredelta.schema.datatypes import TIMESTAMP, StructField
from puredelta.storage.location import encode_path
from puredelta.storage.store import Store
from puredelta.storage.uncommitted import note
from puredelta.table.partition_values import partition_folder, text_from_value
from puredelta.table.statistics.file_stats import stats_from_arrow

# What a file holds at most, by the size of its rows in memory: about a quarter of it on disk.
_BYTES_IN_MEMORY = 512 << 20

# So many rows are looked at for values that repeat, and each has to be there so often.
_SAMPLED_ROWS, _REPEATED = 20_000, 2

COMPRESSION = "snappy"
"""How the files are compressed."""


class Partition(NamedTuple):
    """Rows of one partition.

    Attributes:
        values: of the partition columns, as the log has them, by their names in files.
        rows: with the data columns alone.
    """

    values: dict[str, str | None]
    rows: pa.Table


def split_by_partition(rows: pa.Table, layout: FileLayout) -> list[Partition]:
    """Split rows by the values of the partition columns.

    Args:
        rows: with all columns, as files name them.
        layout: of the table.

    Raises:
        DeltaInvariantViolationError: DELTA_NOT_NULL_CONSTRAINT_VIOLATED: an empty text, which is
            null as a partition value.
        DeltaIllegalArgumentError: PUREDELTA_WRITE_VALUE_DIFFERS: a day that Python does not have.
    """
    names = layout.partition_columns
    data = rows.select([field.name for field in layout.data_columns])
    if not names or not rows.num_rows:
        return [Partition({}, data)] if rows.num_rows else []
    texts = [_texts(rows, name, layout) for name in names]
    keys = np.zeros(rows.num_rows, np.int64)
    for known, codes in texts:
        _, keys = np.unique(keys * len(known) + codes, return_inverse=True)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    ends = [*starts[1:], rows.num_rows]
    return [
        Partition(
            {
                name: known[codes[order[start]]]
                for name, (known, codes) in zip(names, texts, strict=True)
            },
            data.take(pa.array(order[start:end])),
        )
        for start, end in zip(starts, ends, strict=True)
    ]


def _texts(
    rows: pa.Table, name: str, layout: FileLayout
) -> tuple[list[str | None], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the distinct texts of a partition column, and which of them each row has."""
    encoded = rows[name].combine_chunks().dictionary_encode(null_encoding="encode")
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    at = layout.written.names.index(name)
    column, stored = layout.table.fields[at], layout.written.fields[at]
    texts = [_text(value, column, stored) for value in encoded.dictionary]
    # Several values may have one text, such as null and the empty text.
    known = list(dict.fromkeys(texts))
    places = {text: place for place, text in enumerate(known)}
    codes = np.array([places[text] for text in texts], np.int64)
    return known, codes[encoded.indices.to_numpy(zero_copy_only=False)]


def _text(value: pa.Scalar, column: StructField, stored: StructField) -> str | None:
    try:
        text = text_from_value(value.as_py(), stored.data_type)
    except (ValueError, OverflowError) as reason:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_WRITE_VALUE_DIFFERS",
            column=column.name,
            type=f"{value.type}, of a partition column",
            reason=reason,
        ) from reason
    if text is None and not column.nullable:
        raise DeltaInvariantViolationError(
            "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName=column.name
        )
    return text


def write_partitions(
    store: Store, partitions: list[Partition], layout: FileLayout
) -> Iterator[AddFile]:
    """Write files and yield the record of each.

    Args:
        store: the table's folder.
        partitions: the rows.
        layout: of the table.
    """
    number = 0
    for partition in partitions:
        shown = {name: _in_folder(name, text, layout) for name, text in partition.values.items()}
        folder = partition_folder(shown, layout.partition_columns)
        for rows in _of_one_file(partition.rows):
            name = f"part-{number:05d}-{uuid.uuid4()}.c000.{COMPRESSION}.parquet"
            number += 1
            path = f"{folder}/{name}" if folder else name
            data = _parquet(rows)
            # Before anybody sees it, so that it is removed when the write fails at any later point.
            note(store, [path])
            store.put(path, data)
            info = store.info(path)
            yield AddFile(
                path=encode_path(path),
                partition_values=partition.values,
                size=len(data),
                modification_time=now_ms() if info is None else info.modified_ms,
                data_change=True,
                stats=stats_from_arrow(rows, layout.data_columns, layout.indexing),
            )


def _in_folder(name: str, text: str | None, layout: FileLayout) -> str | None:
    """Return a partition value as Spark has it in the name of a folder."""
    field = layout.written.field(name, case_sensitive=True)
    if text is None or field is None or field.data_type != TIMESTAMP:
        return text
    # The log has `2024-01-02T03:04:05.100000Z`, and folders the same time of UTC as a wall clock.
    return text.removesuffix("Z").replace("T", " ").rstrip("0").removesuffix(".")


def _of_one_file(rows: pa.Table) -> Iterator[pa.Table]:
    files = max(1, -(-rows.nbytes // _BYTES_IN_MEMORY))
    step = -(-rows.num_rows // files)
    for start in range(0, rows.num_rows, step):
        yield rows.slice(start, step)


def _parquet(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows,
        sink,
        compression=COMPRESSION,
        use_dictionary=_repeating(rows),
        # The types are those of the table; what Arrow would note of them is of no use to others.
        store_schema=False,
        # As Spark writes them, and other readers read them faster.
        store_decimal_as_integer=True,
    )
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _repeating(rows: pa.Table) -> list[str] | bool:
    """Return the columns whose values repeat, as far as the first rows show.

    A dictionary of a column whose values do not is given up after a while, and doubles the time.
    """
    if any(pa.types.is_nested(field.type) for field in rows.schema):
        # Their parts have names of their own; all columns get a dictionary then, as is usual.
        return True
    first = rows.slice(0, _SAMPLED_ROWS)
    most = len(first) // _REPEATED
    return [name for name in first.column_names if len(first[name].unique()) <= most]
