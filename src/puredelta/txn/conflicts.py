"""May an attempt follow a commit that came first? `RULES`, in the order in which they are asked.

A rule looks at one winning commit and says what is in the way, or None. Isolation is Serializable:
the outcome must be one that the commits could have had one after the other. Commits that move rows
without changing them run under SnapshotIsolation, which overlooks files that others added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property

import msgspec

from puredelta.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    DeltaConcurrentModificationError,
    MetadataChangedError,
    ProtocolChangedError,
)
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
)
from puredelta.log.files import canonical_path
from puredelta.table.features import FEATURES
from puredelta.table.protocol import features_of
from puredelta.txn.commit_info import SNAPSHOT_ISOLATION
from puredelta.txn.read_set import ReadSet

DOC_LINK = "https://docs.delta.io/concurrency-control/"

ROW_TRACKING_DOMAIN = "delta.rowTracking"
IDENTITY_ONLY_TAG = "delta.identity.schemaUpdate"


@dataclass(frozen=True)
class Winner:
    """A commit that came first."""

    version: int
    actions: tuple[Action, ...]

    @cached_property
    def info(self) -> CommitInfo:
        """What it says about itself; empty when it says nothing."""
        return next((one for one in self.actions if isinstance(one, CommitInfo)), CommitInfo())

    @cached_property
    def protocol(self) -> Protocol | None:
        """The protocol it sets."""
        return next((one for one in self.actions if isinstance(one, Protocol)), None)

    @cached_property
    def metadata(self) -> Metadata | None:
        """The metadata it sets."""
        return next((one for one in self.actions if isinstance(one, Metadata)), None)

    @cached_property
    def adds(self) -> list[AddFile]:
        """The files it adds."""
        return [one for one in self.actions if isinstance(one, AddFile)]

    @cached_property
    def removes(self) -> list[RemoveFile]:
        """The files it removes."""
        return [one for one in self.actions if isinstance(one, RemoveFile)]

    @property
    def operation(self) -> str:
        """Name of what it did."""
        return self.info.operation or "unknown operation"

    @property
    def time(self) -> str:
        """When it was made, by its own clock."""
        if self.info.timestamp is None:
            return "unknown time"
        moment = datetime.fromtimestamp(self.info.timestamp / 1000, tz=timezone.utc)
        return moment.strftime("%Y-%m-%d %H:%M:%S UTC")

    def summary(self) -> str:
        """Everything it says about itself, as JSON with its version in front."""
        info = msgspec.json.decode(msgspec.json.encode(self.info))
        return msgspec.json.encode({"version": self.version, **info}).decode()


@dataclass(frozen=True)
class Attempt:
    """A commit that was prepared for a version which another took.

    Attributes:
        table: Name or path of the table, for messages.
        reads: What it depends on.
        actions: What it would write, without commit info.
        partition_columns: How the table was partitioned when it was read.
        protocol: The protocol under which it was prepared; None when the table was not there.
        isolation: Serializable or SnapshotIsolation.
    """

    table: str
    reads: ReadSet
    actions: tuple[Action, ...] = ()
    partition_columns: tuple[str, ...] = ()
    protocol: Protocol | None = None
    isolation: str = field(default="Serializable")

    @cached_property
    def removed_paths(self) -> frozenset[str]:
        """Decoded paths of the files that it removes."""
        return frozenset(
            canonical_path(one.path) for one in self.actions if isinstance(one, RemoveFile)
        )

    @cached_property
    def app_ids(self) -> frozenset[str]:
        """Applications whose version it read or writes."""
        written = (one.app_id for one in self.actions if isinstance(one, SetTransaction))
        return self.reads.app_ids | frozenset(written)

    @cached_property
    def domains(self) -> frozenset[str]:
        """Metadata domains that it writes."""
        return _domains(self.actions)

    def writes(self, kind: type[Metadata | Protocol]) -> bool:
        """Tell whether it sets the metadata, or the protocol."""
        return any(isinstance(one, kind) for one in self.actions)


Conflict = DeltaConcurrentModificationError

# The condition without and with a hint at the partition.
_FILE_CONDITIONS: Mapping[type[Conflict], tuple[str, str]] = {
    ConcurrentAppendError: (
        "DELTA_CONCURRENT_APPEND.WITHOUT_HINT",
        "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT",
    ),
    ConcurrentDeleteReadError: (
        "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT",
        "DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT",
    ),
    ConcurrentDeleteDeleteError: (
        "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT",
        "DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT",
    ),
}

Rule = Callable[[Attempt, Winner], "Conflict | None"]


def first_conflict(attempt: Attempt, winner: Winner) -> Conflict | None:
    """Say why `attempt` cannot follow `winner`, or None when it can."""
    return next((found for rule in RULES if (found := rule(attempt, winner))), None)


def version_taken(winner: Winner) -> ConcurrentWriteError:
    """The conflict of an operation that makes one attempt only."""
    return ConcurrentWriteError(
        "DELTA_CONCURRENT_WRITE", conflictingCommit=winner.summary(), docLink=DOC_LINK
    )


def protocol_moved(attempt: Attempt, winner: Winner) -> Conflict | None:
    """Two protocol changes never pass; one passes if it drops nothing and adds nothing grave."""
    if winner.protocol is None:
        return None
    before = features_of(attempt.protocol) if attempt.protocol is not None else frozenset()
    after = features_of(winner.protocol)
    created = attempt.protocol is None
    harmless = before <= after and not any(_is_grave(name) for name in after - before)
    if harmless and not created and not attempt.writes(Protocol):
        return None
    return ProtocolChangedError(
        "DELTA_PROTOCOL_CHANGED",
        additionalInfo="Another writer created the table first. " if created else "",
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def metadata_moved(attempt: Attempt, winner: Winner) -> Conflict | None:
    """New metadata stops everyone, but for identity marks, which no other commit depends on."""
    if winner.metadata is None:
        return None
    marks_only = (winner.info.tags or {}).get(IDENTITY_ONLY_TAG) == "true"
    if marks_only and not attempt.writes(Metadata):
        return None
    return MetadataChangedError(
        "DELTA_METADATA_CHANGED",
        tableName=attempt.table,
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def domain_moved(attempt: Attempt, winner: Winner) -> Conflict | None:
    """Two commits cannot both set a domain; row tracking merges by itself."""
    if (attempt.domains & _domains(winner.actions)) - {ROW_TRACKING_DOMAIN}:
        return _concurrent_transaction(winner)
    return None


def app_moved(attempt: Attempt, winner: Winner) -> Conflict | None:
    """An application's version that we looked up, or set, must not move under us."""
    theirs = {one.app_id for one in winner.actions if isinstance(one, SetTransaction)}
    return _concurrent_transaction(winner) if theirs & attempt.app_ids else None


