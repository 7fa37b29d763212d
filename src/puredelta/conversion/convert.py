"""CONVERT TO DELTA: data files that are there become a table, and not one of them is touched.

Spec: CONVERT TO DELTA, whose steps have their names here. A session knows more than files do, and
`commands/convert` adds it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from puredelta._util.progress import track
from puredelta.conversion.bad_files import COLLECT, Problems
from puredelta.conversion.checks import (
    check_delta_path,
    check_iceberg_partitions,
    check_properties,
    check_provider,
    no_file,
    no_folder,
)
from puredelta.conversion.file_list import FileList
from puredelta.conversion.footers import StoreFooters
from puredelta.conversion.iceberg.lazy import iceberg_table
from puredelta.conversion.listing import data_files
from puredelta.conversion.parquet.table import ParquetTargetTable
from puredelta.conversion.read_options import ReadOptions, read_options_of
from puredelta.conversion.report import Conversion
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_file import BadFile, SourceFile
from puredelta.conversion.source_table import (
    DELTA,
    ICEBERG,
    PARQUET,
    ConvertTarget,
    ConvertTargetTable,
    Footers,
)
from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.log.actions import AddFile, Metadata, Protocol
from puredelta.log.table_log import TableLog, open_log
from puredelta.schema.datatypes import TIMESTAMP
from puredelta.storage.location import encode_path, local_path, scheme_of, table_url
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store
from puredelta.storage.unfinished import unfinished_name
from puredelta.table.columns.column_mapping import MappingMode
from puredelta.table.columns.mapping_ids import with_ids_from
from puredelta.table.new_table import first_version
from puredelta.txn.commit_info import Operation
from puredelta.txn.streamed.first_version import StreamedCommit, stream_write
from puredelta.txn.transaction import Transaction

OPERATION = "CONVERT"
ALREADY_DELTA = "The table you are trying to convert is already a delta table"


@dataclass(kw_only=True)
class ConvertToDeltaCommandBase:
    """Turns a table of another format into a Delta table in place.

    Attributes:
        target: what is converted.
        request: what the user asks.
        settings: what the session says.
    """

    target: ConvertTarget
    request: ConvertRequest = field(default_factory=ConvertRequest)
    settings: ConversionSettings = field(default_factory=ConversionSettings)

    def __post_init__(self) -> None:
        self.problems = Problems(policy=self.request.policy)

    def run(self) -> Conversion:
        """Convert, or look what would be converted.

        Returns:
            What was done, or would be.

        Raises:
            DeltaAnalysisError: DELTA_CONVERT_NON_PARQUET_TABLE, and what is wrong with schema,
                properties or partitioning.
            DeltaFileNotFoundError: DELTA_FILE_NOT_FOUND, DELTA_EMPTY_DIRECTORY.
            DeltaError: what is wrong with a file, unless files may be bad.
        """
        check_provider(self.target)
        check_iceberg_partitions(self.target, self.request.partition_schema)
        check_delta_path(self.target, self.table_url)
        log = open_log(self.table_url, self.target.options)
        if self.target.provider == DELTA or log.exists():
            return self.already_delta(log)
        if not self.directory_exists():
            raise no_folder(self.target)
        # Before files are listed: a long conversion must not fail at its last step, the commit.
        if not self.request.dry_run:
            require_writable(log.store)
            self._check_properties()
        with closing(self.get_target_table()) as table:
            return self.perform_convert(log, table)

    @property
    def table_url(self) -> str:
        """The folder of the Delta table: that of the files, unless the request says another."""
        given = self.request.delta_path
        return self.target.url if given is None else table_url(given)

    @cached_property
    def source(self) -> Store:
        """Where the files are."""
        return open_store(self.target.url, self.target.options)

    def already_delta(self, log: TableLog) -> Conversion:
        """Say that there is nothing to do; a statement prints it, too, as `ALREADY_DELTA`."""
        del log
        return Conversion(
            table=self.target.label,
            source_format=self.target.provider,
            is_delta_already=True,
            is_dry_run=self.request.dry_run,
        )

    def directory_exists(self) -> bool:
        """Say whether there is a folder; stores without folders answer when they are listed."""
        path = local_path(self.target.url)
        return path is None or Path(path).is_dir()

    def get_target_table(self) -> ConvertTargetTable:
        """Read what is to be converted."""
        if self.target.provider == ICEBERG:
            home = open_log(self.table_url, self.target.options).store
            return iceberg_table(
                self.target, self.request, self.settings, self.source, home, self.problems
            )
        listed = self._listed()
        table = ParquetTargetTable(listed, self._reading(len(listed)))
        table.properties = self.target.properties
        with ExitStack() as on_failure:
            # The caller closes the table only once it has it.
            on_failure.callback(table.close)
            table.read()
            on_failure.pop_all()
        return table

    def footers(self, files: int) -> Footers:
        """Return what reads footers.

        Args:
            files: how many will be asked for.
        """
        del files
        return StoreFooters(self.source, self.target.options)

    def source_files(self) -> Iterator[SourceFile]:
        """List the files to be converted."""
        return data_files(self.source)

    @property
    def is_catalog_table(self) -> bool:
        """Is it a table of the catalog, and not a path?"""
        return self.target.catalog_table is not None

    @property
    def stats_enabled(self) -> bool:
        """Are statistics made?"""
        return self.request.collect_stats and self.settings.collects_stats

    def perform_convert(self, log: TableLog, table: ConvertTargetTable) -> Conversion:
        """Make version 0, or say what it would be."""
        if not len(table.files) and not self._may_be_empty(table):
            raise no_file(self.target, self.problems)
        try:
            metadata, protocol = self.new_version(table)
        # A dry run lists what is wrong with the table next to what is wrong with its files.
        except DeltaError as error:
            if not self.request.dry_run:
                raise
            return self._report(table, None, error)
        if self.request.dry_run:
            return self._report(table, None)
        made = self.stream_write(log, table, metadata, protocol)
        self.converted(table)
        return self._report(table, made.version)

    def _may_be_empty(self, table: ConvertTargetTable) -> bool:
        """Say whether no file is right: Iceberg knows its columns before there are any."""
        if self.problems.count:
            return self.request.policy == COLLECT
        return table.source_format == ICEBERG

    def new_version(self, table: ConvertTargetTable) -> tuple[Metadata, Protocol]:
        """Make the metadata and protocol of the table.

        Raises:
            DeltaAnalysisError: a schema, partitioning or property that a table cannot have.
            DeltaColumnMappingUnsupportedError: what `check_column_mapping` raises.
        """
        rules, given = self.settings.new_tables, table.properties
        check_properties(rules, given, table.required_mapping, collects_stats=self.stats_enabled)
        metadata, protocol = first_version(
            rules, table.table_schema, table.partition_columns, given, self.target.description
        )
        stored = with_ids_from(metadata.configuration, table.highest_id)
        return replace(metadata, configuration=stored), protocol

    def stream_write(
        self, log: TableLog, table: ConvertTargetTable, metadata: Metadata, protocol: Protocol
    ) -> StreamedCommit:
        """Write the commit, file after file, and make it version 0."""
        transaction = Transaction(
            log,
            None,
            engine=self.settings.engine,
            table=self.target.label,
            settings=self.settings.commit,
        )
        return stream_write(
            transaction,
            self.create_delta_actions(table),
            self.get_operation(table),
            metadata=metadata,
            protocol=protocol,
            user_metadata=self.settings.user_metadata,
        )

    def create_delta_actions(self, table: ConvertTargetTable) -> Iterable[AddFile]:
        """Return the files as the log has them, to be gone through as often as it takes."""
        return _DeltaActions(table, self._prefix)

    @property
    def _prefix(self) -> str:
        """What stands before the paths of files in the log: they count from the table's folder."""
        files, table = self.target.url, self.table_url
        if files == table:
            return ""
        return f"{files}/".removeprefix(f"{table}/")

    def get_operation(self, table: ConvertTargetTable) -> Operation:
        """Return what history shows."""
        count = len(table.files)
        named = self.request.partition_schema
        inferred = named is None and not self.is_catalog_table
        shown = table.partition_columns if inferred else [column.name for column in named or ()]
        parameters: dict[str, object] = {
            "numFiles": count,
            "partitionedBy": list(shown),
            "collectStats": self.stats_enabled,
        }
        if self.target.catalog_table is not None:
            parameters["catalogTable"] = self.target.catalog_table
        parameters["sourceFormat"] = table.source_format
        return Operation(OPERATION, parameters, {"numConvertedFiles": str(count)})

    def converted(self, table: ConvertTargetTable) -> None:
        """Do what follows once the table is there."""

    def _check_properties(self) -> None:
        """Refuse what can be known before files are listed, and their footers read."""
        if self.target.provider == PARQUET:
            rules, given = self.settings.new_tables, self.target.properties
            check_properties(rules, given, MappingMode.NONE, collects_stats=self.stats_enabled)

    def _listed(self) -> FileList:
        listed = FileList()
        with ExitStack() as on_failure:
            on_failure.callback(listed.close)
            for file in track(self.source_files(), "listing files"):
                listed.add(file)
            on_failure.pop_all()
        return listed

    def _reading(self, files: int) -> ReadOptions:
        return read_options_of(
            self.target,
            self.request,
            self.settings,
            problems=self.problems,
            footers=self.footers(files),
            opener=StoreFooters(self.source, self.target.options),
        )

    def _report(
        self, table: ConvertTargetTable, version: int | None, wrong: DeltaError | None = None
    ) -> Conversion:
        bad_files, count = tuple(self.problems.files), self.problems.count
        if wrong is not None:
            bad_files, count = (BadFile("", wrong.condition, str(wrong)), *bad_files), count + 1
        fails = self.request.policy == COLLECT
        return Conversion(
            table=self.target.label,
            source_format=table.source_format,
            version=version,
            is_dry_run=self.request.dry_run,
            files=len(table.files),
            size=table.files.size,
            rows=table.rows,
            schema=table.table_schema,
            partition_columns=table.partition_columns,
            time_zone=self._time_zone(table),
            statistics=self.stats_enabled,
            skipped=() if fails else bad_files,
            skipped_count=0 if fails else count,
            skipped_size=0 if fails else self.problems.size,
            problems=bad_files if fails else (),
            problem_count=count if fails else 0,
        )

    def _time_zone(self, table: ConvertTargetTable) -> str | None:
        """Return where points in time in the names of folders were read; None without any."""
        columns = (table.table_schema.field(name) for name in table.partition_columns)
        has_any = any(column is not None and column.data_type == TIMESTAMP for column in columns)
        return self.settings.zone if has_any and table.source_format == PARQUET else None


