"""One version of a table, as the log says it; immutable."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from puredelta.errors import DeltaError, DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.log.actions import (
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    SetTransaction,
)
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.checksum import Checksum, disagreements, read_checksum
from puredelta.log.damaged_files import other_segments, read_with_fallbacks
from puredelta.log.files import total_bytes
from puredelta.log.history import in_commit_timestamps_from, increasing, read_commit_info
from puredelta.log.live_files import EMPTY, LiveFiles
from puredelta.log.names import LOG_FOLDER
from puredelta.log.replay import State, checked, read_tombstones, replay
from puredelta.log.segment import LogSegment, load_segment
from puredelta.schema.codec import MalformedTypeError, stored_schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.store import ObjectNotFound, Store

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a table is at one version.

    Attributes:
        store: Where it lies.
        segment: The files of the log from which it was read.
        protocol: What a client must know.
        metadata: Schema, partitioning, properties.
        live: The live files, which are read when they are first asked for.
        transactions: The newest entry of each application.
        domains: Named texts of features, by domain.
        commit_info: The commitInfo of the version, where it was read along with the rest.
        made_checksum: The checksum that follows from the version before, for a commit of our own.
    """

    store: Store
    segment: LogSegment
    protocol: Protocol
    metadata: Metadata
    live: LiveFiles
    transactions: Mapping[str, SetTransaction]
    domains: Mapping[str, DomainMetadata]
    commit_info: CommitInfo | None = None
    made_checksum: Checksum | None = None

    def __repr__(self) -> str:
        return f"Snapshot({self.store.url!r}, version={self.version})"

    @property
    def version(self) -> int:
        """The version."""
        return self.segment.version

    @property
    def configuration(self) -> Mapping[str, str]:
        """The table properties, as they were set."""
        return self.metadata.configuration

    @property
    def partition_columns(self) -> list[str]:
        """The names of the partition columns, in order."""
        return self.metadata.partition_columns

    @property
    def files(self) -> pa.Table:
        """The live files, as `log.files.FILES`; read when first asked for.

        Raises:
            DeltaIllegalStateError: A file of the log is damaged, and nothing stands in for it.
            DeltaFileNotFoundError: The log was cleaned up since, and the version with it.
        """
        return self.live.table(self._files_otherwise)

    def check_files(self) -> None:
        """Refuse a version whose files cannot be determined, before another version follows it.

        Commits since the checkpoint are decoded, once for all versions that follow. The rows of a
        checkpoint are not read: an append to many files must not cost as much as reading them.

        Raises:
            DeltaIllegalStateError: A commit is damaged, and nothing stands in for it.
            DeltaFileNotFoundError: The log was cleaned up since, and the version with it.
        """
        try:
            self.live.check_newer()
        except DeltaIllegalStateError:
            # Another checkpoint may contain what the damaged commit did; otherwise this raises.
            self.live.table(self._files_otherwise)

    @cached_property
    def checksum(self) -> Checksum | None:
        """The version's checksum, or None when it has none or a wrong one."""
        found = self.made_checksum or read_checksum(self.store, self.version)
        if found is None:
            return None
        faults = disagreements(found, self.protocol, self.metadata, self.commit_info)
        if faults:
            _logger.warning("passing over the checksum of %s: %s", self, "; ".join(faults))
        return None if faults else found

    @property
    def num_files(self) -> int:
        """How many files are live; the checksum says it until the files are read."""
        if self.live.loaded is None and self.checksum is not None and self.checksum.is_proven:
            return self.checksum.num_files
        return int(self.files.num_rows)

    @property
    def size_in_bytes(self) -> int:
        """The size of the live files; the checksum says it until the files are read."""
        known = self.known_size
        return total_bytes(self.files) if known is None else known

    @property
    def known_size(self) -> int | None:
        """The size of the live files in bytes, or None when it takes reading them to say it."""
        if self.live.loaded is not None:
            return total_bytes(self.live.loaded)
        if self.checksum is not None and self.checksum.is_proven:
            return self.checksum.table_size_bytes
        return None

    @property
    def expected_files(self) -> int | None:
        """About how many files are live, as far as that can be known without reading them."""
        if self.live.loaded is not None:
            return int(self.live.loaded.num_rows)
        # For an estimate a checksum is good enough that nothing proves.
        if self.checksum is not None:
            return self.checksum.num_files
        hint = read_last_checkpoint(self.store)
        return None if hint is None else hint.num_of_add_files

    @cached_property
    def schema(self) -> StructType:
        """The schema, with the names that users see.

        Raises:
            DeltaIllegalStateError: The log holds something else than a schema.
        """
        try:
            return stored_schema_from_json(self.metadata.schema_string)
        except MalformedTypeError as error:
            raise DeltaIllegalStateError(
                "DELTA_SCHEMA_MALFORMED",
                version=self.version,
                path=self.store.url,
                reason=error,
            ) from error

    @cached_property
    def timestamp_ms(self) -> int:
        """When the version was made, in milliseconds since 1970.

        The in-commit timestamp where the table has them, else the time of the commit file, made
        to increase from one version to the next.
        """
        since = in_commit_timestamps_from(self.metadata)
        if since is not None and self.version >= since:
            # Checkpoints and compactions have no commitInfo, so it may not have been read.
            info = self.commit_info or read_commit_info(self.store, self.version)
            if info is not None and info.in_commit_timestamp is not None:
                return info.in_commit_timestamp
        return self.modified_ms

    @property
    def modified_ms(self) -> int:
        """When the newest commit file was written, in milliseconds since 1970.

        Made to increase from one version to the next. In-commit timestamps do not count here.
        """
        segment = self.segment
        last = segment.commits or ((segment.last_commit,) if segment.last_commit else ())
        files = last or segment.checkpoint or ()
        return increasing([info.modified_ms for info in files])[-1]

    def tombstones(self) -> pa.Table:
        """Read the removed files that the log still remembers, as `log.files.TOMBSTONES`."""
        return read_with_fallbacks(
            self.store, self.segment, lambda segment: read_tombstones(self.store, segment)
        )

    def _files_otherwise(self, error: Exception) -> pa.Table:
        same = replace(self.state, live=EMPTY)
        return _files_read_again(self.store, self.segment, same, error)

    @property
    def state(self) -> State:
        """What the next commit is applied to."""
        return State(
            self.protocol,
            self.metadata,
            self.transactions,
            self.domains,
            self.live,
            self.commit_info,
        )


