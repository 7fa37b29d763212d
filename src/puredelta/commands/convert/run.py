"""CONVERT TO DELTA in a session, which knows the catalog and other file systems."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pyspark.errors import PySparkException

from puredelta.commands.alter.commit import commit_change
from puredelta.commands.alter.properties import SetProperties
from puredelta.commands.convert.catalog_table import partition_files
from puredelta.commands.create.declared_constraints import check_declared
from puredelta.commands.table_ref import TableRef
from puredelta.conversion.convert import ALREADY_DELTA, OPERATION, ConvertToDeltaCommandBase
from puredelta.conversion.listing import (
    data_files,
    enters_plain_folders,
    is_entered,
    is_hidden,
    visible,
)
from puredelta.conversion.parquet.table import ParquetTargetTable
from puredelta.conversion.partitions.paths import PartitionPaths
from puredelta.conversion.report import Conversion
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import PARQUET, ConvertTarget, ConvertTargetTable, Footers
from puredelta.conversion.streaming_sink_log import has_sink_log, sink_files
from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.hadoop.footers import SparkFooters
from puredelta.engine.hadoop.listing import walked_by_jobs
from puredelta.engine.hadoop.store import HadoopStore
from puredelta.engine.session.context import Context
from puredelta.engine.session.paths import path_exists
from puredelta.engine.session.session_catalog import CatalogEntry, turn_into_delta
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.errors.classes import DeltaAnalysisError, DeltaRuntimeError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.settings import SETTINGS
from puredelta.storage.location import absolute, local_path
from puredelta.table.protocol.defaults import FEATURE as DEFAULTS
from puredelta.table.protocol.defaults import default_of
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.txn.commit_info import Operation

_log = logging.getLogger(__name__)

# A driver asks a store for some hundred footers a second.
_FILES_ON_DRIVER = 10_000


@dataclass(kw_only=True)
class SessionConversion(ConvertToDeltaCommandBase):
    """A conversion whose catalog, settings and executors a session gives.

    Attributes:
        context: the session.
        entry: what the session catalog knows of the table; None for a path.
    """

    context: Context
    entry: CatalogEntry | None = None

    def already_delta(self, log: TableLog) -> Conversion:
        """Say that there is nothing to do, or let the catalog know of the table that is there.

        Raises:
            DeltaAnalysisError: DELTA_CONVERT_METASTORE_METADATA_MISMATCH.
            DeltaRuntimeError: PUREDELTA_CONVERT_CATALOG_NOT_CHANGED.
        """
        entry = self.entry if self.target.provider == PARQUET else None
        # The log can exist while the catalog still says Parquet: after a conversion by path, or one
        # that failed between the commit and the change of the entry.
        if entry is not None:
            before = log.latest()
            _warn_of_unnamed_files(before, self.target.label)
            if not self.request.dry_run:
                _merge_properties(self.context, self.target, before, self._merging())
                self._turn_entry(entry)
        elif not self.request.dry_run:
            print(ALREADY_DELTA)  # noqa: T201  # the page asks for it
        return super().already_delta(log)

    def perform_convert(self, log: TableLog, table: ConvertTargetTable) -> Conversion:
        """Make version 0, and log the files that were left out."""
        report = super().perform_convert(log, table)
        if report.skipped_count and not report.is_dry_run:
            _log.warning("%s", report)
        return report

    def directory_exists(self) -> bool:
        """Say whether there is a folder."""
        if isinstance(self.source, HadoopStore):
            return path_exists(self.context.session, self.target.location)
        return super().directory_exists()

    def source_files(self) -> Iterator[SourceFile]:
        """List the files to be converted: those that a stream, or the catalog, says there are."""
        convert, parts = self.context.settings.convert, self.target.partition_schema
        entry = self.entry
        if convert.metadata_log and has_sink_log(self.source):
            yield from sink_files(self.source)
        elif entry is not None and parts and entry.lists_partitions and convert.catalog_partitions:
            paths = PartitionPaths(
                parts,
                zone=self.settings.zone,
                case_sensitive=self.settings.case_sensitive,
                ignore_cast_failure=self.settings.ignore_cast_failure,
            )
            session = self.context.session
            yield from partition_files(session, entry, self.source, paths, self.problems)
        else:
            yield from self._found_files()

    def _found_files(self) -> Iterator[SourceFile]:
        if isinstance(self.source, HadoopStore):
            enters, files = enters_plain_folders(self.source.url), self.source.files
            walked = walked_by_jobs(self.context.session, files, enters)
            if walked is not None:
                return visible(walked, self.source.url)
        return data_files(self.source, use_metadata_log=False)

    def footers(self, files: int) -> Footers:
        """Return what reads footers: the driver, or executors where there are many."""
        most = self.context.settings.convert.files_on_driver
        if most is None and local_path(self.target.url) is None:
            most = _FILES_ON_DRIVER
        if most is not None and files > most:
            return SparkFooters(self.context.session, self.target.url)
        return super().footers(files)

    def get_target_table(self) -> ConvertTargetTable:
        """Read what is to be converted; columns with defaults need the feature for them."""
        table = super().get_target_table()
        defaults = any(default_of(column.metadata) is not None for column in table.table_schema)
        if defaults and isinstance(table, ParquetTargetTable):
            table.properties = {**table.properties, FEATURE_PREFIX + DEFAULTS: "supported"}
        return table

    def new_version(self, table: ConvertTargetTable) -> tuple[Metadata, Protocol]:
        """Make metadata and protocol, and check constraints that the properties may declare."""
        metadata, protocol = super().new_version(table)
        check_declared(self.context, metadata)
        return metadata, protocol

    def converted(self, table: ConvertTargetTable) -> None:
        """Turn the entry of the catalog, and let go of what is cached of the files."""
        del table
        if self.entry is not None:
            self._turn_entry(self.entry)
        refresh_caches(self.context.session, self.target.location)

    def _merging(self) -> Operation:
        """Return what history shows of a Delta table that gets the properties of its entry."""
        parts = self.request.partition_schema or ()
        parameters = {
            "numFiles": 0,
            "partitionedBy": [column.name for column in parts],
            "collectStats": False,
            "catalogTable": self.target.catalog_table,
            "sourceFormat": self.target.provider,
        }
        return Operation(OPERATION, parameters)

    def _turn_entry(self, entry: CatalogEntry) -> None:
        try:
            turn_into_delta(self.context.session, entry.database, entry.table)
        # The table is converted; the error states that only the entry is left to be changed.
        except (Py4JError, PySparkException) as reason:
            raise DeltaRuntimeError(
                "PUREDELTA_CONVERT_CATALOG_NOT_CHANGED",
                path=self.target.url,
                tableName=self.target.label,
                reason=" ".join(str(reason).split()).rstrip("."),
            ) from reason


# ---------------------------------------------------------------- a catalog entry that says Parquet


def _merge_properties(
    context: Context, target: ConvertTarget, before: Snapshot, operation: Operation
) -> None:
    """Give a Delta table the properties that its entry in the catalog has.

    Args:
        context: the session.
        target: what the entry says.
        before: the Delta table as it is.
        operation: what history shows.

    Raises:
        DeltaAnalysisError: DELTA_CONVERT_METASTORE_METADATA_MISMATCH where both have a property,
            with another value each, unless the session lets the catalog's count; and what
            `SetProperties` raises.
    """
    asked, found = target.properties, before.configuration
    if context.settings.convert.metadata_check and _contradict(target, before):
        raise DeltaAnalysisError(
            "DELTA_CONVERT_METASTORE_METADATA_MISMATCH",
            tableProperties=dict(asked),
            configuration=dict(found),
            metadataCheckSqlConf=SETTINGS["metadata_check"].key,
        )
    other = {key: value for key, value in asked.items() if found.get(key) != value}
    if other:
        table = TableRef(root=target.location, name=target.label)
        change = SetProperties(table=table, properties=other).plan(context, before)
        commit_change(context, table, before, replace(change, operation=operation))


def _contradict(target: ConvertTarget, before: Snapshot) -> bool:
    found = before.configuration
    return any(found.get(key, value) != value for key, value in target.properties.items())


# ---------------------------------------------------------------------------------- untracked files


_VECTORS = "deletion_vector_"


def _warn_of_unnamed_files(before: Snapshot, name: str) -> None:
    """Warn of files that may hold rows that someone wrote by an entry that says Parquet.

    They may be left over from a failed write, too. The log does not say which, so none is refused.

    Args:
        before: the table as it is.
        name: its name in the catalog.
    """
    count, first = 0, ""
    for path in _unnamed(before):
        count, first = count + 1, first or path
    if count:
        url = before.store.url
        _log.warning(
            "%s has %d file(s) that no version of the Delta table names, %s for one. Rows that came"
            " by the name %s since the conversion are in such files, and not in the table. To take"
            " those of a file over:\nINSERT INTO %s SELECT * FROM parquet.`%s`",
            *(url, count, first, name, name, absolute(url, first)),
        )


def _unnamed(before: Snapshot) -> Iterator[str]:
    url = before.store.url
    # A removed file stays until VACUUM deletes it, and its rows were in the table.
    tables = before.files, before.tombstones()
    named = {absolute(url, path) for table in tables for path in table["path"].to_pylist()}
    for info in before.store.walk("", is_entered):
        of_log = info.name.rpartition("/")[2].startswith(_VECTORS)
        if not (of_log or is_hidden(info.name) or absolute(url, info.name) in named):
            yield info.name
