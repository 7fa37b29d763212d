"""The table that a statement changes: the version it reads, and its rows as the statement says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import DataFrame

from puredelta.commands.rows.layout import partition_fields
from puredelta.commands.rows.removed_files import check_not_append_only, paths_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.plan_rebinding import columns_analysed, keeps_names, rebind_to_scan
from puredelta.engine.dml.partition_filter import partition_key, select_partitions
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.table.columns.column_mapping import mapping_mode, physical_names
from puredelta.table.deletion_vectors.writing import TableVectors
from puredelta.table.protocol.properties import DELETION_VECTORS
from puredelta.table.protocol.protocol import check_writable, features_of
from puredelta.table.statistics.row_counts import row_counts
from puredelta.txn.transaction import Transaction

_VECTORS = "deletionVectors"


@dataclass(frozen=True)
class DmlTarget:
    """The table that a statement changes.

    Attributes:
        target: the table.
        rows: a scan of it with the names, aliases and views of the statement; None where it has
            none.
    """

    target: WriteTarget
    rows: DataFrame | None = None

    @property
    def before(self) -> Snapshot:
        """The version that is read."""
        return self.target.before

    @property
    def vectors(self) -> TableVectors:
        """The table's deletion vectors."""
        return TableVectors(self.before.store, self._open_folder)

    @property
    def has_vectors(self) -> bool:
        """Say whether rows of the table may be taken away by new deletion vectors."""
        before = self.before
        # Protocol: Deletion Vectors. The feature alone requires readers to support vectors; new
        # ones are written only where the property enables them, too.
        return _VECTORS in features_of(before.protocol) and DELETION_VECTORS.of(
            before.configuration
        )

    def scan(self, files: pa.Table | None) -> DataFrame:
        """Return the rows of some files, or of all, with the table's own columns and names."""
        table = self.target.table
        session = self.target.context.session
        return frame_of_files(session, table.root, self.before, files, table.options)

    @cached_property
    def has_table_names(self) -> bool:
        """Say whether the statement calls the table's columns by their names."""
        return self.rows is None or keeps_names(self.rows)

    @cached_property
    def all_named(self) -> DataFrame:
        """The rows of all files, as the statement names them; see `named`."""
        return self.named(None)

    def named(self, files: pa.Table | None) -> DataFrame:
        """Return the rows of some files, or of all, as the statement names them.

        Raises:
            DeltaAnalysisError: DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS when the table got other columns
                while the statement was read.
        """
        scanned = self.scan(files)
        return by_display_name(self.rows, scanned, self.target.table)

    def counts(self, files: pa.Table) -> list[int]:
        """Return how many rows files have, deleted ones included."""
        return row_counts(add_files(files), self.before.store, self._open_folder)

    def _open_folder(self, url: str) -> Store:
        """Open a folder outside of the table, in which files of a clone lie."""
        return open_store(url, self.target.table.options)


def by_display_name(rows: DataFrame | None, scanned: DataFrame, table: TableRef) -> DataFrame:
    """Return rows of a table under the names of a statement.

    Args:
        rows: a scan of the table as the statement names it; None where it does not.
        scanned: the rows, under the table's own names.
        table: the table.

    Raises:
        DeltaAnalysisError: DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS when the table got other columns
            while the statement was read.
    """
    if rows is None:
        return scanned
    # Spark analysed the statement earlier; another commit may have changed the schema since.
    if columns_analysed(rows) != columns_analysed(scanned):
        raise DeltaAnalysisError(
            "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS",
            schemaDiff=f"{table.label} got other columns meanwhile",
        )
    return rebind_to_scan(rows, scanned)


def dml_target_of(context: Context, table: TableRef, rows: DataFrame | None) -> DmlTarget:
    """Look at the newest version of a table whose rows a statement changes.

    Args:
        context: the session.
        table: the table.
        rows: a scan of it as the statement names it; None where it does not.

    Raises:
        DeltaError: the table cannot be written.
        DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
    """
    before = table.log().latest()
    check_writable(before.protocol, before.metadata, table.label)
    check_not_append_only(before, table.label)
    target = WriteTarget(
        context=context,
        table=table,
        before=before,
        metadata=before.metadata,
        options=WriteOptions(),
    )
    return DmlTarget(target, rows)


def track_reads(
    transaction: Transaction,
    target: WriteTarget,
    candidates: pa.Table,
    about_partitions: str | None,
    text: str,
) -> None:
    """Depend on files that were looked at, and on others that may come to their partitions.

    Args:
        transaction: depends on them.
        target: the table.
        candidates: the files.
        about_partitions: what their partitions must satisfy, in SQL; None for all partitions.
        text: the condition under which the files were looked for, for messages.
    """
    # Files that exist are recorded by path; files that others add are recognised by partition.
    transaction.read_files(paths_of(candidates))
    before, session = target.before, target.context.session
    fields = partition_fields(before)
    mode = mapping_mode(before.configuration)
    # Protocol: Column Mapping. Partition values in the log have physical names.
    in_log = physical_names(before.schema, before.partition_columns, mode)
    # Many files share a partition, and each evaluation calls Spark.
    known: dict[tuple[str | None, ...], bool] = {}

    def concerns(values: Mapping[str, str | None]) -> bool:
        key = partition_key(values, in_log)
        if about_partitions is not None and key not in known:
            known[key] = bool(select_partitions(session, about_partitions, [key], fields))
        return about_partitions is None or known[key]

    transaction.read_partitions(concerns, text)
