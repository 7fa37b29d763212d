"""An Iceberg table as a table to be converted: its columns, partitions and files.

The files are those of the current snapshot of the main branch, as its manifests list them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from puredelta.conversion.file_list import FileList
from puredelta.conversion.iceberg.columns import delta_schema
from puredelta.conversion.iceberg.current import current_metadata
from puredelta.conversion.iceberg.delete_files import delete_files
from puredelta.conversion.iceberg.deleted_rows import read_deleted_rows, write_vectors
from puredelta.conversion.iceberg.locations import Locations, StoreFiles
from puredelta.conversion.iceberg.manifests import DataFiles, read_manifests
from puredelta.conversion.iceberg.metrics import Metrics
from puredelta.conversion.iceberg.partitioning import (
    IGNORE_BUCKETS,
    Leniency,
    PartitionColumn,
    partition_columns,
)
from puredelta.conversion.iceberg.type_changes import type_changes
from puredelta.conversion.problems import Problems
from puredelta.conversion.request import ConvertRequest, Surroundings
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.targets import ICEBERG, ConvertTarget
from puredelta.log.actions import DeletionVector
from puredelta.schema.datatypes import StructType
from puredelta.storage.store import Store
from puredelta.table.column_mapping import MODE_KEY, MappingMode, physical_schema
from puredelta.table.first_version import usable_defaults
from puredelta.table.indexing import Indexing, as_in_files, indexing_of
from puredelta.table.properties import DELETION_VECTORS, TYPE_WIDENING

TIME_AS_LONG = "delta.castIcebergTimeType"
NAME_MAPPING = "schema.name-mapping.default"


@dataclass
class IcebergTargetTable:
    """An Iceberg table.

    Attributes:
        metadata: Its `TableMetadata`.
        source: Reads its files.
        properties: Those of the Delta table.
        files: Its data files, with statistics.
        rows: How many rows they have.
        table_schema: All columns, with the ids that Iceberg gave them.
        partitioning: Those that partition it.
    """

    metadata: Any
    source: StoreFiles
    properties: dict[str, str]
    table_schema: StructType
    files: FileList = field(default_factory=FileList)
    rows: int = 0
    partitioning: tuple[PartitionColumn, ...] = ()

    _deleted: dict[str, BitMap64] = field(default_factory=dict)
    _vectors: dict[str, DeletionVector] | None = None

    source_format: str = ICEBERG
    required_mapping: MappingMode = MappingMode.ID

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The names of the columns that partition it."""
        return tuple(column.field.name for column in self.partitioning)

    @property
    def highest_id(self) -> int:
        """The highest id that a column ever had: dropped columns are in the files still."""
        return int(self.metadata.last_column_id)

    def partition_values(self, file: SourceFile) -> Mapping[str, str | None]:
        """Return the partition of a file."""
        return file.partition_values or {}

    def deletion_vector(self, file: SourceFile) -> DeletionVector | None:
        """Return what takes deleted rows away from a file; it is written when first asked for."""
        if self._vectors is None:
            self._vectors = write_vectors(self._deleted, self.source.store)
        return self._vectors.get(file.path)

    def add(self, file: SourceFile, stats: str | None, rows: int, deleted: BitMap64 | None) -> None:
        """Put a file to the others.

        Args:
            file: The file.
            stats: Its statistics.
            rows: How many rows it has.
            deleted: Which of them are deleted.
        """
        self.files.add(file, stats)
        self.rows += rows
        if deleted is not None:
            self._deleted[file.path] = deleted
            self.properties[DELETION_VECTORS.key] = "true"
            self.rows -= len(deleted)

    def close(self) -> None:
        """Let go of the files."""
        self.files.close()


def read_table(
    target: ConvertTarget,
    request: ConvertRequest,
    surroundings: Surroundings,
    store: Store,
    problems: Problems,
) -> IcebergTargetTable:
    """Read a table; see `iceberg_table`."""
    metadata = current_metadata(store)
    source = StoreFiles(store, Locations(target.url, metadata.location), target.options)
    defaults = usable_defaults(surroundings.new_tables.defaults, metadata.properties)
    history = sorted(metadata.schemas, key=lambda one: one.schema_id)
    changes = type_changes(history) if metadata.current_snapshot() is not None else {}
    manifests = read_manifests(metadata, source)
    properties = _properties(metadata, widened=bool(changes))
    asked = {**defaults, **properties}
    schema = delta_schema(
        metadata.schema(), history, changes, time_as_long=_is_set(asked, TIME_AS_LONG)
    )
    table = IcebergTargetTable(metadata, source, properties, schema)
    try:
        deleted = read_deleted_rows(delete_files(manifests.deletes, source), source, target.label)
        used = [one.partition_spec_id for one in manifests.data]
        leniency = Leniency(
            ignore_buckets=_is_set(asked, IGNORE_BUCKETS),
            leave_out_transforms=surroundings.iceberg_transforms_left_out,
            evolution=surroundings.iceberg_evolution,
        )
        table.partitioning = partition_columns(metadata, schema, used, leniency)
        collects = request.collect_stats and surroundings.collects_stats
        metrics = _metrics(table, asked, collects_stats=collects)
        files = DataFiles(metadata, source, table.partitioning, problems)
        for entry, file in files.of(manifests):
            found, rows = entry.data_file, deleted.of(file.path, entry.sequence_number or 0)
            # A file with a deletion vector has to say how many rows it has.
            told = collects or rows is not None
            stats = metrics.stats(found, has_deleted_rows=rows is not None) if told else None
            table.add(file, stats, found.record_count, rows)
    except BaseException:
        table.close()
        raise
    return table


def _properties(metadata: Any, *, widened: bool) -> dict[str, str]:
    """Keep the properties of the table; those of Iceberg mean nothing to Delta, and tell people."""
    kept = {key: value for key, value in metadata.properties.items() if key != NAME_MAPPING}
    if widened:
        kept[TYPE_WIDENING.key] = "true"
    return {**kept, MODE_KEY: MappingMode.ID.value}


def _is_set(properties: Mapping[str, str], key: str) -> bool:
    return properties.get(key, "").strip().lower() == "true"


def _metrics(
    table: IcebergTargetTable, properties: Mapping[str, str], *, collects_stats: bool
) -> Metrics:
    names = {column.field.name for column in table.partitioning}
    columns = StructType(tuple(one for one in table.table_schema if one.name not in names))
    physical = physical_schema(columns, table.table_schema, MappingMode.ID)
    indexing = indexing_of(properties) if collects_stats else Indexing(count=0)
    return Metrics(columns, physical, as_in_files(indexing, table.table_schema))
