"""The rows of single data files, without those that a deletion vector hides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyroaring import BitMap64

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
from puredelta.storage.local_files import check_is_file
from puredelta.storage.location import absolute, local_path
from puredelta.storage.schemes import open_store, place_of
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.change_columns import CHANGE_COLUMNS
from puredelta.table.columns.char_lengths import declared_type
from puredelta.table.columns.column_mapping import MappingMode, physical_name
from puredelta.table.deletion_vectors.vectors import read_vector
from puredelta.table.partition_values import typed_column
from puredelta.table.statistics.footer_trust import GREGORIAN_DAYS, MICROS_1900, is_hybrid

# Before these, the calendar of Spark 2 and that of Spark 3 differ.
_GREGORIAN: dict[DataType, pa.Scalar] = {
    DATE: pa.scalar(GREGORIAN_DAYS, pa.int32()).cast(pa.date32()),
    TIMESTAMP: pa.scalar(MICROS_1900, pa.timestamp("us", "UTC")),
}


class _ColumnSource(NamedTuple):
    """Where a column of a file comes from.

    Attributes:
        column: the table's, with CHAR where that is declared.
        wanted: the field of Arrow for it.
        name: in the file; None for one that is not there.
        value: the value of all rows, where the column is not there; null where it has none.
    """

    column: StructField
    wanted: pa.Field
    name: str | None
    value: pa.Scalar


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
        for made, kept, _ in self._parts(add, columns, size):
            yield made if kept is None else made.filter(kept)

    def numbered_batches(
        self, add: AddFile, columns: StructType, size: int
    ) -> Iterator[tuple[pa.RecordBatch, pa.Array]]:
        """Yield the rows of a file, and the number that each has in it; see `batches`."""
        for made, kept, first in self._parts(add, columns, size):
            numbers = pa.array(np.arange(first, first + made.num_rows))
            if kept is None:
                yield made, numbers
            else:
                yield made.filter(kept), numbers.filter(kept)

    def _parts(
        self, add: AddFile, columns: StructType, size: int
    ) -> Iterator[tuple[pa.RecordBatch, pa.Array | None, int]]:
        """Yield rows, which of them are not deleted (None for all), and the number of the first."""
        path = canonical_path(add.path)
        deleted = self._deleted(add, path)
        try:
            with self._opened(path, add.size) as file:
                sources = self._sources(file, add, columns)
                is_old = is_hybrid(file.metadata.metadata or {})
                first = 0
                for batch in _read(file, sources, size):
                    made = self._converted(batch, sources, is_old=is_old)
                    yield made, _kept(batch.num_rows, deleted, first), first
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
        if source is not None:
            check_is_file(source)
        else:
            opened = partial(open_store, options=self.options)
            store, name = place_of(url, self.store, self.store.url, opened)
            source = pa.PythonFile(RangedFile(store, ObjectInfo(name, size, 0)), mode="r")
        return pq.ParquetFile(source, coerce_int96_timestamp_unit="us")

    def _deleted(self, add: AddFile, path: str) -> BitMap64 | None:
        if add.deletion_vector is None:
            return None
        opened = partial(open_store, options=self.options)
        return read_vector(self.store, self.store.url, add.deletion_vector, opened, file=path)

    def _sources(
        self, file: pq.ParquetFile, add: AddFile, columns: StructType
    ) -> list[_ColumnSource]:
        """Find each column: once for a file, which may have many batches."""
        have = list(file.schema_arrow)
        found = []
        for column, wanted in zip(columns, to_arrow(columns), strict=True):
            # The columns of the change data feed have no other names.
            mode = MappingMode.NONE if column in tuple(CHANGE_COLUMNS) else self.mode
            at, value = None, pa.scalar(None, wanted.type)
            if column.name in self.partition_columns:
                value = _partition_value(column, add, mode)
            else:
                at = find_in_file(have, column, mode)
            declared = replace(column, data_type=declared_type(column))
            found.append(
                _ColumnSource(declared, wanted, None if at is None else have[at].name, value)
            )
        return found

    def _converted(
        self, batch: pa.RecordBatch, sources: list[_ColumnSource], *, is_old: bool
    ) -> pa.RecordBatch:
        arrays = []
        for column, wanted, name, value in sources:
            if name is None:
                array = pa.repeat(value, batch.num_rows)
            else:
                array = as_table_has(batch.column(name), column.data_type, wanted.type, self.mode)
                if is_old:
                    _refuse_old(array, column)
            arrays.append(array)
        schema = pa.schema([source.wanted for source in sources])
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _read(
    file: pq.ParquetFile, sources: list[_ColumnSource], size: int
) -> Iterator[pa.RecordBatch]:
    names = [source.name for source in sources if source.name is not None]
    if names:
        yield from file.iter_batches(size, columns=names)
        return
    rows = file.metadata.num_rows
    for first in range(0, rows, size):
        yield pa.RecordBatch.from_arrays([pa.nulls(min(size, rows - first))], [""])


def _partition_value(column: StructField, add: AddFile, mode: MappingMode) -> pa.Scalar:
    text = (add.partition_values or {}).get(physical_name(column, mode))
    value = typed_column(pa.array([text], pa.string()), column.data_type)
    return padded(value, str(column.metadata.get(DECLARED_TYPE_KEY)))[0]


def _refuse_old(array: pa.Array, column: StructField) -> None:
    start = _GREGORIAN.get(column.data_type)
    if start is not None and pc.any(pc.less(array, start)).as_py():
        raise Unsupported(
            "PUREDELTA_ROWS_NEED_SPARK",
            reason=f"a file that Spark 2 wrote has days or times in {column.name} that are so old "
            "that they are of another calendar",
        )


def _kept(count: int, deleted: BitMap64 | None, first: int) -> pa.Array | None:
    """Return which of some rows of a file are not deleted; None for all.

    Args:
        count: how many rows.
        deleted: the numbers of the file's rows that are deleted; None for none.
        first: the number of the first of the rows.
    """
    if deleted is None:
        return None
    # A small vector can delete billions of rows, of which only those of the file are looked at.
    here = BitMap64()
    here.add_range(first, first + count)
    here &= deleted
    if not here:
        return None
    kept = np.ones(count, bool)
    kept[np.fromiter(here, np.int64, len(here)) - first] = False
    return pa.array(kept)
