"""Tables opened without Spark: their rows as Arrow, pandas, polars and DuckDB have them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from puredelta._util.parallel import run_in_parallel
from puredelta.errors.packages import import_optional
from puredelta.log.actions import AddFile
from puredelta.log.files import each_file
from puredelta.log.reader import TableReader
from puredelta.log.reader import open_table as open_log_table
from puredelta.log.snapshot import Snapshot
from puredelta.notebook.table_facts import table_html
from puredelta.plots.table_plots import ChosenFiles, TablePlots
from puredelta.rows.column_checks import check_columns
from puredelta.rows.data_files import RowReader
from puredelta.rows.dataset import dataset_of
from puredelta.rows.filters import Filter, RowFilter, filter_text, read_filter
from puredelta.rows.log_inspection import LogInspection
from puredelta.rows.log_rows import LogRows
from puredelta.schema.arrow import to_arrow
from puredelta.schema.changes import find_column_position
from puredelta.schema.datatypes import StructType
from puredelta.table.change_columns import (
    CHANGE_COLUMNS,
    CHANGE_TYPE,
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
)
from puredelta.table.change_files import changed_files
from puredelta.table.columns.column_mapping import mapping_mode
from puredelta.table.protocol.protocol import check_readable
from puredelta.table.skipping.pruning import prune_files

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow.dataset as ds
    import pyarrow.fs as pafs

__all__ = ["OpenTable", "open_table"]

_BATCH = 65_536


def open_table(
    path: str | os.PathLike[str],
    version: int | None = None,
    timestamp: str | datetime | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> OpenTable:
    """Open a table whose rows, files and history are read without Spark.

    Examples:
        >>> table = puredelta.open_table("/data/flights")  # doctest: +SKIP
        >>> table.to_pandas(filter=[("day", "=", 3)])  # doctest: +SKIP

    Args:
        path: where it lies: a folder of this machine, or a URL such as `s3://bucket/table`.
        version: the version wanted; by default the latest.
        timestamp: in place of a version, the time whose latest version is wanted. Without a zone
            it is in the zone of this machine.
        storage_options: what the store needs to get in, in the names of obstore or of Hadoop.

    Raises:
        DeltaAnalysisError: There is no table, or no such version of it.
        DeltaInvalidProtocolVersionError: The table asks for a protocol that is not known.
        DeltaTableFeatureError: DELTA_UNSUPPORTED_FEATURES_FOR_READ names its features that cannot
            be honoured.
    """
    reader = open_log_table(path, version, timestamp, storage_options)
    snapshot = reader.snapshot
    check_readable(snapshot.protocol, snapshot.metadata, reader.log.store.url)
    return OpenTable(reader, storage_options)


class OpenTable(TableReader):
    """One version of a table, with its rows. Made by `open_table`."""

    def __init__(
        self, reader: TableReader, storage_options: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(reader.log, reader.snapshot)
        self._options = storage_options

    def __repr__(self) -> str:
        return f"OpenTable({self.log.store.url!r}, version={self.version})"

    def _repr_html_(self) -> str:
        """Show the table in a notebook: place, version, size, schema, partitioning, features."""
        return table_html(self.log.store.url, self)

    @property
    def inspect(self) -> LogInspection[LogRows]:
        """Files, partitions, history and more, by methods: notebooks show what these return."""
        return LogInspection(lambda: self, LogRows)

    @property
    def plot(self) -> TablePlots[Filter]:
        """Pictures: `versions`, `sizes`, `partitions`, and `files_read` for a filter.

        They are drawn by matplotlib: `pip install "puredelta[plots]"`.
        """
        return TablePlots(self.log.store.url, self.inspect, self._chosen)

    def to_batches(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | RowFilter | None = None,  # noqa: A002  # the name that pandas has
        batch_size: int = _BATCH,
    ) -> pa.RecordBatchReader:
        """Return the rows as a stream: no more than a few batches are in memory at a time.

        Args:
            columns: the names of the columns wanted, in order; by default all.
            filter: which rows. SQL text, `"day >= '2026-01-02' AND city LIKE 'P%'"`, which means
                what it means in Spark in the time zone UTC. Or conditions that must all be true,
                `[("day", ">=", date(2026, 1, 2)), ("city", "in", ["Paris"])]`, or a list of such
                lists, one of which must be. By the statistics of the log these skip files that
                cannot have such rows. Or an expression of `pyarrow.compute`, which skips none. In
                lists and expressions floats compare as in Arrow, where NaN is equal to nothing and
                less or greater than nothing; in text as in Spark.
            batch_size: how many rows a batch has at most.

        Raises:
            DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
            DeltaIllegalArgumentError: PUREDELTA_FILTER_INVALID, PUREDELTA_FILTER_TEXT_INVALID.
            DeltaFileNotFoundError: PUREDELTA_DATA_FILE_MISSING, while batches are read.
            DeltaRuntimeError: PUREDELTA_DATA_FILE_DAMAGED, while batches are read.
            DeltaUnsupportedOperationError: PUREDELTA_ROWS_NEED_SPARK, while batches are read.
        """
        data, scan = self._data(), _Scan(self.schema, columns, filter)
        files = each_file(scan.files(self.snapshot))
        found = chain.from_iterable(scan.batches(data, file, batch_size) for file in files)
        return pa.RecordBatchReader.from_batches(scan.schema, found)

    def to_arrow(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
    ) -> pa.Table:
        """Return the rows as an Arrow table, several files read side by side; see `to_batches`.

        Args:
            columns: as for `to_batches`.
            filter: as for `to_batches`.
        """
        data, scan = self._data(), _Scan(self.schema, columns, filter)
        return _read_all(scan, data, scan.files(self.snapshot))

    def head(
        self,
        count: int = 10,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
    ) -> pa.Table:
        """Return the first rows, in the order of the files; nothing after them is read.

        Args:
            count: how many rows at most.
            columns: as for `to_batches`.
            filter: as for `to_batches`.
        """
        # Rows that a filter drops are read all the same, so that small batches only cost time.
        size = _BATCH if filter is not None else max(1, min(count, _BATCH))
        batches = self.to_batches(columns, filter, batch_size=size)
        found: list[pa.RecordBatch] = []
        left = count
        for batch in batches if count else ():
            found.append(batch.slice(0, left))
            left -= batch.num_rows
            if left <= 0:
                break
        return pa.Table.from_batches(found, batches.schema)

    def to_pandas(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
        **options: Any,
    ) -> pd.DataFrame:
        """Return the rows as a DataFrame of pandas; see `to_batches`.

        Args:
            columns: as for `to_batches`.
            filter: as for `to_batches`.
            options: as for `pyarrow.Table.to_pandas`, such as `types_mapper=pandas.ArrowDtype`.
        """
        import_optional("pandas", "to_pandas")
        return self.to_arrow(columns, filter).to_pandas(**options)

    def to_polars(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
    ) -> pl.DataFrame:
        """Return the rows as a DataFrame of polars; see `to_batches`.

        Args:
            columns: as for `to_batches`.
            filter: as for `to_batches`.
        """
        polars = import_optional("polars", "to_polars")
        found: pl.DataFrame = polars.from_arrow(self.to_arrow(columns, filter))
        return found

    def to_duckdb(
        self,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> duckdb.DuckDBPyRelation:
        """Return the rows as a relation of DuckDB, to which SQL can be applied; see `to_batches`.

        Args:
            columns: as for `to_batches`.
            filter: as for `to_batches`.
            connection: where the relation belongs; by default DuckDB's own.
        """
        within = connection or import_optional("duckdb", "to_duckdb")
        found: duckdb.DuckDBPyRelation = within.from_arrow(self.to_arrow(columns, filter))
        return found

    def to_dataset(self, filesystem: pafs.FileSystem | None = None) -> ds.Dataset:
        """Return the files as a dataset of Arrow, which reads them itself, when it is asked.

        DuckDB, polars and Arrow push columns and filters down into it.

        >>> table.to_dataset().count_rows(filter=pc.field("day") == 3)  # doctest: +SKIP

        Args:
            filesystem: where the files are, unless they are on this machine: one of
                `pyarrow.fs`, for which the path of a file is its URL without the scheme.

        Raises:
            DeltaUnsupportedOperationError: The files alone would give other rows:
                PUREDELTA_FILES_ARE_NOT_THE_ROWS for deletion vectors, column mapping and widened
                columns; PUREDELTA_NO_DATASET for what has to be done to each row.
        """
        check_columns(self.snapshot)
        return dataset_of(self, filesystem)

    def changes(
        self,
        start: int,
        end: int | None = None,
        columns: Sequence[str] | None = None,
        filter: Filter | None = None,  # noqa: A002
    ) -> pa.Table:
        """Return the rows that changed, as the change data feed of Spark does.

        Args:
            start: the first version whose changes are given.
            end: the last one; by default the version that is open.
            columns: as for `to_batches`, the three below among them; by default all.
            filter: as for `to_batches`; it skips no files.

        Returns:
            The columns of the table, and `_change_type` (insert, update_preimage,
            update_postimage, delete), `_commit_version`, `_commit_timestamp`.

        Raises:
            DeltaAnalysisError: DELTA_MISSING_CHANGE_DATA: a version did not record its changes;
                DELTA_VERSION_NOT_FOUND.
            DeltaUnsupportedOperationError: DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA,
                DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE.
        """
        last = self.version if end is None else end
        changed = changed_files(self.log, start, last, self.metadata)
        scan = _Scan(StructType((*self.schema, *CHANGE_COLUMNS)), columns, filter)
        stamps = {COMMIT_VERSION, COMMIT_TIMESTAMP}
        derived = _read_all(scan, self._data(CHANGE_TYPE, *stamps), changed.derived)
        recorded = _read_all(scan, self._data(*stamps), changed.change_files)
        return pa.concat_tables([derived, recorded])

    def _chosen(self, condition: Filter) -> ChosenFiles:
        files = _Scan(self.schema, None, condition).files(self.snapshot)
        return ChosenFiles(filter_text(condition), files["path"].to_pylist())

    def _data(self, *more_partitions: str) -> RowReader:
        check_columns(self.snapshot)
        return RowReader(
            self.log.store,
            mapping_mode(self.snapshot.configuration),
            {*self.snapshot.partition_columns, *more_partitions},
            self._options,
        )


class _Scan:
    """Columns and rows that are wanted.

    Attributes:
        schema: of the answer.
    """

    def __init__(
        self,
        schema: StructType,
        columns: Sequence[str] | None,
        given: Filter | RowFilter | None,
    ) -> None:
        self._names = schema.names if columns is None else _named(schema, columns)
        self._filter: RowFilter | None = None if given is None else read_filter(given, schema)
        needed = {*self._names, *(self._filter.columns if self._filter else ())}
        self._read = StructType(tuple(field for field in schema if field.name in needed))
        whole = to_arrow(schema)
        self.schema = pa.schema([whole.field(name) for name in self._names])

    def files(self, snapshot: Snapshot) -> pa.Table:
        """Return the files of a version that can have such rows."""
        if self._filter is None:
            return snapshot.files
        pruned = prune_files(snapshot, snapshot.files, [self._filter.condition])
        return snapshot.files.filter(pa.array(pruned.mask))

    def batches(self, data: RowReader, file: AddFile, size: int) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one file that are wanted."""
        for batch in data.batches(file, self._read, size):
            rows = batch if self._filter is None else batch.filter(self._filter.expression)
            if rows.num_rows:
                yield rows.select(self._names)


def _read_all(scan: _Scan, data: RowReader, files: pa.Table) -> pa.Table:
    """Read files side by side."""
    parts = run_in_parallel(
        lambda file: list(scan.batches(data, file, _BATCH)),
        each_file(files),
        threads=os.cpu_count() or 1,
    )
    return pa.Table.from_batches(chain.from_iterable(parts), scan.schema)


def _named(schema: StructType, columns: Sequence[str]) -> list[str]:
    if isinstance(columns, str):
        raise TypeError(f"columns: a list of names, not the text {columns!r}")
    return [find_column_position(schema, (name,)).field.name for name in columns]
