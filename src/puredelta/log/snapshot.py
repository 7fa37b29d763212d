"""One version of a table, as the log tells it; immutable."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    SetTransaction,
)
from puredelta.log.history import in_commit_timestamps_from, increasing, read_commit_info
from puredelta.log.replay import State, checked, read_tombstones
from puredelta.log.segment import LogSegment
from puredelta.schema.codec import MalformedTypeError, schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.store import Store


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a table is at one version.

    Attributes:
        store: Where it lies.
        segment: The files of the log from which it was read.
        protocol: What a client must know.
        metadata: Schema, partitioning, properties.
        files: The live files, as `log.files.FILES`.
        transactions: The newest entry of each application.
        domains: Named texts of features, by domain.
        commit_info: The commitInfo of the version, where it was read along with the rest.
    """

    store: Store
    segment: LogSegment
    protocol: Protocol
    metadata: Metadata
    files: pa.Table
    transactions: Mapping[str, SetTransaction]
    domains: Mapping[str, DomainMetadata]
    commit_info: CommitInfo | None = None

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
    def num_files(self) -> int:
        """How many files are live."""
        return int(self.files.num_rows)

    @cached_property
    def size_in_bytes(self) -> int:
        """The size of the live files."""
        return int(pc.sum(self.files["size"]).as_py() or 0)

    @cached_property
    def schema(self) -> StructType:
        """The schema, with the names that users see.

        Raises:
            DeltaIllegalStateError: The log holds something else than a schema.
        """
        try:
            return schema_from_json(self.metadata.schema_string)
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
            info = self.commit_info or read_commit_info(self.store, self.version)
            if info is not None and info.in_commit_timestamp is not None:
                return info.in_commit_timestamp
        segment = self.segment
        last = segment.commits or ((segment.last_commit,) if segment.last_commit else ())
        files = last or segment.checkpoint or ()
        return increasing([info.modified_ms for info in files])[-1]

    def tombstones(self) -> pa.Table:
        """Read the removed files that the log still remembers, as `log.files.TOMBSTONES`."""
        return read_tombstones(self.store, self.segment)

    @property
    def state(self) -> State:
        """What the next commit is applied to."""
        return State(
            self.protocol,
            self.metadata,
            self.transactions,
            self.domains,
            self.files,
            self.commit_info,
        )


def snapshot_of(store: Store, segment: LogSegment, state: State) -> Snapshot:
    """Make the snapshot of a segment whose state was told.

    Raises:
        DeltaIllegalStateError: The state has no protocol or no metadata.
    """
    protocol, metadata = checked(state, segment.version)
    return Snapshot(
        store=store,
        segment=segment,
        protocol=protocol,
        metadata=metadata,
        files=state.files,
        transactions=state.transactions,
        domains=state.domains,
        commit_info=state.commit_info,
    )
