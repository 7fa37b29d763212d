"""A transaction: what was read, then one commit that lands as the next version or fails by name.

A lost race is no failure yet: the winners are read, and if none of them is in the way the same
actions are tried again behind them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from puredelta._util.clock import now_ms
from puredelta.errors import DeltaIllegalStateError, DeltaRuntimeError
from puredelta.log.actions import Action, Metadata, Protocol, decode_commit, encode_commit
from puredelta.log.names import LOG_FOLDER, LogFileKind, commit_name, parse
from puredelta.log.refresh import TableLog
from puredelta.log.snapshot import Snapshot
from puredelta.table.properties import IN_COMMIT_TIMESTAMPS
from puredelta.table.protocol import check_writable, upgraded
from puredelta.txn.after import after_commit
from puredelta.txn.commit_info import Operation, engine_info
from puredelta.txn.committer import Committed, Committer, FileSystemCommitter, Outcome, Unknown
from puredelta.txn.conflicts import Attempt, Winner, first_conflict, version_taken
from puredelta.txn.prepare import Draft, check
from puredelta.txn.read_set import Matches, ReadSet
from puredelta.txn.stamp import Stamp, stamped

MAX_ATTEMPTS = 10_000_000
# How often a version is tried again when the store does not answer clearly.
_MAX_UNCLEAR = 3


@dataclass(frozen=True, slots=True)
class CommitResult:
    """A commit that landed.

    Attributes:
        version: The version it became.
        snapshot: The table at that version.
    """

    version: int
    snapshot: Snapshot


class Transaction:
    """Reads one version and makes the next.

    Args:
        log: The table.
        snapshot: The version that is read; None when the table is to be created.
        now: The clock, in milliseconds since 1970.
        engine: Who commits; see `engine_info`.
        table: Name of the table for messages; its location when there is none.
        committer: How versions are made; by default as files in the log folder.
    """

    def __init__(
        self,
        log: TableLog,
        snapshot: Snapshot | None,
        *,
        now: Callable[[], int] = now_ms,
        engine: str | None = None,
        table: str | None = None,
        committer: Committer | None = None,
    ) -> None:
        self.log = log
        self.snapshot = snapshot
        self.reads = ReadSet()
        self._now = now
        self._engine = engine_info() if engine is None else engine
        self._table = log.store.url if table is None else table
        self._committer = committer or FileSystemCommitter(log.store)

    def read_whole_table(self) -> None:
        """Depend on every file: any that comes or goes is a conflict."""
        self.reads = self.reads.with_whole_table()

    def read_files(self, paths: Iterable[str]) -> None:
        """Depend on files, by the path that the snapshot shows."""
        self.reads = self.reads.with_files(paths)

    def read_partitions(self, predicate: Matches, text: str) -> None:
        """Depend on the files whose partition values satisfy a condition, those to come as well.

        Args:
            predicate: Tells it for partition values; must say True when in doubt.
            text: The condition, for messages.
        """
        self.reads = self.reads.with_predicate(predicate, text)

    def read_app(self, app_id: str) -> int | None:
        """Look up the last version that an application wrote, and depend on it."""
        self.reads = self.reads.with_app(app_id)
        found = self.snapshot.transactions.get(app_id) if self.snapshot is not None else None
        return found.version if found is not None else None

    def commit(
        self,
        actions: Sequence[Action],
        operation: Operation,
        *,
        metadata: Metadata | None = None,
        protocol: Protocol | None = None,
        is_blind_append: bool | None = None,
        user_metadata: str | None = None,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> CommitResult:
        """Make the next version.

        Args:
            actions: Files, transactions and domains, without metadata, protocol and commit info.
            operation: What history shows.
            metadata: New metadata; the protocol is raised to what it needs.
            protocol: New protocol, when it is asked for by name.
            is_blind_append: What the commit says of itself; by default what it is.
            user_metadata: A text of the user's for history.
            max_attempts: With 1, any other writer who comes first is a conflict.

        Raises:
            DeltaConcurrentModificationError: Another commit came first and is in the way.
            DeltaError: The commit breaks a rule of the table; nothing was written.
        """
        draft = self._draft(actions, operation, metadata, protocol)
        check(draft)
        stamp = Stamp(
            operation=operation,
            read_version=None if self.snapshot is None else self.snapshot.version,
            is_blind_append=draft.is_blind_append if is_blind_append is None else is_blind_append,
            engine=self._engine,
            token=str(uuid.uuid4()),
            user_metadata=user_metadata,
        )
        version, written = self._land(draft, stamp, max_attempts)
        snapshot = self.log.after_commit(version, written)
        after_commit(snapshot, self._now())
        return CommitResult(version, snapshot)

    def _draft(
        self,
        actions: Sequence[Action],
        operation: Operation,
        metadata: Metadata | None,
        protocol: Protocol | None,
    ) -> Draft:
        base = self.snapshot
        if base is not None and metadata is not None:
            needed = upgraded(protocol or base.protocol, metadata)
            protocol = needed if needed != base.protocol else None
        return Draft(
            table=self._table,
            operation=operation.name,
            reads=self.reads,
            actions=tuple(actions),
            base_metadata=None if base is None else base.metadata,
            base_protocol=None if base is None else base.protocol,
            new_metadata=metadata,
            new_protocol=protocol,
        )

    def _land(self, draft: Draft, stamp: Stamp, max_attempts: int) -> tuple[int, list[Action]]:
        """Try version after version until one is ours."""
        version = first = 0 if self.snapshot is None else self.snapshot.version + 1
        previous = self._time_read(draft)
        attempt = _attempt(draft)
        started = self._now()
        for _ in range(max_attempts):
            actions = stamped(draft, stamp, version, self._now(), previous)
            if isinstance(self._settle(version, encode_commit(actions), stamp.token), Committed):
                return version, actions
            winners = self._winners(version)
            if max_attempts == 1:
                raise version_taken(winners[0])
            for winner in winners:
                self._follow(attempt, winner, draft)
                previous = max(previous, _time_of(winner))
            version = winners[-1].version + 1
        raise DeltaIllegalStateError(
            "DELTA_MAX_COMMIT_RETRIES_EXCEEDED",
            numAttempts=max_attempts,
            startVersion=first,
            failVersion=version,
            numActions=len(draft.actions),
            timeSpent=self._now() - started,
        )

    def _time_read(self, draft: Draft) -> int:
        """The time of the version read; costs a look at the log, so only where it is needed."""
        if self.snapshot is None or not IN_COMMIT_TIMESTAMPS.of(draft.metadata.configuration):
            return 0
        return self.snapshot.timestamp_ms

    def _follow(self, attempt: Attempt, winner: Winner, draft: Draft) -> None:
        """Check that the attempt may come after a winner.

        Raises:
            DeltaConcurrentModificationError: It may not.
            DeltaTableFeatureError: The winner made the table one that we cannot write.
        """
        if winner.protocol is not None:
            metadata = winner.metadata or draft.metadata
            check_writable(winner.protocol, metadata, self._table)
        conflict = first_conflict(attempt, winner)
        if conflict is not None:
            raise conflict

    def _settle(self, version: int, data: bytes, token: str) -> Outcome:
        """Commit until the answer is clear."""
        outcome = self._committer.commit(version, data, token)
        for _ in range(_MAX_UNCLEAR - 1):
            if not isinstance(outcome, Unknown):
                return outcome
            outcome = self._committer.commit(version, data, token)
        if not isinstance(outcome, Unknown):
            return outcome
        raise DeltaRuntimeError(
            "DELTA_COMMIT_NOT_WRITTEN",
            version=version,
            tableName=self._table,
            reason=outcome.reason,
        ) from outcome.reason

    def _winners(self, version: int) -> list[Winner]:
        """Read the commits from a version on."""
        listed = self.log.store.list_from(LOG_FOLDER, commit_name(version))
        found = ((parse(one.name), one.name) for one in listed)
        names = {
            one.version: name
            for one, name in found
            if one is not None and one.kind is LogFileKind.COMMIT
        }
        versions = []
        while version in names:
            versions.append(version)
            version += 1
        contents = self.log.store.read_all([names[one] for one in versions])
        return [
            Winner(one, tuple(decode_commit(data, names[one])))
            for one, data in zip(versions, contents, strict=True)
        ]


def _attempt(draft: Draft) -> Attempt:
    new = (one for one in (draft.new_metadata, draft.new_protocol) if one is not None)
    return Attempt(
        table=draft.table,
        reads=draft.reads,
        actions=(*new, *draft.actions),
        partition_columns=tuple(draft.metadata.partition_columns),
        protocol=draft.base_protocol,
        isolation=draft.isolation,
    )


def _time_of(winner: Winner) -> int:
    return winner.info.in_commit_timestamp or 0