def snapshot_of(store: Store, segment: LogSegment, state: State) -> Snapshot:
    """Make the snapshot of a segment whose state is known.

    Raises:
        DeltaIllegalStateError: The state has no protocol or no metadata.
    """
    protocol, metadata = checked(state, segment.version)
    return Snapshot(
        store=store,
        segment=segment,
        protocol=protocol,
        metadata=metadata,
        live=state.live,
        transactions=state.transactions,
        domains=state.domains,
        commit_info=state.commit_info,
    )


# ------------------------------------------------------------- files of a version whose log changed


def _files_read_again(
    store: Store, segment: LogSegment, known: State, error: Exception
) -> pa.Table:
    """Read the files of a version when a file of its segment is gone or damaged.

    Log cleanup removes checkpoints that newer ones make needless; a newer one up to the version
    then says the same. The result counts only if it is the same version of the same table.

    Args:
        store: Where the table lies.
        segment: What could not be read.
        known: What is known of the version, but for its files.
        error: What was wrong.

    Raises:
        DeltaFileNotFoundError: The version cannot be read any more.
        DeltaIllegalStateError: A file of the log is damaged, and nothing stands in for it.
    """
    for other in _segments(store, segment):
        files = _files_if_same(store, other, known)
        if files is not None:
            _logger.warning("version %d of %s: %s", segment.version, store.url, error)
            return files
    if not isinstance(error, ObjectNotFound):
        raise error
    raise DeltaFileNotFoundError(
        "DELTA_LOG_FILE_NOT_FOUND",
        version=segment.version,
        checkpointVersion=segment.checkpoint_version,
        logPath=f"{store.url}/{LOG_FOLDER}",
    ) from error


def _segments(store: Store, segment: LogSegment) -> Iterator[LogSegment]:
    try:
        fresh = load_segment(store, segment.version)
    except DeltaError:
        return
    # Another commit file of this version belongs to a table that was created again in the folder.
    if fresh.last_commit in (segment.last_commit, None):
        yield fresh
        yield from other_segments(store, fresh)


def _files_if_same(store: Store, segment: LogSegment, known: State) -> pa.Table | None:
    try:
        state = replay(store, segment)
        # Where cleanup removed the commit file, this comparison stands in for that of the files.
        if (state.protocol, state.metadata) != (known.protocol, known.metadata):
            return None
        return state.live.table()
    except (DeltaIllegalStateError, ObjectNotFound):
        return None
