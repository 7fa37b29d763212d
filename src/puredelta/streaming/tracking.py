"""How a stream that keeps its columns in a log of its own goes from one set of them to the next.

At a version with other columns a batch ends (METADATA_CHANGE), and so does the next one
(POST_METADATA_CHANGE), which has no rows. Then the new columns are put into the log, and the query
fails once; started again, it reads with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import AddCdcFile, AddFile, Format, Metadata, Protocol, RemoveFile
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.streaming.commits import Commit, CommitReader
from puredelta.streaming.offsets import Offset
from puredelta.streaming.schema_checks import describe_changes
from puredelta.streaming.schema_log import SchemaLog, TrackedSchema, tracked
from puredelta.table.protocol.feature_activation import IDENTITY_PREFIX, TYPE_CHANGES_KEY
from puredelta.table.protocol.protocol import features_of, schema_of

_OF_DELTA = "delta."
_INTERNAL = (IDENTITY_PREFIX, TYPE_CHANGES_KEY)


@dataclass(kw_only=True)
class Tracking:
    """The columns of one stream, by its log of them.

    Attributes:
        log: of the stream.
        table: the version of the table that the query was started with.
        source: the folder of the source in the checkpoint.
    """

    log: SchemaLog
    table: Snapshot
    source: str

    def __post_init__(self) -> None:
        self._entry = self.log.newest()

    @property
    def read(self) -> Snapshot:
        """What the stream reads with: its columns, and what else the table is."""
        return self.table if self._entry is None else as_tracked(self.table, self._entry[1])

    @property
    def is_empty(self) -> bool:
        """Whether the stream has not kept any columns yet."""
        return self._entry is None

    @property
    def version(self) -> int:
        """The version from which on the columns are in force."""
        return self.table.version if self._entry is None else self._entry[1].delta_commit_version

    def is_pending(self, offset: Offset) -> bool:
        """Say whether a stream that is at a change of columns does not have the new ones yet."""
        return offset.is_barrier and offset.version > self.version

    def changes(self, commit: Commit) -> bool:
        """Say whether a commit makes the columns others than the stream has.

        Properties of the table and its protocol count, as they say how columns are read.
        """
        if self._entry is None or commit.version <= self.version:
            return False
        read, metadata, protocol = self.read, commit.metadata, commit.protocol
        if protocol is not None and _differ(read.protocol, protocol):
            return True
        return metadata is not None and _columns_differ(read.metadata, metadata)

    def begin(self, metadata: Metadata, protocol: Protocol, version: int) -> None:
        """Keep the columns that a stream starts with, where it has kept none.

        Args:
            metadata: of the version that the stream starts with.
            protocol: of that version.
            version: the version.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_METADATA_EVOLUTION when the query was analysed with
                other columns.
        """
        entry = tracked(metadata, protocol, version, self.source)
        self._entry = self.log.write(entry), entry
        if not has_same_columns(metadata, self.table.metadata):
            raise _evolution(self.table.metadata, metadata, protocol, version)

    def finish(self, end: Offset, commits: CommitReader) -> None:
        """Keep the new columns once all that comes before them is written.

        Args:
            end: of a batch that has been written.
            commits: reads the log of the table.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_METADATA_EVOLUTION once the new columns are kept: the
                query has to be started again.
        """
        if not self.is_pending(end) or self._entry is None:
            return
        number, _ = self._entry
        before = self.read
        commit = next((commits.read(v, info) for v, info in commits.versions(end.version)), None)
        if commit is None or commit.version != end.version:
            return
        metadata = commit.metadata or before.metadata
        protocol = commit.protocol or before.protocol
        entry = tracked(metadata, protocol, end.version, self.source, previous=number)
        self._entry = self.log.write(entry), entry
        raise _evolution(before.metadata, metadata, protocol, end.version)

    def entries(self) -> tuple[TrackedSchema, TrackedSchema] | None:
        """Return the entry before and the one that is in force; None where there is only one."""
        if self._entry is None:
            return None
        number, entry = self._entry
        before = entry.previous_metadata_seq_num
        if before is None:
            # delta-spark names the one before only where it merged entries.
            before = number - 1
        return None if before < 0 else (self.log.read(before), entry)


def merge_entries(log: SchemaLog, commits: CommitReader) -> None:
    """Make one entry of changes of columns that follow each other without any files in between.

    The query then fails once, and not for each change. It is done before a query is analysed.

    Args:
        log: of the stream.
        commits: reads the log of the table.
    """
    found = log.newest()
    if found is None:
        return
    _, entry = found
    merged = entry
    # The version of the entry itself comes first: where it has files, the stream has to read them
    # with its columns.
    for version, info in commits.versions(entry.delta_commit_version):
        commit = commits.read(version, info)
        metadata, protocol = commit.metadata, commit.protocol
        known = protocol or merged.protocol
        if known is None or (metadata is None and protocol is None) or _has_files(commit):
            break
        if version > entry.delta_commit_version:
            newest = metadata or _metadata_of(merged)
            merged = tracked(newest, known, version, entry.source_metadata_path)
    if merged is not entry:
        # It takes the place of the entry, so what was in force before it is the same.
        before = entry.previous_metadata_seq_num
        log.write(msgspec.structs.replace(merged, previous_metadata_seq_num=before))


def as_tracked(table: Snapshot, entry: TrackedSchema) -> Snapshot:
    """Return a version of a table with the columns of an entry."""
    return replace(
        table,
        metadata=entry.metadata(table.metadata),
        protocol=entry.protocol or table.protocol,
    )


def has_same_columns(before: Metadata, after: Metadata) -> bool:
    """Say whether two versions have the same columns, with the same partitioning."""
    return (before.schema_string, before.partition_columns) == (
        after.schema_string,
        after.partition_columns,
    )


def _metadata_of(entry: TrackedSchema) -> Metadata:
    nothing = Metadata(id=entry.table_id, format=Format(), partition_columns=[], configuration={})
    return entry.metadata(nothing)


def _has_files(commit: Commit) -> bool:
    return any(isinstance(a, (AddFile, RemoveFile, AddCdcFile)) for a in commit.actions)


def _differ(before: Protocol, after: Protocol) -> bool:
    versions = before.min_reader_version, before.min_writer_version
    return (after.min_reader_version, after.min_writer_version) != versions or (
        features_of(before) != features_of(after)
    )


def _columns_differ(before: Metadata, after: Metadata) -> bool:
    return (
        before.partition_columns != after.partition_columns
        or _of_delta(before) != _of_delta(after)
        or _shown(schema_of(before)) != _shown(schema_of(after))
    )


def _of_delta(metadata: Metadata) -> dict[str, str]:
    return {k: v for k, v in metadata.configuration.items() if k.startswith(_OF_DELTA)}


def _shown(schema: StructType) -> StructType:
    return each_field(schema, _without_internal)


def _without_internal(field: StructField) -> StructField:
    kept = {key: value for key, value in field.metadata.items() if not key.startswith(_INTERNAL)}
    return replace(field, metadata=kept)


def _evolution(
    before: Metadata, after: Metadata, protocol: Protocol, version: int
) -> DeltaRuntimeError:
    return DeltaRuntimeError(
        "DELTA_STREAMING_METADATA_EVOLUTION",
        version=version,
        changes=describe_changes(before, after),
        schema=after.schema_string,
        config=dict(after.configuration),
        protocol=msgspec.json.encode(protocol).decode(),
    )
