"""New metadata for ALTER TABLE on columns, once it is known what they become."""

from collections.abc import Iterable, Mapping

import msgspec

from puredelta.commands.alter.commit import Change
from puredelta.commands.table_ref import TableRef
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.table.clustering import check_statistics, clustering_columns
from puredelta.table.columns.char_lengths import with_declared_lengths
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.columns.mapping_ids import with_mapping
from puredelta.table.columns.schema_check import (
    check_duplicates,
    check_names,
    check_nullability,
    check_types,
)
from puredelta.table.protocol.defaults import check_allowed
from puredelta.table.protocol.protocol import check_writable, features_of, upgrade
from puredelta.table.statistics.indexed_columns import indexing_of
from puredelta.txn.commit_info import Operation

_TURN_ON = "ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def altered_schema(
    table: TableRef,
    before: Snapshot,
    schema: StructType,
    operation: Operation,
    *,
    metadata: Metadata | None = None,
    duplicates: str = "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE",
    reads_table: bool = False,
) -> Change:
    """Return the commit that gives a table other columns.

    Args:
        table: the table.
        before: the version that was read.
        schema: the columns it is to have.
        operation: what history shows.
        metadata: the table's with what follows the columns; None where nothing does.
        duplicates: the condition for names that differ at most in case.
        reads_table: does the change rest on the rows that there are?

    Raises:
        DeltaAnalysisError: columns that a table cannot have, or defaults that it does not allow.
        DeltaTableFeatureError: a type whose feature only the user may turn on.
    """
    metadata = metadata or before.metadata
    is_mapped = maps_columns(metadata.configuration)
    check_duplicates(schema, duplicates)
    check_types(schema)
    check_nullability(schema)
    # Protocol: Column Mapping. Files have physical names under it, so names may contain what
    # Parquet does not allow.
    if not is_mapped:
        check_names(schema)
    check_allowed(schema, features_of(before.protocol), "ALTER TABLE")
    schema = with_declared_lengths(before.schema, schema)
    schema, configuration = with_mapping(schema, metadata.configuration)
    _check_clustering(before, schema, configuration)
    changed = msgspec.structs.replace(
        metadata, schema_string=schema_to_json(schema), configuration=configuration
    )
    # A type can need a feature. Refused here, a dry run reports it, too.
    protocol = upgrade(before.protocol, changed)
    check_writable(protocol, changed, table.label)
    return Change(
        operation=operation,
        metadata=changed,
        protocol=protocol,
        is_blind=not reads_table,
        reads_table=reads_table,
    )


def maps_columns(configuration: Mapping[str, str]) -> bool:
    """Say whether columns have physical names, so that they can be renamed and dropped."""
    return mapping_mode(configuration) is not MappingMode.NONE


def how_to_map(table: TableRef) -> str:
    """Return the statement that turns column mapping on."""
    return _TURN_ON.format(table=table.label)


def _check_clustering(
    before: Snapshot, schema: StructType, configuration: Mapping[str, str]
) -> None:
    """Columns move, and only the first ones get statistics: those to cluster by must be there."""
    clustered: Iterable[tuple[str, ...]] = clustering_columns(before.domains.values())
    if clustered:
        check_statistics(clustered, schema, indexing_of(configuration))
