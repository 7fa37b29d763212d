"""What is cloned: the definition of a table, and its files as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from puredelta.log.actions import AddFile, DomainMetadata, Metadata, Protocol
from puredelta.log.files import each_file
from puredelta.log.snapshot import Snapshot
from puredelta.table.protocol.protocol import check_readable

NO_VERSION = -1
"""The version that history shows of a source without versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneSource:
    """What is cloned.

    Attributes:
        label: What history calls it: `spark_catalog.default.t`, or ``delta.`file:/t` ``.
        url: Its folder, which relative paths of files start from.
        version: Its version; `NO_VERSION` for a source without any.
        metadata: Schema, partitioning and properties at that version.
        protocol: The features that its files and its definition need.
        domains: Its metadata domains.
        files: Its live files, which can be gone through more than once.
        num_files: How many there are.
        size: Their size in bytes.
    """

    label: str
    url: str
    version: int = NO_VERSION
    metadata: Metadata
    protocol: Protocol
    domains: Mapping[str, DomainMetadata] = field(default_factory=dict)
    files: Iterable[AddFile]
    num_files: int
    size: int


def delta_source(label: str, snapshot: Snapshot) -> CloneSource:
    """Return one version of a Delta table as a source.

    Args:
        label: What history calls the table.
        snapshot: The version.

    Raises:
        DeltaInvalidProtocolVersionError: The table's versions are above ours.
        DeltaTableFeatureError: The table needs a feature that we cannot honour.
    """
    check_readable(snapshot.protocol, snapshot.metadata, label)
    return CloneSource(
        label=label,
        url=snapshot.store.url,
        version=snapshot.version,
        metadata=snapshot.metadata,
        protocol=snapshot.protocol,
        domains=snapshot.domains,
        files=_LiveFiles(snapshot),
        num_files=snapshot.num_files,
        size=snapshot.size_in_bytes,
    )


@dataclass(frozen=True, slots=True)
class _LiveFiles:
    """The live files of a version, of which few are records at a time."""

    snapshot: Snapshot

    def __iter__(self) -> Iterator[AddFile]:
        yield from each_file(self.snapshot.files)
