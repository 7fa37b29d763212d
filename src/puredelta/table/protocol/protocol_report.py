"""A protocol as an Arrow table: its features, and whether we read and write them.

Protocol: Table Features.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from puredelta.log.actions import Metadata, Protocol
from puredelta.schema.datatypes import StructType
from puredelta.table.protocol.features import FEATURES, Support, TableFeature
from puredelta.table.protocol.protocol import features_of, schema_of

PROTOCOL = pa.schema(
    [
        ("min_reader_version", pa.int32()),
        ("min_writer_version", pa.int32()),
        ("feature", pa.string()),
        ("kind", pa.string()),
        ("named", pa.bool_()),
        ("readable", pa.bool_()),
        ("writable", pa.bool_()),
        ("meaning", pa.string()),
    ]
)


def protocol_rows(protocol: Protocol, metadata: Metadata) -> pa.Table:
    """List the features of a protocol.

    Args:
        protocol: The protocol.
        metadata: The metadata of the same version, which says what is in use.

    Returns:
        A row a feature, with the versions in each: `min_reader_version`, `min_writer_version`;
        `feature`, its name; `kind`, `reader-writer` when readers must know it, else `writer`;
        `named`, whether the log names it (else the versions imply it); `readable` and `writable`,
        whether puredelta reads and writes tables that have it, and use it as this one does;
        `meaning`, null for features that we do not know. Without any feature there is one row
        that has only the versions.
    """
    schema = schema_of(metadata)
    versions = {
        "min_reader_version": protocol.min_reader_version,
        "min_writer_version": protocol.min_writer_version,
    }
    names = sorted(features_of(protocol), key=_position)
    rows = [versions | _feature(name, protocol, metadata, schema) for name in names]
    return pa.Table.from_pylist(rows or [versions], PROTOCOL)


def _feature(
    name: str, protocol: Protocol, metadata: Metadata, schema: StructType
) -> dict[str, Any]:
    feature = FEATURES.get(name)
    readers = set(protocol.reader_features or ())
    for_readers = name in readers if feature is None else feature.reader
    unused = feature is not None and not feature.in_use(metadata.configuration, schema)
    return {
        "feature": name,
        "kind": "reader-writer" if for_readers else "writer",
        "named": name in readers or name in (protocol.writer_features or ()),
        # A feature that only writers must know does not keep anyone from reading.
        "readable": not for_readers or _reaches(feature, reading=True, unused=unused),
        "writable": _reaches(feature, reading=True, unused=unused)
        and _reaches(feature, reading=False, unused=unused),
        "meaning": MEANINGS.get(name),
    }


def _reaches(feature: TableFeature | None, *, reading: bool, unused: bool) -> bool:
    if feature is None:
        return False
    support = feature.reading if reading else feature.writing
    return support is Support.ALWAYS or (support is Support.WHILE_UNUSED and unused)


def _position(name: str) -> tuple[int, str]:
    # Features that we do not know come last, in alphabetical order.
    return (_ORDER.get(name, len(_ORDER)), name)


_ORDER = {name: position for position, name in enumerate(FEATURES)}


# ------------------------------------------------------------------- descriptions of table features


MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "appendOnly": "delta.appendOnly is obeyed: rows may then only be added",
        "invariants": "NOT NULL and the invariants of columns hold for each row",
        "checkConstraints": "CHECK constraints hold for each row",
        "changeDataFeed": "delta.enableChangeDataFeed records which rows changed",
        "generatedColumns": "columns may be computed from others",
        "columnMapping": "columns may be renamed and dropped without rewriting files",
        "identityColumns": "columns may number new rows",
        "deletionVectors": "rows may be deleted by deletion vectors, without rewriting files",
        "timestampNtz": "columns may have times without a zone",
        "v2Checkpoint": "checkpoints may lie in several files that are shared",
        "vacuumProtocolCheck": "VACUUM looks at the protocol before it deletes files",
        "typeWidening": "types of columns may be widened without rewriting files",
        "typeWidening-preview": "types may be widened, as it was before the feature was final",
        "variantType": "columns may hold values of any type",
        "variantType-preview": "columns of any type, as it was before the feature was final",
        "variantShredding": "parts of variant columns may be columns of their own in files",
        "variantShredding-preview": "shredding, as it was before the feature was final",
        "catalogManaged": "a catalog, not the file system, decides on versions",
        "geospatial": "columns may hold places on the earth",
        "domainMetadata": "features and applications may store strings in the log",
        "rowTracking": "each row keeps its id from version to version",
        "allowColumnDefaults": "columns may have default values",
        "inCommitTimestamp": "the commit of a version records its time",
        "clustering": "rows that belong together are kept together by clustering columns",
        "icebergCompatV1": "the table stays convertible to Iceberg, version 1 of the rules",
        "icebergCompatV2": "the table stays convertible to Iceberg, version 2 of the rules",
        "icebergCompatV3": "the table stays convertible to Iceberg, version 3 of the rules",
        "checkpointProtection": "cleanup of the log keeps checkpoints that old readers need",
        "coordinatedCommits-preview": "a coordinator, not the file system, decides on versions",
        "materializePartitionColumns": "files hold the partition columns, too",
    }
)
