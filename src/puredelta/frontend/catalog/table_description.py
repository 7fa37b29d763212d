"""A version of a table as Spark sees it, and the table of a scan handle."""

import json
import re
from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef, partition_alone
from puredelta.engine.catalyst.stored_expressions import Stored, check_stored
from puredelta.engine.hadoop.table_options import recall, remember
from puredelta.engine.scan.described_table import UNKNOWN_SIZE, DescribedTable
from puredelta.engine.scan.handle import ScanHandle, schema_fingerprint
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.scan.row_tracking_metadata import row_id_fields
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.clustering import DOMAIN, logical_columns
from puredelta.table.columns.visible_schema import visible_schema
from puredelta.table.protocol.defaults import default_of, with_default

# The session catalog knows these of a table, and the log does not.
_OF_THE_CATALOG = ("is_managed_location", "external")

# Numbers, strings, NULL and the like are safe without a call of Spark's parser, which each read of
# the table would otherwise pay for.
_CONSTANT = re.compile(
    r"\s*(?:[-+]?[\d.]+|'[^'\\$]*'|null|true|false|current_(?:date|timestamp)\(\))\s*",
    re.IGNORECASE,
)
_VARIABLE = "${"


def table_of(handle: ScanHandle) -> TableRef:
    """Return the table of a handle."""
    return TableRef(root=handle.root, name=handle.name, options=recall(handle.options))


def whole_table_of(handle: ScanHandle) -> TableRef:
    """Return the table of a handle, for statements that are not about one partition of it.

    Raises:
        DeltaAnalysisError: DELTA_UNEXPECTED_PARTIAL_SCAN for the folder of a partition.
    """
    if handle.only_partitions is not None:
        raise partition_alone(handle.root)
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
    # A query takes the session's settings when it begins, so they are set before it is planned.
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
        schema=schema_to_json(_with_safe_defaults(visible_schema(snapshot.schema))),
        partitions=metadata.partition_columns,
        cluster_by=[quote_path(path) for path in clustering],
        properties={
            **shown_properties(table, metadata, snapshot.protocol, catalog_entry or {}),
            **_shown_clustering(snapshot, clustering),
        },
        # An exact size could need a replay of the file actions, which a query may never ask for.
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


def _with_safe_defaults(schema: StructType) -> StructType:
    """Return a schema in which each default that is refused is a call of `raise_error`."""
    texts = [text for field in schema if (text := default_of(field.metadata)) is not None]
    if all(_CONSTANT.fullmatch(text) for text in texts):
        return schema
    session = active_session()
    return each_field(schema, lambda field: _safe(session, field))


def _safe(session: SparkSession, field: StructField) -> StructField:
    text = default_of(field.metadata)
    if text is None or _CONSTANT.fullmatch(text):
        return field
    stored = Stored.default(field.name, text)
    try:
        check_stored(session, stored)
        # Spark's own parser, which evaluates the default in an INSERT, would replace the variable
        # by a setting of the session.
        if _VARIABLE in text:
            raise stored.refused("it has a variable to be replaced")
    except DeltaAnalysisError as error:
        # Only a statement that needs the value may fail: the table stays readable.
        message = str(error).replace("\\", "\\\\").replace("'", "\\'").replace("${", "$ {")
        return with_default(field, f"raise_error('{message}')")
    return field
