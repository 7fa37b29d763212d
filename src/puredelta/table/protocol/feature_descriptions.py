"""What each table feature means to users, in a sentence."""

from collections.abc import Mapping
from types import MappingProxyType

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "appendOnly": "delta.appendOnly is honoured: rows may then only be added",
        "invariants": "NOT NULL and the invariants of columns hold for each row",
        "checkConstraints": "CHECK constraints hold for each row",
        "changeDataFeed": "delta.enableChangeDataFeed keeps which rows changed",
        "generatedColumns": "columns may be computed from others",
        "columnMapping": "columns may be renamed and dropped without rewriting files",
        "identityColumns": "columns may number new rows",
        "deletionVectors": "rows may be deleted by marks beside the files",
        "timestampNtz": "columns may hold times without a zone",
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
        "domainMetadata": "features and applications may keep texts in the log",
        "rowTracking": "each row keeps its id from version to version",
        "allowColumnDefaults": "columns may have default values",
        "inCommitTimestamp": "the time of a version stands in its commit",
        "clustering": "rows that belong together are kept together by clustering columns",
        "icebergCompatV1": "the table stays convertible to Iceberg, version 1 of the rules",
        "icebergCompatV2": "the table stays convertible to Iceberg, version 2 of the rules",
        "icebergCompatV3": "the table stays convertible to Iceberg, version 3 of the rules",
        "checkpointProtection": "cleanup of the log keeps checkpoints that old readers need",
        "coordinatedCommits-preview": "a coordinator, not the file system, decides on versions",
        "materializePartitionColumns": "files hold the partition columns, too",
    }
)
