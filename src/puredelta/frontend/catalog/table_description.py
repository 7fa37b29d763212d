"""A version of a table as Spark sees it, and the table of a scan handle."""

import json
from collections.abc import Mapping, Sequence

from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.stored_defaults import with_safe_defaults
from puredelta.engine.hadoop.table_options import recall, remember
from puredelta.engine.scan.described_table import UNKNOWN_SIZE, DescribedTable
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.scan.row_tracking_metadata import row_id_fields
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.column_path import quote_path
from puredelta.table.clustering import DOMAIN, logical_columns
from puredelta.table.columns.schema_fingerprint import schema_fingerprint
from puredelta.table.columns.visible_schema import visible_schema

# What the session catalog says of a table and the log does not.
_OF_THE_CATALOG = ("is_managed_location", "external")


def table_of(handle: ScanHandle) -> TableRef:
    """Return the table of a handle."""
    return TableRef(root=handle.root, name=handle.name, options=recall(handle.options))


def whole_table_of(handle: ScanHandle) -> TableRef:
    """Return the table of a handle, for statements that are not about one partition of it.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTIAL_SCAN for the folder of a partition.
    """
    if handle.only_partitions is not None:
        raise DeltaAnalysisError("DELTA_UNEXPECTED_PARTIAL_SCAN", path=handle.root)
    return table_of(handle)


def describe(
    table: TableRef,
    snapshot: Snapshot,
    *,
    pinned: bool,
    catalog_entry: Mapping[str, str] | None = None,
    partition: Mapping[str, str | None] | None = None,
) -> str:
    """Return what `puredelta.LoadedTable` shows of a version, as JSON.

    Args:
        table: which table.
        snapshot: the version.
        pinned: reads stay at this version.
        catalog_entry: properties of the session catalog's entry, for tables that have a name.
        partition: the only partition values to read; None for all.
    """
    metadata = snapshot.metadata
    set_reader_settings(snapshot)
    handle = ScanHandle(
        root=table.root,
        name=table.name,
        version=snapshot.version if pinned else None,
        fingerprint=schema_fingerprint(metadata),
        options=remember(table.options),
        only_partitions=partition,
        row_ids=row_id_fields(metadata),
    )
    clustering = logical_columns(snapshot.domains.values(), snapshot.schema)
    return DescribedTable(
        handle=handle,
        name=table.label,
        schema=schema_to_json(with_safe_defaults(visible_schema(snapshot.schema))),
        partitions=metadata.partition_columns,
        cluster_by=[quote_path(path) for path in clustering],
        properties={
            **shown_properties(table, metadata, snapshot.protocol, catalog_entry or {}),
            **_shown_clustering(snapshot, clustering),
        },
        bytes=UNKNOWN_SIZE if snapshot.known_size is None else snapshot.known_size,
        options=table.options,
    ).to_json()


def _shown_clustering(snapshot: Snapshot, clustering: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Return the property that SHOW TBLPROPERTIES shows of a table with clustering columns."""
    if DOMAIN not in snapshot.domains:
        return {}
    return {"clusteringColumns": json.dumps(clustering, separators=(",", ":"))}


def shown_properties(
    table: TableRef, metadata: Metadata, protocol: Protocol, catalog_entry: Mapping[str, str]
) -> dict[str, str]:
    """Return the properties that SHOW TBLPROPERTIES and DESCRIBE EXTENDED show."""
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    shown = {
        **metadata.configuration,
        "delta.minReaderVersion": str(protocol.min_reader_version),
        "delta.minWriterVersion": str(protocol.min_writer_version),
        **{f"delta.feature.{name}": "supported" for name in sorted(features)},
        **{key: catalog_entry[key] for key in _OF_THE_CATALOG if key in catalog_entry},
        "provider": "delta",
        "location": table.root,
    }
    if metadata.description is not None:
        shown["comment"] = metadata.description
    return shown
