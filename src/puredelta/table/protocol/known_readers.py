"""Engines that read Delta tables, and the protocols that they read: some lose access to others.

Releases of delta-spark are those that its documentation names as the first ones with a feature. The
other engines are tried: `tests/interop/test_known_readers.py` has them read a table with each
feature.

Protocol: Protocol Evolution, Table Features.
"""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.log.actions import Protocol
from puredelta.table.protocol.features import FEATURES
from puredelta.table.protocol.protocol import FEATURE_READER, features_of


@dataclass(frozen=True, slots=True)
class KnownReader:
    """A release of an engine.

    Attributes:
        name: the engine.
        version: the release; this one and, as far as known, later ones.
        features: the reader features that it knows.
        lists_features: does it know protocols that list their features, reader version 3?
    """

    name: str
    version: str
    features: frozenset[str]
    lists_features: bool = True

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def reads(self, protocol: Protocol) -> bool:
        """Say whether it reads tables of a protocol."""
        # These releases refuse reader version 3 even if its list of features is empty.
        if protocol.min_reader_version >= FEATURE_READER and not self.lists_features:
            return False
        return reader_features(protocol) <= self.features


def reader_features(protocol: Protocol) -> frozenset[str]:
    """Return the features that a reader must know, with the reader features unknown to us."""
    listed = frozenset(protocol.reader_features or ())
    known = (FEATURES.get(name) for name in features_of(protocol))
    return listed | {feature.name for feature in known if feature is not None and feature.reader}


_MAPPED = frozenset({"columnMapping"})
_VECTORS = _MAPPED | {"deletionVectors"}
_NTZ = _VECTORS | {"timestampNtz"}
_V2 = _NTZ | {"v2Checkpoint"}
_WIDENED = _V2 | {"typeWidening-preview", "vacuumProtocolCheck"}
_VARIANTS = frozenset({"variantType", "variantType-preview"})
_FOURTH = _WIDENED | {"typeWidening", "variantType-preview"}

KNOWN_READERS = (
    KnownReader("delta-spark", "1.0", frozenset(), lists_features=False),
    KnownReader("delta-spark", "2.0", _MAPPED, lists_features=False),
    KnownReader("delta-spark", "2.3", _VECTORS),
    KnownReader("delta-spark", "2.4", _NTZ),
    KnownReader("delta-spark", "3.0", _V2),
    KnownReader("delta-spark", "3.3", _WIDENED),
    KnownReader("delta-spark", "4.0", _FOURTH),
    KnownReader("delta-spark", "4.3", _FOURTH | {"variantType"}),
    KnownReader("deltalake", "1.6", _V2 | _VARIANTS),
    KnownReader(
        "duckdb", "1.5", _WIDENED | _VARIANTS | {"typeWidening", "variantShredding-preview"}
    ),
)
"""Releases whose reading differs, oldest first for each engine."""


def readers_lost(before: Protocol, after: Protocol) -> tuple[KnownReader, ...]:
    """Return the readers that read one protocol and not another."""
    return tuple(
        reader for reader in KNOWN_READERS if reader.reads(before) and not reader.reads(after)
    )
