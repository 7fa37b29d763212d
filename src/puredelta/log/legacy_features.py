"""The table features that the numbered protocol versions stand for.

Protocol: Valid Feature Names in Table Features.
"""

from puredelta.log.actions import Protocol

TABLE_FEATURES_READER = 3
"""From this reader version on, reader features are listed by name."""

TABLE_FEATURES_WRITER = 7
"""From this writer version on, writer features are listed by name."""

# The version that brought each feature; a higher one implies it.
_BY_WRITER_VERSION = {
    "appendOnly": 2,
    "invariants": 2,
    "checkConstraints": 3,
    "changeDataFeed": 4,
    "generatedColumns": 4,
    "columnMapping": 5,
    "identityColumns": 6,
}


def feature_names(protocol: Protocol) -> list[str]:
    """Name all features of a protocol, those that are implied too, sorted."""
    if protocol.min_writer_version >= TABLE_FEATURES_WRITER:
        return sorted({*(protocol.reader_features or []), *(protocol.writer_features or [])})
    version = protocol.min_writer_version
    return sorted(name for name, since in _BY_WRITER_VERSION.items() if since <= version)
