"""A folder of Parquet files as a table to be converted: each footer is read once.

Spec: CONVERT TO DELTA, steps 5 to 7.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import Any

from puredelta._util.progress import track
from puredelta.conversion.file_list import FileList
from puredelta.conversion.footers import Tail, parsed_footer, unreadable
from puredelta.conversion.parquet.catalog_columns import CatalogColumns
from puredelta.conversion.parquet.footer_schema import FooterSchemas
from puredelta.conversion.parquet.missing_bounds import BoundsReader
from puredelta.conversion.parquet.schema_merging import MergedSchema
from puredelta.conversion.partitions.inference import InferredPartitions
from puredelta.conversion.partitions.paths import PartitionPaths
from puredelta.conversion.read_options import ReadOptions
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import PARQUET
from puredelta.conversion.table_schema import construct_table_schema
from puredelta.errors import DeltaError
from puredelta.log.actions import DeletionVector
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.column_mapping import MappingMode
from puredelta.table.statistics.file_stats import FooterStatistics
from puredelta.table.statistics.footer_parsing import DAMAGED
from puredelta.table.statistics.indexed_columns import Indexing, Leaf, indexed_leaves


@dataclass
class ParquetTargetTable:
    """A folder of Parquet files.

    Args:
        listed: Its files.
        reading: How they are read.

    Attributes:
        files: The files that become part of the table, with statistics.
        rows: How many rows they have.
    """

    listed: FileList
    reading: ReadOptions
    source_format: str = PARQUET
    required_mapping: MappingMode = MappingMode.NONE
    highest_id: int = 0
    properties: Mapping[str, str] = field(default_factory=dict)
    files: FileList = field(default_factory=FileList)
    rows: int | None = None

    def __post_init__(self) -> None:
        self._known: tuple[StructType, frozenset[str], StructType] | None = None
        self._schemas = FooterSchemas(self.reading.rules)
        self._merged = MergedSchema(case_sensitive=self.reading.case_sensitive)
        self._catalog = CatalogColumns(
            self.reading.schema or StructType(()),
            frozenset(column.name.lower() for column in self.reading.partitions or ()),
            case_sensitive=self.reading.case_sensitive,
        )
        self._statistics = _GuessedStatistics(self.reading.indexing)
        self._inferred = InferredPartitions(
            typed=self.reading.typed,
            case_sensitive=self.reading.case_sensitive,
            timestamp_type=self.reading.timestamp_type,
        )

    def read(self) -> None:
        """Look at all files, and keep those that can become part of the table.

        Raises:
            DeltaError: What is wrong with a file, unless files may be bad.
        """
        # Where columns and statistics are known or not asked for, no file is opened.
        if not (self.reading.needs_footers or self._catalog.need_files):
            for file, _ in self.listed:
                self._take_unread(file)
            return
        self.rows = 0
        files = (file for file, _ in self.listed)
        shown = track(files, "reading footers", len(self.listed))
        self.merge_schemas_in_parallel(shown)
        if self.reading.collect_stats:
            self._statistics.settle(self._data_columns)
            self._renew()

    def merge_schemas_in_parallel(self, files: Iterator[SourceFile]) -> None:
        """Read footers in batches, side by side, and merge the schemas that they have."""
        for batch in _batches(files, self.reading.batch):
            for file, tail in self.reading.footers.tails(batch):
                self._take(file, tail)

    @property
    def table_schema(self) -> StructType:
        """All columns: those of the files, then the partition columns."""
        return construct_table_schema(self._merged.schema, self._partitions, self.reading.schema)

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The names of the partition columns, in order."""
        return tuple(column.name for column in self._partitions)

    def partition_values(self, file: SourceFile) -> Mapping[str, str | None]:
        """Read the partition of a file off its path."""
        if file.partition_values is not None:
            return file.partition_values
        return self._paths.values(file.path)

    def deletion_vector(self, file: SourceFile) -> DeletionVector | None:
        """Return None: all rows of Parquet files are there."""
        del file
        return None

    def close(self) -> None:
        """Let go of the lists of files."""
        with ExitStack() as stack:
            stack.callback(self.listed.close)
            stack.callback(self.files.close)

    def _take(self, file: SourceFile, tail: Tail) -> None:
        """Look at a file.

        One whose footer, columns or path are wrong leaves no trace in what is known of the others;
        of one whose statistics alone cannot be read, columns stay as in `_keep`.
        """
        try:
            footer = parsed_footer(self.reading.url, file, tail)
            schema = self._schemas.of(footer, file.path)
            # Checked before it is merged: a bad path must not leave the columns of its file behind.
            self._check_path(file)
            self._take_columns(file, schema)
            self._take_path(file)
            stats = self._stats(footer)
        except DeltaError as error:
            self.reading.problems.bad_file(file.path, file.size, error)
        # Damage in a footer that was parsed can show only when its columns and statistics are read.
        except DAMAGED as error:
            damage = unreadable(self.reading.url, file, f"its footer is damaged: {error!r}")
            self.reading.problems.bad_file(file.path, file.size, damage)
        else:
            self.files.add(file, stats)
            self.rows = (self.rows or 0) + footer.num_rows

    def _take_columns(self, file: SourceFile, schema: StructType) -> None:
        if self.reading.schema is None:
            self._merged.add(file.path, schema)
        else:
            self._catalog.check(file.path, schema)

    def _stats(self, footer: Any) -> str | None:
        if not self.reading.collect_stats:
            return None
        return self._statistics.of(footer, self._data_columns)

    def _take_unread(self, file: SourceFile) -> None:
        try:
            self._check_path(file)
            self._take_path(file)
        except DeltaError as error:
            self.reading.problems.bad_file(file.path, file.size, error)
        else:
            self.files.add(file)

    def _check_path(self, file: SourceFile) -> None:
        if file.partition_values is not None:
            return
        if self.reading.partitions is None:
            self._inferred.check(file.path)
        else:
            self._paths.values(file.path)

    def _take_path(self, file: SourceFile) -> None:
        if file.partition_values is None and self.reading.partitions is None:
            self._inferred.add(file.path)

    def _renew(self) -> None:
        """Make statistics anew where columns came later, or footers do not say all bounds."""
        stale, silent = self._statistics.stale, self._statistics.silent
        # A dry run reports no statistics, so it spares the second read.
        if self.reading.is_dry_run or not (stale or silent):
            return
        statistics = FooterStatistics(self._data_columns, self.reading.indexing)
        reader = BoundsReader(self.reading.url, self.reading.opener, statistics)
        old, self.files = self.files, FileList()
        with old:
            shown = track(old, "reading columns without bounds", len(old))
            renewed = reader.completed(_outdated(shown, stale, silent))
            for (file, stats), (_, before) in zip(renewed, old, strict=True):
                self._keep(file, stats, before)

    def _keep(self, file: SourceFile, stats: str | DeltaError, before: str | None) -> None:
        """Keep a file with its new statistics, or leave it out, and its rows.

        Its columns stay, null in all other files, and so do types that it made wider: what was
        merged is not taken apart again.
        """
        if isinstance(stats, DeltaError):
            self.reading.problems.bad_file(file.path, file.size, stats)
            self.rows = (self.rows or 0) - _num_records(before)
        else:
            self.files.add(file, stats)

    @property
    def _data_columns(self) -> StructType:
        """The columns that lie in the files, as far as they are known; the same until they grow."""
        given = self.reading.schema
        # By identity: `MergedSchema` keeps the object until the columns change, and comparing wide
        # schemas for each file would be slow.
        key = (self._merged.schema if given is None else given), self._partition_names
        if self._known is None or self._known[0] is not key[0] or self._known[1] != key[1]:
            columns = tuple(field for field in key[0] if field.name.lower() not in key[1])
            self._known = (*key, StructType(columns))
        return self._known[2]

    @property
    def _partition_names(self) -> frozenset[str]:
        if self.reading.partitions is None:
            return frozenset(name.lower() for name in self._inferred.names)
        return frozenset(column.name.lower() for column in self.reading.partitions)

    @property
    def _partitions(self) -> StructType:
        given = self.reading.partitions
        return self._inferred.schema if given is None else given

    @cached_property
    def _paths(self) -> PartitionPaths:
        return PartitionPaths(
            self._partitions,
            zone=self.reading.zone,
            case_sensitive=self.reading.case_sensitive,
            ignore_cast_failure=self.reading.ignore_cast_failure,
        )


