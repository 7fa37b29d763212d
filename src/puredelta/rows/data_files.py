"""The rows of single data files, without those that a deletion vector hides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from puredelta.errors import DeltaFileNotFoundError, DeltaRuntimeError
from puredelta.errors import DeltaUnsupportedOperationError as Unsupported
from puredelta.log.actions import AddFile
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.log.files import canonical_path
from puredelta.rows.columns import as_table_has, find_in_file, padded
from puredelta.schema.arrow import to_arrow
from puredelta.schema.datatypes import (
    DATE,
    DECLARED_TYPE_KEY,
    TIMESTAMP,
    DataType,
    StructField,
    StructType,
)
from puredelta.storage.location import absolute, local_path
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.change_columns import CHANGE_COLUMNS
from puredelta.table.columns.char_lengths import declared_type
from puredelta.table.columns.column_mapping import MappingMode, physical_name
from puredelta.table.deletion_vectors.vectors import read_vector
from puredelta.table.partition_values import typed_column
from puredelta.table.statistics.footer_trust import is_hybrid

# Before these, the calendar of Spark 2 and that of Spark 3 differ.
_GREGORIAN: dict[DataType, pa.Scalar] = {
    DATE: pa.scalar(-141_427, pa.int32()).cast(pa.date32()),  # 1582-10-15
    TIMESTAMP: pa.scalar(-2_208_988_800_000_000, pa.timestamp("us", "UTC")),  # 1900-01-01
}


@dataclass(frozen=True)
class RowReader:
    """Reads files of a table.

    Attributes:
        store: the table's.
        mode: how its columns are found in files.
        partition_columns: the columns that are in the records of files, not in the files.
        options: what the stores of files outside of the table need to get in.
    """

    store: Store
    mode: MappingMode
    partition_columns: AbstractSet[str]
    options: Mapping[str, str] | None = None

    def batches(self, add: AddFile, columns: StructType, size: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file.

        Args:
            add: the record of the file.
            columns: the columns wanted, of the table's schema, in order.
            size: how many rows a batch has at most, before deleted ones are left out.

        Raises:
            DeltaFileNotFoundError: PUREDELTA_DATA_FILE_MISSING.
            DeltaRuntimeError: PUREDELTA_DATA_FILE_DAMAGED.
            DeltaUnsupportedOperationError: PUREDELTA_ROWS_NEED_SPARK.
        """
        path = canonical_path(add.path)
        deleted = self._deleted(add, path)
        try:
            with self._opened(path, add.size) as file:
                first = 0
                for batch in self._read(file, columns, size):
                    made = self._converted(batch, file, add, columns)
                    yield made if deleted is None else _without(made, deleted, first)
                    first += batch.num_rows
        except FileNotFoundError as reason:
            raise DeltaFileNotFoundError(
                "PUREDELTA_DATA_FILE_MISSING", path=absolute(self.store.url, path)
            ) from reason
        except (pa.ArrowException, OSError) as reason:
            raise DeltaRuntimeError(
                "PUREDELTA_DATA_FILE_DAMAGED",
                path=absolute(self.store.url, path),
                reason=str(reason).rstrip("."),
            ) from reason

    def _opened(self, path: str, size: int) -> pq.ParquetFile:
        url = absolute(self.store.url, path)
        source: Any = local_path(url)
        if source is None:
            store, name = self._placed(url)
            source = pa.PythonFile(RangedFile(store, ObjectInfo(name, size, 0)), mode="r")
        return pq.ParquetFile(source, coerce_int96_timestamp_unit="us")

    def _placed(self, url: str) -> tuple[Store, str]:
        """Return a store, and where in it a file is."""
        inside = f"{self.store.url}/"
        if url.startswith(inside):
            return self.store, url.removeprefix(inside)
        folder, _, name = url.rpartition("/")
        return open_store(folder, self.options), name

    def _deleted(self, add: AddFile, path: str) -> Any:
        if add.deletion_vector is None:
            return None
        opened = partial(open_store, options=self.options)
        rows = read_vector(self.store, self.store.url, add.deletion_vector, opened, file=path)
        return np.fromiter(rows, np.int64, len(rows))

    def _read(
        self, file: pq.ParquetFile, columns: StructType, size: int
    ) -> Iterator[pa.RecordBatch]:
        names = [name for _, name in self._in_file(file, columns) if name is not None]
        if names:
            yield from file.iter_batches(size, columns=names)
            return
        rows = file.metadata.num_rows
        for first in range(0, rows, size):
            yield pa.RecordBatch.from_arrays([pa.nulls(min(size, rows - first))], [""])

    def _in_file(
        self, file: pq.ParquetFile, columns: StructType
    ) -> Iterator[tuple[StructField, str | None]]:
        """Yield each column, with its name in the file; None for one that is not there."""
        have = list(file.schema_arrow)
        for column in columns:
            at = (
                None
                if self._is_partition(column)
                else find_in_file(have, column, self._mode_of(column))
            )
            yield column, None if at is None else have[at].name

    def _is_partition(self, column: StructField) -> bool:
        return column.name in self.partition_columns

    def _mode_of(self, column: StructField) -> MappingMode:
        # The columns of the change data feed have no other names.
        return MappingMode.NONE if column in tuple(CHANGE_COLUMNS) else self.mode

    def _converted(
        self, batch: pa.RecordBatch, file: pq.ParquetFile, add: AddFile, columns: StructType
    ) -> pa.RecordBatch:
        is_old = is_hybrid(file.metadata.metadata or {})
        schema = to_arrow(columns)
        arrays = []
        for (column, name), wanted in zip(self._in_file(file, columns), schema, strict=True):
            if self._is_partition(column):
                array = self._partition(column, add, batch.num_rows)
                array = padded(array, str(column.metadata.get(DECLARED_TYPE_KEY)))
            elif name is None:
                array = pa.nulls(batch.num_rows, wanted.type)
            else:
                declared = declared_type(column)
                array = as_table_has(batch.column(name), declared, wanted.type, self.mode)
                if is_old:
                    _refuse_old(array, column)
            arrays.append(array)
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _partition(self, column: StructField, add: AddFile, rows: int) -> pa.Array:
        text = (add.partition_values or {}).get(physical_name(column, self._mode_of(column)))
        one = typed_column(pa.array([text], pa.string()), column.data_type)
        return pa.repeat(one[0], rows)


def _refuse_old(array: pa.Array, column: StructField) -> None:
    start = _GREGORIAN.get(column.data_type)
    if start is not None and pc.any(pc.less(array, start)).as_py():
        raise Unsupported(
            "PUREDELTA_ROWS_NEED_SPARK",
            reason=f"a file that Spark 2 wrote has days or times in {column.name} that are so old "
            "that they are of another calendar",
        )


def _without(batch: pa.RecordBatch, deleted: Any, first: int) -> pa.RecordBatch:
    """Leave deleted rows out.

    Args:
        batch: rows of a file.
        deleted: the numbers of the file's rows that are deleted, sorted.
        first: the number of the first row of the batch.
    """
    low, high = np.searchsorted(deleted, [first, first + batch.num_rows])
    if low == high:
        return batch
    keep = np.ones(batch.num_rows, bool)
    keep[deleted[low:high] - first] = False
    return batch.filter(pa.array(keep))
