"""CONVERT TO DELTA in a session, which knows the catalog and other file systems."""

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.commands.convert.catalog_table import partition_files
from puredelta.commands.declared_constraints import check_declared
from puredelta.conversion.convert import ALREADY_DELTA, ConvertToDeltaCommandBase
from puredelta.conversion.listing import data_files
from puredelta.conversion.partition_paths import PartitionPaths
from puredelta.conversion.report import Conversion
from puredelta.conversion.sink_log import has_sink_log, sink_files
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.targets import PARQUET, ConvertTargetTable
from puredelta.engine.context import Context
from puredelta.engine.hadoop_store import HadoopStore
from puredelta.engine.paths import path_exists
from puredelta.engine.session_catalog import CatalogEntry, turn_into_delta
from puredelta.engine.write import refresh_caches
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.refresh import TableLog
from puredelta.settings import SETTINGS
from puredelta.storage.schemes import open_store


@dataclass(kw_only=True)
class ConvertToDeltaCommand(ConvertToDeltaCommandBase):
    """CONVERT TO DELTA as a statement or a call of the API.

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
        """
        if self.entry is not None and self.target.provider == PARQUET:
            self._check_properties(log)
            if not self.request.dry_run:
                self._turn_entry(self.entry)
        else:
            print(ALREADY_DELTA)  # noqa: T201  # the page asks for it
        return super().already_delta(log)

    def directory_exists(self) -> bool:
        """Say whether there is a folder."""
        if isinstance(open_store(self.target.url, self.target.options), HadoopStore):
            return path_exists(self.context.session, self.target.location)
        return super().directory_exists()

    def source_files(self, log: TableLog) -> Iterator[SourceFile]:
        """List the files to be converted: those that a stream, or the catalog, says there are."""
        convert, parts = self.context.settings.convert, self.target.partition_schema
        entry = self.entry
        if convert.metadata_log and has_sink_log(log.store):
            yield from sink_files(log.store)
        elif entry is not None and parts and entry.lists_partitions and convert.catalog_partitions:
            paths = PartitionPaths(
                parts,
                zone=self.surroundings.zone,
                case_sensitive=self.surroundings.case_sensitive,
                ignore_cast_failure=self.surroundings.ignore_cast_failure,
            )
            session = self.context.session
            yield from partition_files(session, entry, log.store, paths, self.problems)
        else:
            yield from data_files(log.store, use_metadata_log=False)

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

    def _turn_entry(self, entry: CatalogEntry) -> None:
        turn_into_delta(self.context.session, entry.database, entry.table)

    def _check_properties(self, log: TableLog) -> None:
        """Refuse an entry whose properties are not those of the table that is there."""
        asked, found = dict(self.target.properties), dict(log.latest().configuration)
        if asked != found and self.context.settings.convert.metadata_check:
            raise DeltaAnalysisError(
                "DELTA_CONVERT_METASTORE_METADATA_MISMATCH",
                tableProperties=asked,
                configuration=found,
                metadataCheckSqlConf=SETTINGS["metadata_check"].key,
            )
