"""Landing a commit: version after version is tried, and each winning commit is read and followed.

A lost race is no failure: if no winning commit conflicts, the same actions are tried again behind
them. Nor is a store that does not answer clearly, as long as patience lasts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import reduce

from pyroaring import BitMap64

from puredelta._util.interrupts import refuse_commit, shield
from puredelta.errors import DeltaIllegalStateError, DeltaRuntimeError, DeltaTableFeatureError
from puredelta.log.actions import Action, DeletionVector, decode_commit, encode_commit
from puredelta.log.files import canonical_path, qualified
from puredelta.log.names import LOG_FOLDER, LogFileKind, commit_name, parse
from puredelta.storage.store import Store
from puredelta.storage.uncommitted import put_back, take
from puredelta.table.deletion_vectors.vectors import read_vector
from puredelta.table.deletion_vectors.writing import write_vectors
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_lines import CommitStamp, stamp_commit
from puredelta.txn.committer import Committed, Committer, Lost, UnknownOutcome
from puredelta.txn.conflicts import Attempt, first_conflict, version_taken
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.rebase import Base, rebase, with_vectors
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.shared_vectors import find_shared_vectors
from puredelta.txn.validate import partition_keys
from puredelta.txn.winning_commit import WinningCommit

Recheck = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class CommittedVersion:
    """A commit that is there.

    Attributes:
        version: The version it became.
        actions: Its lines, as they were written.
    """

    version: int
    actions: list[Action]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLoop:
    """What a commit needs to land, whichever version it becomes.

    Attributes:
        store: Where the table lies.
        committer: Makes versions.
        stamp: What the commit says of itself.
        now: The clock, in milliseconds since 1970.
        max_attempts: How many races are run.
        is_single: Is every winning commit a conflict?
        patience: How long is waited for others and for the store.
        recheck: Asked, given the version of the last winner, whether what the commit relies on
            still holds there.
    """

    store: Store
    committer: Committer
    stamp: CommitStamp
    now: Callable[[], int]
    max_attempts: int
    is_single: bool = False
    patience: RetryPolicy
    recheck: Recheck | None = None

    def run(self, draft: PendingCommit, base: Base) -> CommittedVersion:
        """Try version after version until one is ours.

        Raises:
            DeltaConcurrentModificationError: Another commit came first and is in the way.
            DeltaTableFeatureError: A winner made the table one that we cannot write.
            DeltaIllegalStateError: Too many races were lost.
            DeltaRuntimeError: The store gave no clear answer for too long.
            Interrupted: The user interrupted the statement before a version was made.
        """
        started, first = self.now(), base.version + 1
        for attempt in range(1, self.max_attempts + 1):
            # An interrupt that came meanwhile counts here, before the put and not during it.
            refuse_commit()
            actions = stamp_commit(draft, self.stamp, base, self.now())
            version = base.version + 1
            # From here on a version may name the files, until it is known to be another writer's:
            # an error in between must not delete them.
            files = take()
            if isinstance(self._settled(draft, version, actions), Committed):
                return CommittedVersion(version, actions)
            winners = self._winners(version)
            # A commit that was reported as lost can be ours after all: the put of a client that
            # tried again by itself met its own file.
            if winners[0].info.txn_id == self.stamp.token:
                return CommittedVersion(version, actions)
            put_back(files)
            if self.is_single:
                raise version_taken(winners[0])
            draft, base = self._behind(draft, winners), reduce(Base.after, winners, base)
            # After the rules, because they are cheap: the check looks for traces of a dropped
            # feature in the version of the last winning commit.
            self._check_again(winners[-1])
            self.patience.after_loss(attempt)
        raise DeltaIllegalStateError(
            "DELTA_MAX_COMMIT_RETRIES_EXCEEDED",
            numAttempts=self.max_attempts,
            startVersion=first,
            failVersion=base.version + 1,
            numActions=len(draft.actions),
            timeSpent=self.now() - started,
        )

    def _settled(
        self, draft: PendingCommit, version: int, actions: list[Action]
    ) -> Committed | Lost:
        """Commit until the answer is clear."""
        data = encode_commit(actions)
        failures = 0
        # An interrupt during the put would leave it unknown whether the version exists. The token
        # stays the same, so a second put recognises the first.
        with shield():
            outcome = self.committer.commit(version, data, self.stamp.token)
            while isinstance(outcome, UnknownOutcome) and self.patience.goes_on(
                failures, outcome.reason
            ):
                failures += 1
                self.patience.after_failure(failures)
                outcome = self.committer.commit(version, data, self.stamp.token)
        if not isinstance(outcome, UnknownOutcome):
            return outcome
        raise DeltaRuntimeError(
            "DELTA_COMMIT_NOT_WRITTEN",
            version=version,
            tableName=draft.table,
            reason=outcome.reason,
        ) from outcome.reason

    def _winners(self, version: int) -> list[WinningCommit]:
        """Read the commits from a version on that is known to be taken, up to the first gap."""
        # The put has shown that this commit exists, so it is read by name: the listing may not show
        # it yet.
        taken = self.patience.ask(lambda: self.store.read(commit_name(version)))
        names = self.patience.ask(lambda: self._names_after(version))
        table = self.store.url
        contents = [taken, *self.patience.ask(lambda: self.store.read_all(names))]
        return [
            WinningCommit(number, tuple(qualified(decode_commit(data, commit_name(number)), table)))
            for number, data in enumerate(contents, start=version)
        ]

    def _names_after(self, version: int) -> list[str]:
        """Name the commits that follow a version without a gap; a listing may lag behind."""
        listed = self.store.list_from(LOG_FOLDER, commit_name(version + 1))
        found = (parse(info.name) for info in listed)
        there = {file.version for file in found if file and file.kind is LogFileKind.COMMIT}
        # What follows a gap is left for the next attempt: the rules need every commit in between.
        names = []
        while (version := version + 1) in there:
            names.append(commit_name(version))
        return names

    def _behind(self, draft: PendingCommit, winners: Sequence[WinningCommit]) -> PendingCommit:
        """Put a draft behind winners, or raise what is in the way."""
        attempt = _attempt(draft)
        united: set[str] = set()
        for winner in winners:
            # Before the rules: a feature that we cannot write is the reason to report, whatever
            # else conflicts.
            if winner.protocol is not None:
                metadata = winner.metadata or draft.metadata
                check_writable(winner.protocol, metadata, draft.table, leaving=draft.leaving)
            shared = find_shared_vectors(draft, winner, self._rows)
            conflict = first_conflict(replace(attempt, shared=shared.paths), winner)
            if conflict is not None:
                raise conflict
            moved = rebase(draft, winner, shared.united)
            # The next winning commit is checked against the draft as it is after this one.
            if moved is not draft:
                draft, attempt = moved, _attempt(moved)
            united |= shared.united.keys()
        return self._with_vectors(draft, united) if united else draft

    def _rows(self, vector: DeletionVector, file: str | None = None) -> BitMap64:
        store = self.store
        return self.patience.ask(lambda: read_vector(store, store.url, vector, file=file))

    def _with_vectors(self, draft: PendingCommit, paths: AbstractSet[str]) -> PendingCommit:
        """Write the united vectors to files: `rebase` leaves them inline, in the log."""
        files = {canonical_path(add.path): add for add in draft.adds}
        vectors = {
            path: file.deletion_vector
            for path, file in files.items()
            if path in paths and file.deletion_vector is not None
        }
        rows = {path: self._rows(vector, path) for path, vector in vectors.items()}
        written = self.patience.ask(lambda: write_vectors(rows, self.store))
        return with_vectors(draft, written)

    def _check_again(self, winner: WinningCommit) -> None:
        if self.recheck is not None and not self.recheck(winner.version):
            raise DeltaTableFeatureError(
                "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL",
                concurrentCommit=winner.summary(),
            )


def _attempt(draft: PendingCommit) -> Attempt:
    # The rules look for metadata and protocol among the actions, as they do in the winning commit.
    new = (action for action in (draft.new_metadata, draft.new_protocol) if action is not None)
    return Attempt(
        table=draft.table,
        reads=draft.reads,
        actions=(*new, *draft.actions),
        partition_columns=tuple(partition_keys(draft)),
        partition_names=tuple(draft.metadata.partition_columns),
        protocol=draft.base_protocol,
        metadata=draft.base_metadata,
        isolation=draft.isolation,
        is_backfill=draft.is_backfill,
        replaces_table=draft.replaces_table,
        numbers_rows=draft.numbers_rows,
    )
