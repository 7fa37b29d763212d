"""Small writes without Spark: rows of pandas, polars and Arrow into a table, or into a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Literal

import pyarrow as pa

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
    MetadataChangedError,
    ProtocolChangedError,
)
from puredelta.log.actions import AddFile, Metadata, Protocol, RemoveFile
from puredelta.log.files import add_files, to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog, open_log
from puredelta.rows.writing.data_files import split_by_partition, write_partitions
from puredelta.rows.writing.file_layout import FileLayout
from puredelta.rows.writing.incoming import LocalRows, arrow_table
from puredelta.rows.writing.needs_spark import check_needs_no_spark
from puredelta.rows.writing.prepared_rows import PreparedRows, make_rows
from puredelta.schema.datatypes import VOID, StructField, StructType
from puredelta.schema.from_arrow import from_arrow
from puredelta.schema.walk import types_in
from puredelta.storage.location import path_text
from puredelta.storage.uncommitted import removed_on_failure
from puredelta.table.evolution.new_columns import make_nullable
from puredelta.table.expressions.identity_columns import (
    differs_in_high_water_marks_only,
    with_high_water_marks,
)
from puredelta.table.new_table import NewTableRules, first_version
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.properties import APPEND_ONLY
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import IDENTITY_ONLY_TAG, Operation
from puredelta.txn.transaction import Transaction

__all__ = ["Mode", "TableWritten", "write_table"]

Mode = Literal["append", "overwrite", "error", "errorifexists", "ignore"]

_MODES: Mapping[str, str] = {
    "append": "Append",
    "overwrite": "Overwrite",
    "error": "ErrorIfExists",
    "errorifexists": "ErrorIfExists",
    "ignore": "Ignore",
}
_IGNORE, _OVERWRITE, _ERROR = "Ignore", "Overwrite", "ErrorIfExists"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWritten:
    """What a write did.

    Attributes:
        version: the version that the table has: the one that was made, or the one that it had
            before where there was nothing to write.
        rows: how many were written.
        files: how many were written.
        bytes: the size of these files.
        removed_files: how many an overwrite replaced.
    """

    version: int
    rows: int = 0
    files: int = 0
    bytes: int = 0
    removed_files: int = 0


def write_table(
    path: str | PathLike[str],
    data: LocalRows,
    mode: Mode = "append",
    *,
    partition_by: str | Sequence[str] | None = None,
    properties: Mapping[str, str] | None = None,
    description: str | None = None,
    user_metadata: str | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> TableWritten:
    """Write rows to a table, which is created where there is none; no Spark and no JVM is started.

    All rows are in memory, and all are checked before a file is written. A table of which only
    Spark can keep the rules is refused by name.

    >>> puredelta.write_table("/data/flights", frame, partition_by="day")  # doctest: +SKIP
    TableWritten(version=0, rows=3, files=2, bytes=1824, removed_files=0)

    Args:
        path: where the table lies: a folder of this machine, or a URL such as
            `s3://bucket/table`.
        data: a DataFrame of pandas (without its index) or polars, a LazyFrame, a table, batch or
            reader of Arrow, or anything that Arrow takes over, such as a relation of DuckDB.
            Columns are found by name; those that are left out get their default, an identity
            value, or null.
        mode: `append`; `overwrite` all rows, where columns and properties stay; `error` where
            there is a table; `ignore` the data where there is one.
        partition_by: partition columns. Of a table that exists they must be its own.
        properties: table properties of a table that is created.
        description: the comment of a table that is created.
        user_metadata: a text for the history of the table.
        storage_options: what the store needs to get in, in the names of obstore or of Hadoop.

    Raises:
        DeltaAnalysisError: DELTA_PATH_EXISTS, DELTA_COLUMN_NOT_FOUND_IN_SCHEMA,
            DELTA_METADATA_MISMATCH, DELTA_EMPTY_DATA, or what keeps a table from being created.
        DeltaIllegalArgumentError: PUREDELTA_WRITE_MODE_INVALID, PUREDELTA_WRITE_TYPE_DIFFERS,
            PUREDELTA_WRITE_VALUE_DIFFERS, PUREDELTA_ROWS_NOT_ARROW.
        DeltaInvariantViolationError: DELTA_NOT_NULL_CONSTRAINT_VIOLATED,
            DELTA_MISSING_NOT_NULL_COLUMN_VALUE, DELTA_VIOLATE_CONSTRAINT_WITH_VALUES.
        DeltaUnsupportedOperationError: PUREDELTA_WRITE_NEEDS_SPARK, PUREDELTA_ARROW_TYPE_UNKNOWN,
            DELTA_CANNOT_MODIFY_APPEND_ONLY.
        DeltaTableFeatureError: DELTA_UNSUPPORTED_FEATURES_FOR_WRITE.
        DeltaConcurrentModificationError: another writer came first; no row was written.
    """
    write = _TableWrite(
        log=open_log(path_text(path), storage_options),
        mode=_mode_of(mode),
        partition_by=(partition_by,) if isinstance(partition_by, str) else partition_by,
        properties=properties or {},
        description=description,
        user_metadata=user_metadata,
    )
    return write.run(arrow_table(data, "data"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableWrite:
    """A write, apart from its rows; see `write_table`.

    Attributes:
        log: of the table.
        mode: as history names it.
    """

    log: TableLog
    mode: str
    partition_by: Sequence[str] | None
    properties: Mapping[str, str]
    description: str | None
    user_metadata: str | None

    @property
    def label(self) -> str:
        """What messages call the table."""
        return f"delta.`{self.log.store.url}`"

    def run(self, data: pa.Table) -> TableWritten:
        """Write and commit."""
        while True:
            before = self.log.latest() if self.log.exists() else None
            try:
                with removed_on_failure():
                    return self._create(data) if before is None else self._change(before, data)
            except ProtocolChangedError:
                # Another writer created the table first: the rows go there, as the mode says.
                if before is not None:
                    raise
            except MetadataChangedError:
                # Another writer gave out the same identity values: the rows get later ones.
                if before is None or not self._marks_moved(before):
                    raise

    def _marks_moved(self, before: Snapshot) -> bool:
        return differs_in_high_water_marks_only(before.metadata, self.log.latest().metadata)

    # -------------------------------------------------------------------------------- a new table

    def _create(self, data: pa.Table) -> TableWritten:
        metadata, protocol = self._first_version(data)
        check_needs_no_spark(metadata, protocol, self.label)
        layout = FileLayout(metadata)
        rows = make_rows(data, layout, protocol, self.label)
        adds = self._write_files(rows, layout)
        made = Transaction(self.log, None, table=self.label).commit(
            adds,
            self._operation(self.mode, adds, rows.table.num_rows),
            metadata=metadata,
            protocol=protocol,
            user_metadata=self.user_metadata,
        )
        return _written(made.version, adds, rows.table.num_rows)

    def _first_version(self, data: pa.Table) -> tuple[Metadata, Protocol]:
        schema = StructType(tuple(_column(field) for field in from_arrow(data.schema)))
        if not schema:
            raise DeltaAnalysisError("DELTA_EMPTY_DATA")
        for field in schema:
            if VOID in types_in(field.data_type):
                raise DeltaUnsupportedOperationError(
                    "PUREDELTA_ARROW_TYPE_UNKNOWN", column=field.name, type="null"
                )
        return first_version(
            NewTableRules(defaults={}),
            schema,
            tuple(self.partition_by or ()),
            dict(self.properties),
            self.description,
        )

    # --------------------------------------------------------------------------- an existing table

    def _change(self, before: Snapshot, data: pa.Table) -> TableWritten:
        if self.mode == _ERROR:
            raise DeltaAnalysisError("DELTA_PATH_EXISTS", path=self.log.store.url)
        if self.mode == _IGNORE:
            return TableWritten(version=before.version)
        self._check_allowed(before)
        metadata = active_definitions(before.metadata, before.protocol)
        layout = FileLayout(metadata)
        rows = make_rows(data, layout, before.protocol, self.label)
        adds = self._write_files(rows, layout)
        removes = self._replaced(before)
        if not adds and not removes:
            return TableWritten(version=before.version)
        transaction = Transaction(self.log, before, table=self.label)
        if self.mode == _OVERWRITE:
            transaction.read_whole_table()
        after = with_high_water_marks(before.metadata, rows.marks)
        operation = self._operation(self.mode, adds, rows.table.num_rows, removes)
        moves_marks = differs_in_high_water_marks_only(before.metadata, after)
        made = transaction.commit(
            [*adds, *removes],
            Operation(
                operation.name,
                operation.parameters,
                operation.metrics,
                tags={IDENTITY_ONLY_TAG: "true"} if moves_marks else None,
            ),
            metadata=after if moves_marks else None,
            user_metadata=self.user_metadata,
        )
        return _written(made.version, adds, rows.table.num_rows, len(removes))

    def _check_allowed(self, before: Snapshot) -> None:
        check_writable(before.protocol, before.metadata, self.label)
        check_needs_no_spark(before.metadata, before.protocol, self.label)
        if self.mode == _OVERWRITE and APPEND_ONLY.of(before.configuration):
            raise DeltaUnsupportedOperationError(
                "DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=self.label, config=APPEND_ONLY.key
            )
        given = None if self.partition_by is None else [name.lower() for name in self.partition_by]
        if given is not None and given != [name.lower() for name in before.partition_columns]:
            raise DeltaAnalysisError(
                "DELTA_METADATA_MISMATCH",
                table=self.label,
                difference=f"the data is to be partitioned by {list(self.partition_by or ())} and "
                f"the table is partitioned by {before.partition_columns}",
            )

    def _replaced(self, before: Snapshot) -> list[RemoveFile]:
        if self.mode != _OVERWRITE:
            return []
        return [to_remove_file(file) for file in add_files(before.files)]

    # -------------------------------------------------------------------------------------- both

    def _write_files(self, rows: PreparedRows, layout: FileLayout) -> list[AddFile]:
        # All rows are right by now: what they break was raised before a file is written.
        partitions = split_by_partition(rows.table, layout)
        self.log.store.require_put_if_absent()
        return list(write_partitions(self.log.store, partitions, layout))

    def _operation(
        self,
        mode: str,
        adds: Sequence[AddFile],
        rows: int,
        removes: Sequence[RemoveFile] = (),
    ) -> Operation:
        metrics = {
            "numFiles": str(len(adds)),
            "numOutputRows": str(rows),
            "numOutputBytes": str(_size(adds)),
        }
        if mode == _OVERWRITE:
            metrics["numRemovedFiles"] = str(len(removes))
            metrics["numRemovedBytes"] = str(sum(file.size or 0 for file in removes))
        parameters = {"mode": mode, "partitionBy": list(self.partition_by or ())}
        return Operation("WRITE", parameters, metrics)


def _mode_of(mode: object) -> str:
    known = _MODES.get(mode.strip().lower()) if isinstance(mode, str) else None
    if known is None:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_WRITE_MODE_INVALID", mode=mode, modes=sorted(_MODES)
        )
    return known


def _column(field: StructField) -> StructField:
    # NOT NULL counts at the top alone: inside arrays and maps no writer could check it.
    return StructField(field.name, make_nullable(field.data_type), field.nullable)


def _written(version: int, adds: Sequence[AddFile], rows: int, removed: int = 0) -> TableWritten:
    return TableWritten(
        version=version, rows=rows, files=len(adds), bytes=_size(adds), removed_files=removed
    )


def _size(files: Iterable[AddFile]) -> int:
    return sum(file.size for file in files)