def _batches(files: Iterator[SourceFile], size: int) -> Iterator[Iterator[SourceFile]]:
    """Cut a stream into pieces; each is used up before the next is asked for."""
    for first in files:
        yield chain((first,), islice(files, size - 1))


def _num_records(stats: str | None) -> int:
    return int(json.loads(stats)["numRecords"]) if stats else 0


def _outdated(
    files: Iterable[tuple[SourceFile, str | None]], stale: int, silent: Iterable[int]
) -> Iterator[tuple[SourceFile, str | None]]:
    """Take their statistics from the first files, and from those at some places."""
    places = iter(silent)
    following = next(places, None)
    for place, (file, stats) in enumerate(files):
        yield file, None if place < stale or place == following else stats
        if place == following:
            following = next(places, None)


# ------------------------------------------------------------ statistics before the schema is known


class _GuessedStatistics:
    """Makes statistics by the columns that are known so far.

    Args:
        indexing: Which columns get statistics.

    Attributes:
        stale: How many files, the first ones, have statistics of other columns than the last.
        silent: The places, among all files, of those whose footers do not say all bounds.
    """

    def __init__(self, indexing: Indexing) -> None:
        self._indexing = indexing
        self._leaves: tuple[Leaf, ...] | None = None
        self._schema: StructType | None = None
        self._statistics = FooterStatistics(StructType(()))
        self._done = 0
        self.stale = 0
        self.silent = array("Q")

    def of(self, footer: Any, schema: StructType) -> str:
        """Make the statistics of a file.

        Args:
            footer: A `pyarrow.parquet.FileMetaData`.
            schema: The columns known so far that lie in the files.

        Returns:
            The JSON text for `AddFile.stats`.
        """
        self._use(schema)
        text, silent = self._statistics.with_silent(footer)
        if silent:
            self.silent.append(self._done)
        self._done += 1
        return text

    def settle(self, schema: StructType) -> None:
        """Take the columns that the table has at last, by which `stale` is right."""
        self._use(schema)

    def _use(self, schema: StructType) -> None:
        if schema is self._schema:
            return
        leaves = indexed_leaves(schema, self._indexing)
        # A new column that gets no statistics, beyond the first 32 say, makes no file stale.
        if leaves != self._leaves:
            self.stale = self._done
            self._statistics = FooterStatistics(schema, self._indexing)
        self._schema, self._leaves = schema, leaves