# -------------------------------------------------------------------------- source files as actions


@dataclass(frozen=True, slots=True)
class _DeltaActions:
    """The files of a commit; none of them is kept, and they can be gone through again.

    Attributes:
        table: What is converted.
        prefix: What stands before their paths, where they do not lie in the table's own folder.
    """

    table: ConvertTargetTable
    prefix: str = ""

    def __iter__(self) -> Iterator[AddFile]:
        for file, stats in self.table.files:
            yield _create_add_file(file, self.table, stats, self.prefix)


def _create_add_file(
    file: SourceFile, table: ConvertTargetTable, stats: str | None, prefix: str = ""
) -> AddFile:
    """Return a file as the log has it.

    Args:
        file: The file.
        table: The table it is part of, which has its partition values.
        stats: Its statistics.
        prefix: What stands before its path, unless that is a whole one.

    Raises:
        DeltaError: The path does not say the partition.
    """
    return AddFile(
        path=encode_path(file.path if scheme_of(file.path) else prefix + file.path),
        partition_values=dict(table.partition_values(file)),
        size=file.size,
        modification_time=file.modified_ms,
        data_change=True,
        stats=stats,
        deletion_vector=table.deletion_vector(file),
    )


# -------------------------------------------------------------------------- write access to the log


_log = logging.getLogger(__name__)


def require_writable(store: Store) -> None:
    """Write an object beside the data files and take it away again.

    It is hidden from all readers that list data files. The folder of the log is not made here: with
    it, some would take a conversion that then fails for a table.

    Raises:
        DeltaRuntimeError: PUREDELTA_CONVERT_CANNOT_WRITE; nothing was written.
    """
    name = unfinished_name("puredelta")
    try:
        store.put_if_absent(name, b"")
    except (DeltaError, OSError) as reason:
        said = reason.message if isinstance(reason, DeltaError) else str(reason)
        raise DeltaRuntimeError(
            "PUREDELTA_CONVERT_CANNOT_WRITE", path=store.url, reason=said.rstrip(".")
        ) from reason
    try:
        store.delete([name])
    except (DeltaError, OSError) as reason:
        # A user without the right to delete can convert, too: the commit only writes.
        _log.warning("the empty object %s/%s could not be deleted: %s", store.url, name, reason)
