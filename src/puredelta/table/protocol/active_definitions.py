"""Which definitions of columns count: those of features that the protocol of the table has.

Protocol: Generated Columns, Identity Columns. Under a protocol without the feature the metadata of
a column has no effect, and rows may contradict it; a later commit must not put it into force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from puredelta.log.actions import Metadata, Protocol
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructField
from puredelta.schema.walk import each_field
from puredelta.table.protocol.feature_activation import GENERATION_KEY, IDENTITY_PREFIX
from puredelta.table.protocol.protocol import features_of, schema_of

_DEFINITIONS: Mapping[str, str] = {
    "generatedColumns": GENERATION_KEY,
    "identityColumns": IDENTITY_PREFIX,
}


def active_definitions(metadata: Metadata, protocol: Protocol) -> Metadata:
    """Leave out how columns are generated and numbered where the protocol does not know it.

    Returns:
        The very same metadata when all of it counts.
    """
    known = features_of(protocol)
    stale = tuple(key for feature, key in _DEFINITIONS.items() if feature not in known)
    # Nearly all schemas contain none of the keys; their text is not parsed.
    if not any(key in metadata.schema_string for key in stale):
        return metadata
    before = schema_of(metadata)
    after = each_field(before, lambda field: _without(field, stale))
    if after == before:
        return metadata
    return msgspec.structs.replace(metadata, schema_string=schema_to_json(after))


def _without(field: StructField, keys: tuple[str, ...]) -> StructField:
    kept = {key: value for key, value in field.metadata.items() if not key.startswith(keys)}
    return field if len(kept) == len(field.metadata) else replace(field, metadata=kept)
