"""Reader and writer versions: may we touch this table, and which protocol does it need?

Protocol: Protocol Evolution. A protocol is written in its normal form: the lowest legacy pair of
versions that implies exactly the wanted features, or else writer version 7 with the features named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from puredelta._util.similar_names import like_it
from puredelta.errors import (
    DeltaIllegalStateError,
    DeltaInvalidProtocolVersionError,
    DeltaTableFeatureError,
)
from puredelta.log.actions import Metadata, Protocol
from puredelta.schema.codec import stored_schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.table.protocol.features import (
    FEATURE_PREFIX,
    FEATURES,
    LEGACY_FEATURES,
    Support,
    TableFeature,
    find_feature,
    with_requirements,
    without_substituted,
)
from puredelta.table.protocol.properties import (
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    PROPERTIES,
)
from puredelta.table.protocol.row_tracking import with_column_names

SUPPORTED_READERS = (1, 2, 3)
SUPPORTED_WRITERS = (1, 2, 3, 4, 5, 6, 7)
FEATURE_READER = 3
FEATURE_WRITER = 7

DEFAULT_VERSIONS = (1, 2)
# In the order in which `normal_form` tries them. The pair (1, 5) implies the same features as (1,
# 4): column mapping needs reader version 2.
LEGACY_PAIRS = ((1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (2, 5), (2, 6))

# Metadata that defines columns has no effect under a protocol without these features. An upgrade
# must not put it into force: existing rows may contradict it.
_MADE_WITH_TABLES = frozenset({"generatedColumns", "identityColumns"})

# The release of delta-spark whose protocol we implement; messages about versions name it.
_REFERENCE_VERSION = "4.3"
_DOC_LINK = "https://docs.delta.io/versioning/"


@dataclass(frozen=True, slots=True)
class ProtocolRequest:
    """What a user asked of the protocol by properties, none of which is ever stored.

    Attributes:
        versions: The reader and writer version, either of which may be missing.
        features: Features by name.
        ignore_defaults: Start from the lowest protocol, not from the usual one.
    """

    versions: tuple[int | None, int | None] = (None, None)
    features: frozenset[str] = frozenset()
    ignore_defaults: bool = False


NO_REQUEST = ProtocolRequest()


def check_readable(protocol: Protocol, metadata: Metadata, table: str) -> None:
    """Refuse a table with a protocol or a feature that we cannot read.

    Args:
        protocol: The table's protocol.
        metadata: The table's metadata, which says whether a listed feature is in use.
        table: Name or path of the table, for the message.

    Raises:
        DeltaInvalidProtocolVersionError: The versions are above ours.
        DeltaTableFeatureError: A reader feature is unknown, or in use and not supported.
    """
    _check_versions(protocol, table, reading=True)
    refused = _refused(_reader_features(protocol), metadata, lambda feature: feature.reading)
    if refused:
        raise DeltaTableFeatureError(
            "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
            tableNameOrPath=table,
            deltaVersion=_REFERENCE_VERSION,
            unsupported=", ".join(refused),
        )


def check_writable(
    protocol: Protocol,
    metadata: Metadata,
    table: str,
    *,
    leaving: frozenset[str] = frozenset(),
) -> None:
    """Refuse a table with a protocol or a feature that we cannot write; a writer must read too.

    Args:
        protocol: The table's protocol.
        metadata: The table's metadata, which says whether a listed feature is in use.
        table: Name or path of the table, for the message.
        leaving: Features that are being dropped, which the new version no longer has.

    Raises:
        DeltaInvalidProtocolVersionError: The versions are above ours.
        DeltaTableFeatureError: A feature is unknown, or in use and not supported.
    """
    check_readable(protocol, metadata, table)
    _check_versions(protocol, table, reading=False)
    refused = _refused(features_of(protocol) - leaving, metadata, lambda feature: feature.writing)
    if refused:
        raise DeltaTableFeatureError(
            "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            tableNameOrPath=table,
            deltaVersion=_REFERENCE_VERSION,
            unsupported=", ".join(refused),
        )


def features_of(protocol: Protocol) -> frozenset[str]:
    """Return the features of a protocol, with those that its versions imply."""
    if protocol.min_writer_version < FEATURE_WRITER:
        # Protocol: Table Features. Only writer version 7 lists features; the lower ones imply them.
        return _implied(protocol.min_reader_version, protocol.min_writer_version)
    return frozenset(protocol.writer_features or ()) | frozenset(protocol.reader_features or ())


def requested_protocol(
    configuration: Mapping[str, str],
) -> tuple[ProtocolRequest, dict[str, str]]:
    """Take the keys that ask for a protocol out of a table's properties.

    Returns:
        The request, and the properties that are to be stored.

    Raises:
        DeltaTableFeatureError: An unknown feature, or a status other than supported or enabled.
        DeltaIllegalArgumentError: A version that is no number of ours.
    """
    stored: dict[str, str] = {}
    versions: dict[str, int] = {}
    named: dict[str, str] = {}
    ignore = False
    for key, text in configuration.items():
        if key in (MIN_READER_VERSION, MIN_WRITER_VERSION):
            versions[key] = PROPERTIES[key].read(text)
        elif key == IGNORE_PROTOCOL_DEFAULTS:
            ignore = PROPERTIES[key].read(text)
        elif key.lower().startswith(FEATURE_PREFIX):
            named[key[len(FEATURE_PREFIX) :]] = text
        else:
            stored[key] = text
    wanted = (versions.get(MIN_READER_VERSION), versions.get(MIN_WRITER_VERSION))
    return ProtocolRequest(wanted, _known_features(named), ignore), stored


def protocol_for_new_table(
    configuration: Mapping[str, str], schema: StructType
) -> tuple[Protocol, dict[str, str]]:
    """Choose the protocol of a table to be created.

    Args:
        configuration: Its properties, those that ask for a protocol among them.
        schema: Its schema.

    Returns:
        The protocol, and the properties that are to be stored.
    """
    request, stored = requested_protocol(configuration)
    # A preview that the user names replaces the final feature that the schema asks for.
    asked = without_substituted(_asked_for(stored, schema), request.features)
    names = _base_features(request) | request.features | asked
    protocol = normal_form(names)
    # Files will contain the hidden columns under these names, so they are chosen once and for all.
    return protocol, with_column_names(features_of(protocol), stored)


def upgrade(
    protocol: Protocol,
    metadata: Metadata,
    request: ProtocolRequest = NO_REQUEST,
) -> Protocol:
    """Raise a protocol to what the metadata needs and the user asks for; never lower it.

    Returns:
        The very same protocol when it suffices.

    Raises:
        DeltaTableFeatureError: The schema needs a feature that only the user may turn on.
    """
    now = features_of(protocol)
    by_name = with_requirements(request.features) | _request_versions(request)
    schema = schema_of(metadata)
    needed = without_substituted(_asked_for(metadata.configuration, schema), now | by_name)
    asked = needed - now - by_name - _MADE_WITH_TABLES
    # delta-spark adds these features to an existing table only when its user names them.
    loud = sorted(name for name in asked if not FEATURES[name].silent)
    if loud:
        raise DeltaTableFeatureError(
            "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
            unsupportedFeatures=", ".join(loud),
            supportedFeatures=", ".join(sorted(now)),
        )
    wanted = now | by_name | asked
    # An equal set keeps its form, be it normal or not, and the commit needs no protocol action.
    return protocol if wanted == now else normal_form(wanted)


def check_versions_go_together(protocol: Protocol, request: ProtocolRequest) -> None:
    """Refuse a reader version that lists features next to a writer version that lists none.

    Args:
        protocol: The table's protocol.
        request: What is asked of it.

    Raises:
        DeltaTableFeatureError: DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE.
    """
    reader, writer = request.versions
    if reader == FEATURE_READER and (writer or protocol.min_writer_version) < FEATURE_WRITER:
        raise DeltaTableFeatureError(
            "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
            writerVersion=FEATURE_WRITER,
            docLink=_DOC_LINK,
        )


def normal_form(names: Iterable[str]) -> Protocol:
    """Write a set of features as a protocol."""
    wanted = with_requirements(names)
    for reader, writer in LEGACY_PAIRS:
        if _implied(reader, writer) == wanted:
            return Protocol(min_reader_version=reader, min_writer_version=writer)
    listed = sorted(wanted, key=_by_registry)
    for_readers = [name for name in listed if _is_reader_writer(name)]
    # Reader version 3 is only for features that no reader version implies. With column mapping
    # alone, version 2 lets readers in that know no lists of features.
    if all(_is_legacy(name) for name in for_readers):
        return Protocol(
            min_reader_version=2 if for_readers else 1,
            min_writer_version=FEATURE_WRITER,
            writer_features=listed,
        )
    return Protocol(
        min_reader_version=FEATURE_READER,
        min_writer_version=FEATURE_WRITER,
        reader_features=for_readers,
        writer_features=listed,
    )


def _check_versions(protocol: Protocol, table: str, *, reading: bool) -> None:
    found = protocol.min_reader_version if reading else protocol.min_writer_version
    if found not in (SUPPORTED_READERS if reading else SUPPORTED_WRITERS):
        raise DeltaInvalidProtocolVersionError(
            "DELTA_INVALID_PROTOCOL_VERSION",
            tableNameOrPath=table,
            readerRequired=protocol.min_reader_version,
            writerRequired=protocol.min_writer_version,
            deltaVersion=_REFERENCE_VERSION,
            supportedReaders=SUPPORTED_READERS,
            supportedWriters=SUPPORTED_WRITERS,
        )


def _reader_features(protocol: Protocol) -> frozenset[str]:
    if protocol.min_reader_version == FEATURE_READER:
        return frozenset(protocol.reader_features or ())
    # Reader version 2 implies its features whatever the writer version is, also beside lists.
    return _implied(protocol.min_reader_version, FEATURE_WRITER - 1) & _READER_LEGACY


def _refused(
    names: Iterable[str], metadata: Metadata, support: Callable[[TableFeature], Support]
) -> list[str]:
    schema: StructType | None = None
    refused = []
    for name in sorted(names):
        feature = FEATURES.get(name)
        if feature is None or support(feature) is Support.NEVER:
            refused.append(name)
        elif support(feature) is Support.WHILE_UNUSED:
            # Parsing the schema is left to the few features for which it matters.
            schema = schema or schema_of(metadata)
            if feature.in_use(metadata.configuration, schema):
                refused.append(name)
    return refused


def schema_of(metadata: Metadata) -> StructType:
    """Read the schema of a table.

    Raises:
        DeltaIllegalStateError: The log holds no schema there.
    """
    try:
        return stored_schema_from_json(metadata.schema_string)
    except ValueError as reason:
        raise DeltaIllegalStateError(
            "DELTA_METADATA_SCHEMA_MALFORMED", id=metadata.id, reason=reason
        ) from reason


def _implied(reader: int, writer: int) -> frozenset[str]:
    return frozenset(
        feature.name
        for feature in LEGACY_FEATURES
        if feature.legacy is not None
        and writer >= feature.legacy[1]
        and (not feature.reader or reader >= feature.legacy[0])
    )


def _base_features(request: ProtocolRequest) -> frozenset[str]:
    """The features of a new table before anything asks for more."""
    if request.versions[1] is not None or request.ignore_defaults:
        return _request_versions(request)
    return _implied(*DEFAULT_VERSIONS)


def _request_versions(request: ProtocolRequest) -> frozenset[str]:
    """Return the features that requested versions imply; 3 and 7 imply none, theirs are listed."""
    reader, writer = request.versions
    if writer is None or writer == FEATURE_WRITER:
        return frozenset()
    return _implied(reader or 1, writer)


def _asked_for(configuration: Mapping[str, str], schema: StructType) -> frozenset[str]:
    return with_requirements(
        name for name, feature in FEATURES.items() if feature.asked_for(configuration, schema)
    )


def _known_features(named: Mapping[str, str]) -> frozenset[str]:
    unknown = sorted(name for name in named if find_feature(name) is None)
    if unknown:
        raise DeltaTableFeatureError(
            "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
            configs=", ".join(name + like_it(name, FEATURES) for name in unknown),
        )
    for name, status in named.items():
        # delta-spark accepts both words, and stores neither.
        if status.strip().lower() not in ("supported", "enabled"):
            raise DeltaTableFeatureError(
                "DELTA_UNSUPPORTED_FEATURE_STATUS", feature=name, status=status
            )
    return frozenset(found.name for name in named if (found := find_feature(name)))


def _is_reader_writer(name: str) -> bool:
    feature = FEATURES.get(name)
    return feature is not None and feature.reader


def _is_legacy(name: str) -> bool:
    feature = FEATURES.get(name)
    return feature is not None and feature.legacy is not None


def _by_registry(name: str) -> tuple[int, str]:
    return (_ORDER.get(name, len(_ORDER)), name)


_ORDER = {name: position for position, name in enumerate(FEATURES)}
_READER_LEGACY = frozenset(feature.name for feature in LEGACY_FEATURES if feature.reader)
