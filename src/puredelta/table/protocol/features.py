"""Every table feature as a value: its kind, versions, requirements and our support for it.

Protocol: Table Features. A feature that is not in `FEATURES`, or whose `Support` does not reach, is
refused by name before a table is read or written; none is ever ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from puredelta.schema.datatypes import TIMESTAMP_NTZ, VARIANT
from puredelta.table.protocol.feature_activation import (
    DEFAULT_KEY,
    GENERATION_KEY,
    IDENTITY_PREFIX,
    Uses,
    always,
    equals,
    has_constraints,
    has_field_metadata,
    has_invariants,
    has_type,
    is_set,
    is_true,
    maps_columns,
    never,
)

FEATURE_PREFIX = "delta.feature."
_PREVIEW_SUFFIX = "-preview"


class Support(Enum):
    """How far a feature is honoured: always, only while the table does not use it, or never."""

    ALWAYS = "always"
    WHILE_UNUSED = "while unused"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFeature:
    """One table feature.

    Attributes:
        name: As the protocol spells it.
        reader: True for a reader-writer feature, False for a writer feature.
        legacy: The first (reader, writer) versions that imply it, or None when it is always listed
            by name.
        requires: Features that the protocol must list too.
        asked_for: Do properties or schema ask for it? Then a protocol without it is upgraded.
        in_use: Does the table use it, so that `Support.WHILE_UNUSED` does not suffice?
        silent: May an existing table get it without the user naming it?
        blocks_others: Must a concurrent commit fail when this feature is added?
        reading: How far we honour it when reading.
        writing: How far we honour it when writing.
    """

    name: str
    reader: bool = False
    legacy: tuple[int, int] | None = None
    requires: tuple[str, ...] = ()
    asked_for: Uses = never
    in_use: Uses = always
    silent: bool = True
    blocks_others: bool = False
    reading: Support = Support.ALWAYS
    writing: Support = Support.NEVER

    @property
    def key(self) -> str:
        """The table property that adds the feature by name."""
        return FEATURE_PREFIX + self.name


LEGACY_FEATURES = (
    TableFeature(
        name="appendOnly",
        legacy=(1, 2),
        asked_for=is_true("delta.appendOnly"),
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="invariants",
        legacy=(1, 2),
        asked_for=has_invariants,
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="checkConstraints",
        legacy=(1, 3),
        asked_for=has_constraints,
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="changeDataFeed",
        legacy=(1, 4),
        asked_for=is_true("delta.enableChangeDataFeed", "delta.enableChangeDataCapture"),
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="generatedColumns",
        legacy=(1, 4),
        asked_for=has_field_metadata(GENERATION_KEY),
        in_use=has_field_metadata(GENERATION_KEY),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="columnMapping",
        reader=True,
        legacy=(2, 5),
        asked_for=maps_columns,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="identityColumns",
        legacy=(1, 6),
        asked_for=has_field_metadata(IDENTITY_PREFIX),
        in_use=has_field_metadata(IDENTITY_PREFIX),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
)

READER_WRITER_FEATURES = (
    TableFeature(
        name="deletionVectors",
        reader=True,
        asked_for=is_true("delta.enableDeletionVectors"),
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="timestampNtz",
        reader=True,
        asked_for=has_type(TIMESTAMP_NTZ),
        # delta-spark adds it to an existing table only by name.
        silent=False,
        writing=Support.ALWAYS,
    ),
    # Whether a checkpoint can be read is decided in `log`, version by version.
    TableFeature(
        name="v2Checkpoint",
        reader=True,
        asked_for=equals("delta.checkpointPolicy", "v2"),
        writing=Support.ALWAYS,
    ),
    # A duty of VACUUM alone, which must check the protocol of writers before it deletes files.
    TableFeature(name="vacuumProtocolCheck", reader=True, writing=Support.ALWAYS),
    TableFeature(
        name="typeWidening",
        reader=True,
        asked_for=is_true("delta.enableTypeWidening"),
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="typeWidening-preview",
        reader=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="variantType",
        reader=True,
        asked_for=has_type(VARIANT),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="variantType-preview", reader=True, blocks_others=True, writing=Support.ALWAYS
    ),
    TableFeature(
        name="variantShredding",
        reader=True,
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="variantShredding-preview",
        reader=True,
        asked_for=is_true("delta.enableVariantShredding"),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        # Only the catalog knows the newest version, so the log alone does not show it.
        name="catalogManaged",
        reader=True,
        requires=("inCommitTimestamp", "vacuumProtocolCheck"),
        reading=Support.NEVER,
    ),
    TableFeature(name="geospatial", reader=True, blocks_others=True, reading=Support.NEVER),
)

WRITER_FEATURES = (
    TableFeature(name="domainMetadata", writing=Support.ALWAYS),
    TableFeature(
        # The high-water mark of the row ids is domain metadata.
        name="rowTracking",
        requires=("domainMetadata",),
        asked_for=is_true("delta.enableRowTracking"),
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="allowColumnDefaults",
        in_use=has_field_metadata(DEFAULT_KEY),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        name="inCommitTimestamp",
        asked_for=is_true("delta.enableInCommitTimestamps"),
        writing=Support.ALWAYS,
    ),
    # New rows are unclustered and have statistics of the clustering columns; OPTIMIZE orders them.
    TableFeature(
        name="clustering",
        requires=("domainMetadata",),
        blocks_others=True,
        writing=Support.ALWAYS,
    ),
    TableFeature(
        # Writers would have to obey Iceberg's rules in every file. A table that lists the feature
        # and leaves the property off is written like any other.
        name="icebergCompatV1",
        requires=("columnMapping",),
        asked_for=is_true("delta.enableIcebergCompatV1"),
        in_use=is_true("delta.enableIcebergCompatV1"),
        writing=Support.WHILE_UNUSED,
    ),
    TableFeature(
        name="icebergCompatV2",
        requires=("columnMapping",),
        asked_for=is_true("delta.enableIcebergCompatV2"),
        in_use=is_true("delta.enableIcebergCompatV2"),
        writing=Support.WHILE_UNUSED,
    ),
    TableFeature(
        name="icebergCompatV3",
        requires=("columnMapping", "rowTracking"),
        asked_for=is_true("delta.enableIcebergCompatV3"),
        in_use=is_true("delta.enableIcebergCompatV3"),
        writing=Support.WHILE_UNUSED,
    ),
    # A duty of log cleanup alone: it must keep the checkpoints that older readers need.
    TableFeature(name="checkpointProtection", blocks_others=True, writing=Support.ALWAYS),
    TableFeature(
        name="coordinatedCommits-preview",
        requires=("inCommitTimestamp", "vacuumProtocolCheck"),
        asked_for=is_set("delta.coordinatedCommits.commitCoordinator-preview"),
        in_use=is_set("delta.coordinatedCommits.commitCoordinator-preview"),
        blocks_others=True,
        writing=Support.WHILE_UNUSED,
    ),
    TableFeature(
        # Files here do not contain the partition columns, as the feature requires.
        name="materializePartitionColumns",
        asked_for=is_true("delta.enableMaterializePartitionColumnsFeature"),
        blocks_others=True,
    ),
)

FEATURES: Mapping[str, TableFeature] = MappingProxyType(
    {
        feature.name: feature
        for feature in LEGACY_FEATURES + READER_WRITER_FEATURES + WRITER_FEATURES
    }
)

_BY_LOWER_NAME = {name.lower(): feature for name, feature in FEATURES.items()}


def find_feature(name: str) -> TableFeature | None:
    """Find a feature by its name, in any case of letters."""
    return _BY_LOWER_NAME.get(name.lower())


def without_substituted(asked: Iterable[str], present: Iterable[str]) -> frozenset[str]:
    """Leave out features whose other form is present: a feature and its preview mean the same.

    Args:
        asked: Features that properties and schema ask for.
        present: Features that the table has, or that its user named.

    >>> sorted(without_substituted(["variantType", "typeWidening"], ["variantType-preview"]))
    ['typeWidening']
    """
    known = frozenset(present)
    return frozenset(name for name in asked if _other_form(name) not in known)


def _other_form(name: str) -> str:
    if name.endswith(_PREVIEW_SUFFIX):
        return name.removesuffix(_PREVIEW_SUFFIX)
    return name + _PREVIEW_SUFFIX


def with_requirements(names: Iterable[str]) -> frozenset[str]:
    """Add to a set of features all that they need."""
    found: set[str] = set()
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            feature = FEATURES.get(name)
            open_names.extend(feature.requires if feature else ())
    return frozenset(found)
