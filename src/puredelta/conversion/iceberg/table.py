"""An Iceberg table as a table to be converted: its columns, partitions and files.

The files are those of the current snapshot of the main branch, as its manifests list them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pyiceberg import types as iceberg
from pyroaring import BitMap64

from puredelta.conversion.bad_files import SKIP, Problems
from puredelta.conversion.file_list import FileList
from puredelta.conversion.iceberg.columns import delta_schema, each_field, primitive
from puredelta.conversion.iceberg.current_metadata import current_metadata
from puredelta.conversion.iceberg.delete_files import delete_files
from puredelta.conversion.iceberg.deleted_rows import read_deleted_rows
from puredelta.conversion.iceberg.file_column_names import NamesInFiles, check_ids, names_in_files
from puredelta.conversion.iceberg.locations import Locations, StoreFiles
from puredelta.conversion.iceberg.manifests import DataFiles, Manifests, read_manifests
from puredelta.conversion.iceberg.partitioning import (
    IGNORE_BUCKETS,
    Leniency,
    PartitionColumn,
    partition_columns,
)
from puredelta.conversion.iceberg.statistics import Metrics
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import ICEBERG, ConvertTarget
from puredelta.log.actions import DeletionVector
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.settings import NATIVE_PARTITIONS
from puredelta.storage.store import Store
from puredelta.table.columns.column_mapping import MODE_KEY, MappingMode, physical_schema
from puredelta.table.columns.type_widening import with_type_changes
from puredelta.table.deletion_vectors.writing import write_vectors
from puredelta.table.new_table import usable_defaults
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY, all_fields
from puredelta.table.protocol.properties import DELETION_VECTORS, TYPE_WIDENING
from puredelta.table.statistics.indexed_columns import Indexing, as_in_files, indexing_of

_log = logging.getLogger(__name__)

TIME_AS_LONG = "delta.castIcebergTimeType"
NAME_MAPPING = "schema.name-mapping.default"


@dataclass
class IcebergTable:
    """An Iceberg table.

    Attributes:
        metadata: Its `TableMetadata`.
        source: Reads its files.
        home: The folder of the Delta table, into which deletion vectors are written.
        properties: Those of the Delta table.
        table_schema: All columns, with the ids that Iceberg gave them.
        partitioning: Those that partition it.
        files: Its data files, with statistics.
        rows: How many rows they have.
        required_mapping: By ids; by names where some files have no ids.
    """

    metadata: Any
    source: StoreFiles
    home: Store
    properties: dict[str, str]
    table_schema: StructType
    partitioning: tuple[PartitionColumn, ...]
    files: FileList = field(default_factory=FileList)
    rows: int = 0

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
            self._vectors = write_vectors(self._deleted, self.home)
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
    settings: ConversionSettings,
    store: Store,
    home: Store,
    problems: Problems,
) -> IcebergTable:
    """Read a table; see `iceberg_table`."""
    if not settings.iceberg_native_partitions:
        _log.warning(
            "%s = false has no effect: the partition values are those of Iceberg's metadata, and"
            " no path has to name them",
            NATIVE_PARTITIONS,
        )
    metadata = current_metadata(store, target.metadata_file)
    source = StoreFiles(store, Locations(target.url, metadata.location), target.options)
    manifests = read_manifests(metadata, source)
    names = _names(metadata, source, manifests)
    mode = MappingMode.ID if names is None else MappingMode.NAME
    history = sorted(metadata.schemas, key=lambda schema: schema.schema_id)
    # Protocol: Type Widening. Readers need the changes only where a file can have an older type.
    changes = _type_changes(history) if manifests.data else {}
    properties = _properties(metadata, mode, widened=bool(changes))
    asked = {**usable_defaults(settings.new_tables.defaults, properties), **properties}
    schema = delta_schema(
        metadata.schema(), history, changes, names, time_as_long=_is_set(asked, TIME_AS_LONG)
    )
    leniency = Leniency(
        ignore_buckets=_is_set(asked, IGNORE_BUCKETS),
        leave_out_transforms=settings.iceberg_transforms_left_out,
        # Files that were there before the table need not hold the columns that partition them.
        evolution=settings.iceberg_evolution and names is None,
    )
    # Only specs that files use count: those of older files that are gone do not matter.
    used = [manifest.partition_spec_id for manifest in manifests.data]
    partitioning = partition_columns(metadata, schema, used, leniency)
    table = IcebergTable(
        metadata, source, home, properties, schema, partitioning, required_mapping=mode
    )
    collects = request.collect_stats and settings.collects_stats
    with ExitStack() as on_failure:
        on_failure.callback(table.close)
        _add_files(table, manifests, problems, asked, target.label, collects_stats=collects)
        on_failure.pop_all()
    return table


def _names(metadata: Any, source: StoreFiles, manifests: Manifests) -> NamesInFiles | None:
    """Return the names by which columns are found; None where they are found by their ids."""
    mapping = metadata.name_mapping()
    if mapping is None:
        return None
    files = DataFiles(metadata, source, (), Problems(policy=SKIP)).of(manifests)
    wanted = frozenset(field.field_id for _, field in each_field(metadata.schema()))
    return names_in_files((file for _, file in files), source.footers, mapping, wanted)


def _add_files(
    table: IcebergTable,
    manifests: Manifests,
    problems: Problems,
    asked: Mapping[str, str],
    label: str,
    *,
    collects_stats: bool,
) -> None:
    source = table.source
    deleted = read_deleted_rows(delete_files(manifests.deletes, source), source, label)
    metrics = _metrics(table, asked, collects_stats=collects_stats)
    files = DataFiles(table.metadata, source, table.partitioning, problems)
    for entry, file in files.of(manifests):
        found, rows = entry.data_file, deleted.of(file.path, entry.sequence_number or 0)
        # A file with a deletion vector has to say how many rows it has.
        has_stats = collects_stats or rows is not None
        stats = metrics.stats(found, has_deleted_rows=rows is not None) if has_stats else None
        table.add(file, stats, found.record_count, rows)
    # Without a mapping of names, columns of files without ids would all be null.
    if table.metadata.name_mapping() is None:
        check_ids(files.samples.values(), source.footers)


def _properties(metadata: Any, mode: MappingMode, *, widened: bool) -> dict[str, str]:
    """Keep the properties of the table; Delta does not read those of Iceberg, people may."""
    kept = {key: value for key, value in metadata.properties.items() if key != NAME_MAPPING}
    if widened:
        kept[TYPE_WIDENING.key] = "true"
    return {**kept, MODE_KEY: mode.value}


def _is_set(properties: Mapping[str, str], key: str) -> bool:
    return properties.get(key, "").strip().lower() == "true"


def _metrics(
    table: IcebergTable, properties: Mapping[str, str], *, collects_stats: bool
) -> Metrics:
    names = {column.field.name for column in table.partitioning}
    columns = StructType(tuple(field for field in table.table_schema if field.name not in names))
    physical = physical_schema(columns, table.table_schema, MappingMode.ID)
    indexing = indexing_of(properties) if collects_stats else Indexing(count=0)
    return Metrics(columns, physical, as_in_files(indexing, table.table_schema))


# ---------------------------------------------------------------------------------- widened columns


def _type_changes(history: Sequence[Any]) -> dict[int, list[object]]:
    """Return what the log has to say of columns that were widened.

    Args:
        history: All schemas that the table had, the oldest first.

    Returns:
        The changes of a column, the oldest first, by its id.
    """
    found: dict[int, list[object]] = {}
    schemas = [_by_numbers(schema.fields) for schema in history]
    for before, after in pairwise(schemas):
        for column in all_fields(with_type_changes(before, after)):
            changes = column.metadata.get(TYPE_CHANGES_KEY)
            if isinstance(changes, list):
                found.setdefault(int(column.name), []).extend(changes)
    return found


def _by_numbers(fields: Sequence[Any]) -> StructType:
    """Name columns by their ids, under which they are the same in all schemas."""
    return StructType(
        tuple(StructField(str(field.field_id), _type(field.field_type)) for field in fields)
    )


def _type(found: Any) -> DataType:
    match found:
        case iceberg.StructType():
            return _by_numbers(found.fields)
        case iceberg.ListType():
            return ArrayType(_type(found.element_type))
        case iceberg.MapType():
            return MapType(_type(found.key_type), _type(found.value_type))
    return primitive(found) or UnknownType(str(found))
