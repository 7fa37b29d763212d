"""A table of the session catalog to be converted: what its entry says of it."""

from collections.abc import Iterator

from pyspark.sql import SparkSession

from puredelta.conversion.bad_files import Problems
from puredelta.conversion.listing import data_files, is_hidden
from puredelta.conversion.partitions.paths import PartitionPaths
from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import PARQUET, ConvertTarget
from puredelta.engine.session.session_catalog import (
    HIVE,
    SESSION_CATALOG,
    CatalogEntry,
    CatalogPartition,
    partitions_of,
)
from puredelta.errors.classes import DeltaAnalysisError, DeltaError
from puredelta.schema.codec import schema_from_json
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import escape_partition_name, table_url
from puredelta.storage.schemes import open_store
from puredelta.storage.store import Store

# Hive's classes that read Parquet; the second is the name it had in another package.
_PARQUET_SERDES = frozenset(
    {
        "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
        "parquet.hive.serde.ParquetHiveSerDe",
    }
)

# What Hive keeps among a table's properties for itself.
_OF_HIVE = frozenset({"transient_lastddltime", "bucketing_version", "external", "totalsize"})


def target_of_entry(entry: CatalogEntry, label: str) -> ConvertTarget:
    """Return what an entry of the catalog says of a table that is to be converted.

    Args:
        entry: the entry.
        label: what the user calls the table.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED_DETAIL for a view.
    """
    if entry.is_view:
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED_DETAIL",
            operation="Converting a view to a Delta table",
            tableName=label,
        )
    schema = schema_from_json(entry.schema)
    names = {name.lower() for name in entry.partition_columns}
    parts = StructType(tuple(column for column in schema if column.name.lower() in names))
    return ConvertTarget(
        provider=_provider(entry),
        location=entry.location,
        label=label,
        catalog_table=".".join(map(quoted, (SESSION_CATALOG, entry.database, entry.table))),
        schema=schema,
        partition_schema=parts,
        properties={k: v for k, v in entry.properties.items() if k.lower() not in _OF_HIVE},
        description=entry.comment,
    )


def _provider(entry: CatalogEntry) -> str:
    is_parquet = entry.provider == HIVE and entry.serde in _PARQUET_SERDES
    return PARQUET if is_parquet else entry.provider


def partition_files(
    session: SparkSession,
    entry: CatalogEntry,
    store: Store,
    paths: PartitionPaths,
    problems: Problems,
) -> Iterator[SourceFile]:
    """Yield the files of the partitions that the catalog knows, wherever they lie.

    Args:
        session: whose catalog.
        entry: the table.
        store: its folder.
        paths: returns the partition values as the log has them.
        problems: takes partitions whose values are none of their columns' types.

    Raises:
        DeltaAnalysisError: DELTA_CONVERSION_NO_PARTITION_FOUND.
    """
    known = partitions_of(session, entry.database, entry.table)
    if not known:
        raise DeltaAnalysisError(
            "DELTA_CONVERSION_NO_PARTITION_FOUND",
            tableName=f"{entry.database}.{entry.table}",
        )
    usual, elsewhere = set[str](), list[tuple[str, CatalogPartition]]()
    for partition in known:
        folder = _folder(entry, partition)
        if table_url(partition.location) == f"{store.url}/{folder}":
            usual.add(folder)
        else:
            elsewhere.append((folder, partition))
    listed = _in_usual_places(store, usual, len(entry.partition_columns))
    yield from _with_values(listed, paths, problems)
    for folder, partition in elsewhere:
        yield from _with_values(_elsewhere(store, folder, partition), paths, problems)


def _folder(entry: CatalogEntry, partition: CatalogPartition) -> str:
    """Return where a partition lies unless someone chose another place."""
    values = {name.lower(): value for name, value in partition.values.items()}
    return "/".join(
        f"{escape_partition_name(name)}={escape_partition_name(values[name.lower()])}"
        for name in entry.partition_columns
    )


def _in_usual_places(
    store: Store, folders: set[str], depth: int
) -> Iterator[tuple[str, SourceFile]]:
    """Yield the files below some folders with the folder of each; no others are listed."""
    above = {folder.rsplit("/", up)[0] for folder in folders for up in range(depth)}

    def enters(folder: str) -> bool:
        name = folder.rstrip("/")
        return name in above or (_first(name, depth) in folders and not is_hidden(name))

    for info in store.walk("", enters) if folders else ():
        folder = _first(info.name, depth)
        if folder in folders and not is_hidden(info.name):
            yield folder, SourceFile(info.name, info.size, info.modified_ms)


def _elsewhere(
    store: Store, folder: str, partition: CatalogPartition
) -> Iterator[tuple[str, SourceFile]]:
    place = open_store(table_url(partition.location))
    for file in data_files(place, use_metadata_log=False):
        path = f"{place.url}/{file.path}".removeprefix(f"{store.url}/")
        yield folder, SourceFile(path, file.size, file.modified_ms)


def _with_values(
    files: Iterator[tuple[str, SourceFile]], paths: PartitionPaths, problems: Problems
) -> Iterator[SourceFile]:
    for folder, file in files:
        found = _with_value(folder, file, paths, problems)
        if found is not None:
            yield found


def _with_value(
    folder: str, file: SourceFile, paths: PartitionPaths, problems: Problems
) -> SourceFile | None:
    try:
        values = paths.values(f"{folder}/{file.path.rpartition('/')[2]}")
    except DeltaError as error:
        problems.bad_file(file.path, file.size, error)
        return None
    return SourceFile(file.path, file.size, file.modified_ms, values)


def _first(path: str, depth: int) -> str:
    return "/".join(path.split("/")[:depth])
