"""A transaction: what was read, then one commit that lands as the next version or fails by name.

Nothing is written before `commit`, and what it does about other writers is given in `commit_loop`.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from puredelta._util.clock import now_ms
from puredelta._util.interrupts import committed, hold_back
from puredelta.errors import (
    ConcurrentWriteError,
    DeltaError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
)
from puredelta.log.actions import Action, Metadata, Protocol
from puredelta.log.listing import list_log
from puredelta.log.names import commit_name
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.settings import CommitSettings
from puredelta.storage.store import Store
from puredelta.table.protocol.properties import IN_COMMIT_TIMESTAMPS, LOG_RETENTION
from puredelta.table.protocol.row_tracking import high_water_mark
from puredelta.txn.commit_info import Operation, engine_info
from puredelta.txn.commit_lines import CommitStamp
from puredelta.txn.commit_loop import CommitLoop
from puredelta.txn.committer import Committer, FileSystemCommitter
from puredelta.txn.implied_changes import with_implied_changes
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.post_commit import after_commit
from puredelta.txn.read_set import Matches, MayHold, ReadSet
from puredelta.txn.rebase import Base
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.row_id_check import check_ids_are_there
from puredelta.txn.validate import check_commit, check_no_vectors_remain

_log = logging.getLogger(__name__)

DEFAULT_SETTINGS = CommitSettings()

FollowUp = Callable[["Snapshot | None", Snapshot, Collection[Action]], None]
"""Receives the version that was read, the version that was made, and what was written."""


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
        engine: Name of the engine that commits; see `engine_info`.
        table: Name of the table for messages; its location when there is none.
        committer: How versions are made; by default as files in the log folder.
        patience: How long others and the store are waited for; by default as the settings say.
        settings: What the session says about making versions.

    Attributes:
        made: Called with each version that is made; None for no one.
        leaving: Features that are being dropped.
        follow_ups: What the layers above do after a commit; what they raise is raised as it is,
            and the version stands.
        now: The clock.
        table: Name of the table for messages.
        committer: How versions are made.
        patience: How long others and the store are waited for.
        settings: What the session says about making versions.
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
        patience: RetryPolicy | None = None,
        settings: CommitSettings = DEFAULT_SETTINGS,
    ) -> None:
        self.log = log
        self.snapshot = snapshot
        self.reads = ReadSet()
        self.now = now
        self._engine = engine_info() if engine is None else engine
        self.table: str = log.store.url if table is None else table
        self.committer: Committer = committer or FileSystemCommitter(log.store)
        self.patience: RetryPolicy = patience or RetryPolicy(
            tries=max(1, settings.max_store_attempts)
        )
        self.settings = settings
        self.made: Callable[[int], None] | None = None
        self.leaving: frozenset[str] = frozenset()
        self.follow_ups: tuple[FollowUp, ...] = ()

    def read_whole_table(self) -> None:
        """Depend on every file: any that comes or goes is a conflict."""
        self.reads = self.reads.with_whole_table()

    def read_files(self, paths: Iterable[str]) -> None:
        """Depend on files, by the path that the snapshot shows."""
        self.reads = self.reads.with_files(paths)

    def read_partitions(self, predicate: Matches, text: str) -> None:
        """Depend on the files whose partition values satisfy a condition, those to come as well.

        Args:
            predicate: Returns whether partition values satisfy it; must return True when in doubt.
            text: The condition, for messages.
        """
        self.reads = self.reads.with_predicate(predicate, text)

    def read_rows_alone(self, may_hold: MayHold) -> None:
        """Depend, in the files that were read, on the rows alone for which a condition is true.

        For operations whose outcome is made of what each row yields by itself: others may take
        other rows of the same files away, and add rows for which the condition cannot be true.

        Args:
            may_hold: Chooses the files that can have rows for which the condition is true; in
                doubt a file has some.
        """
        self.reads = self.reads.with_rows(may_hold)

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
        max_attempts: int | None = None,
        recheck: Callable[[Snapshot], bool] | None = None,
    ) -> CommitResult:
        """Make the next version.

        Args:
            actions: Files, transactions and domains, without metadata, protocol and commit info.
            operation: What history shows.
            metadata: New metadata; the protocol is raised to what it needs.
            protocol: New protocol, when it is asked for by name.
            is_blind_append: What the commit says of itself; by default what it is.
            user_metadata: A text of the user's for history.
            max_attempts: With 1, any other commit that comes first is a conflict; by default as
                the settings say.
            recheck: For a commit that drops a feature: asked, with the version that the last
                winner made, whether the table still has no trace of it.

        Raises:
            DeltaConcurrentModificationError: Another commit came first and is in the way.
            DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ: the version is made, and cannot be
                read.
            DeltaIllegalStateError: PUREDELTA_NOT_WRITTEN_UPON_DAMAGE: the version that was read is
                damaged; nothing was written.
            DeltaError: The commit breaks a rule of the table; nothing was written.
            KeyboardInterrupt: The user interrupted it; says whether the version was made.
        """
        # The checks see the draft as it will be written, with what the steps have added.
        draft = with_implied_changes(self.draft(actions, operation, metadata, protocol))
        check_commit(draft)
        self.check_files_left(draft, draft.actions)
        is_blind = draft.is_blind_append if is_blind_append is None else is_blind_append
        stamp = self.stamp(operation, is_blind_append=is_blind, user_metadata=user_metadata)
        race = CommitLoop(
            store=self.log.store,
            committer=self.committer,
            stamp=stamp,
            now=self.now,
            max_attempts=self.settings.max_attempts if max_attempts is None else max_attempts,
            is_single=max_attempts == 1,
            patience=self.patience,
            recheck=None if recheck is None else lambda at: recheck(self.log.at_version(at)),
        )
        # An interrupt after the put must not hide that the version was made, so it waits for the
        # end.
        with hold_back():
            self.refuse_if_unfit()
            landed = race.run(draft, self.base(draft))
            committed(f"version {landed.version} of {self.table}")
            snapshot = self.read_back(
                landed.version, lambda: self.log.after_commit(landed.version, landed.actions)
            )
            after_commit(snapshot, self.now(), self.settings)
            self.follow(snapshot, landed.actions)
        result = CommitResult(landed.version, snapshot)
        self.landed(result, operation, actions)
        return result

    def follow(self, after: Snapshot, actions: Collection[Action]) -> None:
        """Let the layers above do what follows a version that was made.

        Args:
            after: The version.
            actions: What was written.
        """
        # Last: a listener that fails must not keep the version from its checksum.
        if self.made is not None:
            self.made(after.version)
        for follow_up in self.follow_ups:
            follow_up(self.snapshot, after, actions)

    def landed(
        self, result: CommitResult, operation: Operation, actions: Collection[Action]
    ) -> None:
        """Do what follows a commit once interrupts count again: nothing here.

        Args:
            result: The commit.
            operation: What history shows.
            actions: What was asked for.
        """

    def check_files_left(self, draft: PendingCommit, files: Iterable[Action]) -> None:
        """Refuse what new metadata may not say of the files that stay.

        Args:
            draft: What is to be committed, where its files may be left out.
            files: Its files.

        Raises:
            DeltaIllegalStateError: DELTA_ROW_TRACKING_WITHOUT_BACKFILL.
            DeltaUnsupportedOperationError: DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.
        """
        if self.snapshot is not None:
            check_ids_are_there(draft, self.snapshot, files)
            check_no_vectors_remain(draft, self.snapshot, files)

    def refuse_if_unfit(self) -> None:
        """Refuse to follow a version that was cleaned away since, or cannot be read."""
        self.refuse_if_outlived()
        self._refuse_if_unreadable()

    def refuse_if_outlived(self) -> None:
        """Refuse to make a version that was made and cleaned away."""
        self.patience.ask(
            lambda: _refuse_if_outlived(self.log.store, self.snapshot, self.now(), self.table)
        )

    def _refuse_if_unreadable(self) -> None:
        """Refuse to go on from a version that cannot be read: nor could the next one be."""
        if self.snapshot is None:
            return
        try:
            self.snapshot.check_files()
        except DeltaError as reason:
            raise DeltaIllegalStateError(
                "PUREDELTA_NOT_WRITTEN_UPON_DAMAGE",
                tableName=self.table,
                version=self.snapshot.version,
                reason=reason,
            ) from reason

    def stamp(
        self, operation: Operation, *, is_blind_append: bool, user_metadata: str | None = None
    ) -> CommitStamp:
        """Say what a commit says of itself, under a token of its own; see `commit`."""
        return CommitStamp(
            operation=operation,
            read_version=None if self.snapshot is None else self.snapshot.version,
            is_blind_append=is_blind_append,
            engine=self._engine,
            token=str(uuid.uuid4()),
            user_metadata=user_metadata,
            has_metrics=self.settings.metrics,
        )

    def draft(
        self,
        actions: Sequence[Action],
        operation: Operation,
        metadata: Metadata | None,
        protocol: Protocol | None,
    ) -> PendingCommit:
        """Put actions upon the version that was read, unchecked; see `commit`."""
        base = self.snapshot
        return PendingCommit(
            table=self.table,
            operation=operation.name,
            reads=self.reads,
            actions=tuple(actions),
            base_metadata=None if base is None else base.metadata,
            base_protocol=None if base is None else base.protocol,
            new_metadata=metadata,
            new_protocol=protocol,
            domains={} if base is None else base.domains,
            leaving=self.leaving,
        )

    def base(self, draft: PendingCommit) -> Base:
        """Return the version that a draft is put upon."""
        if self.snapshot is None:
            return Base()
        # The time of a version can cost a read of the log, so it is looked up only where it is
        # needed.
        timed = IN_COMMIT_TIMESTAMPS.of(draft.metadata.configuration)
        return Base(
            version=self.snapshot.version,
            time=self.snapshot.timestamp_ms if timed else 0,
            row_id_mark=high_water_mark(self.snapshot.domains.values()),
        )

    def read_back(self, version: int, read: Callable[[], Snapshot]) -> Snapshot:
        """Return the version that was made; it stands, so a store is given time to show it.

        Args:
            version: Its number.
            read: Reads it.

        Raises:
            DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ.
        """

        def not_yet_seen(failure: Exception) -> bool:
            # Any failure is worth another try: the alternative is an error for a commit that
            # stands.
            _log.warning("version %d is made and not yet seen: %s", version, failure)
            return True

        try:
            return self.patience.ask(read, not_yet_seen)
        except (DeltaError, OSError) as reason:
            raise committed_and_not_read(version, self.table, reason) from reason


def committed_and_not_read(version: int, table: str, reason: Exception) -> DeltaRuntimeError:
    """Return the error for a version that is made and cannot be read.

    A caller that heard of the failure alone would write the same rows again.
    """
    return DeltaRuntimeError(
        "DELTA_COMMITTED_AND_NOT_READ", version=version, tableName=table, reason=reason
    )


# ------------------------------------------------------------------------------------ log retention


_YOUNG = timedelta(hours=1)
_MILLISECOND = timedelta(milliseconds=1)


def _refuse_if_outlived(store: Store, base: Snapshot | None, now: int, table: str) -> None:
    """Refuse to go on from a version whose successors have been cleaned away.

    The store is asked only where that can be: it is not when the version is so young that what
    came after it has not expired.

    Args:
        store: Where the table lies.
        base: The version that was read; None when the table is to be created.
        now: The time, in milliseconds since 1970.
        table: Name of the table for messages.

    Raises:
        ConcurrentWriteError: PUREDELTA_OUTLIVED_LOG: there are newer versions, and the next one
            is gone.
    """
    if base is not None and _is_young(base, now):
        return
    # Log cleanup frees the name of the next commit while newer versions exist. The put would
    # succeed, and the commit would belong to no version.
    read = -1 if base is None else base.version
    listing = list_log(store, max(read, 0))
    latest = listing.latest
    if latest is None or latest <= read or read + 1 in listing.commits:
        return
    if store.info(commit_name(read + 1)) is None:  # a listing may lag behind
        raise ConcurrentWriteError(
            "PUREDELTA_OUTLIVED_LOG", table=table, version=read + 1, latest=latest
        )


def _is_young(base: Snapshot, now: int) -> bool:
    commit = base.segment.last_commit
    try:
        kept = LOG_RETENTION.of(base.configuration)
    except DeltaError:  # another writer's mistake, which is no reason not to commit
        return False
    # Half of it, as the clock of the store may be another one than ours.
    return commit is not None and now - commit.modified_ms < min(kept / 2, _YOUNG) // _MILLISECOND