def read_files_were_added(attempt: Attempt, winner: Winner) -> Conflict | None:
    """A file that we would have read, had it been there; only partitions tell files apart."""
    if attempt.isolation == SNAPSHOT_ISOLATION:
        return None
    found = next((one for one in winner.adds if _would_read(attempt, one)), None)
    if found is None:
        return None
    return _file_conflict(ConcurrentAppendError, attempt, winner, found.partition_values)


def read_files_were_removed(attempt: Attempt, winner: Winner) -> Conflict | None:
    """A file that we read is gone."""
    for one in winner.removes:
        if attempt.reads.whole_table or canonical_path(one.path) in attempt.reads.files:
            return _file_conflict(
                ConcurrentDeleteReadError,
                attempt,
                winner,
                one.partition_values,
            )
    return None


def both_removed(attempt: Attempt, winner: Winner) -> Conflict | None:
    """A file that we remove was removed already."""
    for one in winner.removes:
        if canonical_path(one.path) in attempt.removed_paths:
            return _file_conflict(
                ConcurrentDeleteDeleteError,
                attempt,
                winner,
                one.partition_values,
            )
    return None


RULES: tuple[Rule, ...] = (
    protocol_moved,
    metadata_moved,
    domain_moved,
    app_moved,
    read_files_were_added,
    read_files_were_removed,
    both_removed,
)


def _is_grave(name: str) -> bool:
    return name not in FEATURES or FEATURES[name].blocks_others


def _would_read(attempt: Attempt, add: AddFile) -> bool:
    if attempt.reads.whole_table:
        return True
    if not attempt.partition_columns:
        return bool(attempt.reads.predicates)
    return any(predicate.matches(add.partition_values) for predicate in attempt.reads.predicates)


def _domains(actions: Iterable[Action]) -> frozenset[str]:
    return frozenset(one.domain for one in actions if isinstance(one, DomainMetadata))


def _concurrent_transaction(winner: Winner) -> Conflict:
    return ConcurrentTransactionError(
        "DELTA_CONCURRENT_TRANSACTION", conflictingCommit=winner.summary(), docLink=DOC_LINK
    )


def _file_conflict(
    kind: type[Conflict],
    attempt: Attempt,
    winner: Winner,
    partition_values: dict[str, str | None] | None,
) -> Conflict:
    told = {
        "operation": winner.operation,
        "tableName": attempt.table,
        "version": winner.version,
        "commitTime": winner.time,
        "docLink": DOC_LINK,
    }
    without_hint, with_hint = _FILE_CONDITIONS[kind]
    if not attempt.partition_columns or not partition_values:
        return kind(without_hint, **told)
    shown = _partition_text(attempt.partition_columns, partition_values)
    return kind(with_hint, partitionValues=shown, **told)


def _partition_text(columns: Sequence[str], values: dict[str, str | None]) -> str:
    """Write partition values as users do in a condition: `[p=1, q=null]`."""
    pairs = (f"{name}={'null' if values.get(name) is None else values[name]}" for name in columns)
    return f"[{', '.join(pairs)}]"
