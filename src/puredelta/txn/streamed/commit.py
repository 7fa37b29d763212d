"""A commit as a stream, which is never in memory as a whole: a first version, or a later one.

A conversion names files by the million, and so does a RESTORE. They pass by once, some at a time:
are checked, counted for the checksum, and written; what was known of each is forgotten then.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from puredelta._util.interrupts import committed, hold_back, refuse_commit, shield
from puredelta.errors import DeltaError
from puredelta.log.actions import Action, AddFile, Metadata, Protocol, RemoveFile
from puredelta.log.names import commit_name
from puredelta.log.replay import State, follow
from puredelta.log.segment import LogSegment
from puredelta.log.snapshot import snapshot_of
from puredelta.log.summaries.checksum import Figures, figures_before
from puredelta.txn.commit_info import Operation
from puredelta.txn.implied_changes import with_implied_changes
from puredelta.txn.post_commit import after_commit, after_large_commit
from puredelta.txn.rebase import Base
from puredelta.txn.streamed.landing import land
from puredelta.txn.streamed.lines import StreamedLines
from puredelta.txn.transaction import CommitResult, Transaction
from puredelta.txn.validate import check_commit

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamedCommit:
    """A commit that landed.

    Attributes:
        version: The version it became.
        num_files: How many files it adds.
        size: How many bytes they have in all.
    """

    version: int
    num_files: int
    size: int


def stream_write(
    transaction: Transaction,
    adds: Iterable[AddFile],
    operation: Operation,
    *,
    metadata: Metadata,
    protocol: Protocol,
    actions: Sequence[Action] = (),
    user_metadata: str | None = None,
) -> StreamedCommit:
    """Make the first version of a table, however many files it has.

    There is one attempt: another commit that comes first is a conflict. Only a store that gives no
    clear answer is asked again, where the files can be gone through again.

    Args:
        transaction: Of a table that is to be created.
        adds: Its files, each of which is looked at once. What raises while they are iterated is
            raised as it is, and nothing was written then.
        operation: What history shows.
        metadata: The metadata.
        protocol: The protocol.
        actions: What else the version says, such as domains.
        user_metadata: A text of the user's for history.

    Raises:
        ConcurrentWriteError: Another commit came first.
        DeltaRuntimeError: The store gave no clear answer, or a file is there twice.
        DeltaError: The commit breaks a rule of the table; nothing was written.
    """
    draft = with_implied_changes(transaction.draft(actions, operation, metadata, protocol))
    check_commit(draft)
    stamped = transaction.stamp(operation, is_blind_append=False, user_metadata=user_metadata)
    # Other first versions have no readVersion; delta-spark's conversions have -1, as history shows.
    stamp = replace(stamped, read_version=Base().version)
    transaction.refuse_if_outlived()
    lines = land(transaction, draft, stamp, adds, Base(), Figures())
    version = Base().version + 1
    _follow_up(transaction, lines)
    if transaction.made is not None:
        transaction.made(version)
    return StreamedCommit(version, lines.num_files, lines.size)


def stream_change(
    transaction: Transaction,
    files: Collection[AddFile | RemoveFile],
    operation: Operation,
    *,
    metadata: Metadata,
    protocol: Protocol | None = None,
    actions: Sequence[Action] = (),
    user_metadata: str | None = None,
) -> CommitResult:
    """Make the next version of a table that is there, however many files change.

    There is one attempt, which depends on the whole table: another commit that comes first is a
    conflict. Few files are committed as `Transaction.commit` does.

    Args:
        transaction: Of a table that is there.
        files: What it adds and removes, which can be gone through again.
        operation: What history shows.
        metadata: New metadata; the protocol is raised to what it needs.
        protocol: New protocol, when it is asked for by name.
        actions: What else the version says, such as domains.
        user_metadata: A text of the user's for history.

    Raises:
        ConcurrentWriteError: Another commit came first.
        DeltaRuntimeError: DELTA_COMMIT_NOT_WRITTEN: the store gave no clear answer.
            DELTA_COMMITTED_AND_NOT_READ: the version is made, and cannot be read.
        DeltaIllegalStateError: PUREDELTA_NOT_WRITTEN_UPON_DAMAGE.
        DeltaError: The commit breaks a rule of the table; nothing was written.
        KeyboardInterrupt: The user interrupted it; says whether the version was made.
    """
    transaction.read_whole_table()
    before, settings = transaction.snapshot, transaction.settings
    if before is None or len(files) <= settings.large.files_at_once:
        return transaction.commit(
            [*actions, *files],
            operation,
            metadata=metadata,
            protocol=protocol,
            is_blind_append=False,
            user_metadata=user_metadata,
            max_attempts=1,
        )
    draft = with_implied_changes(transaction.draft(actions, operation, metadata, protocol))
    check_commit(draft)
    transaction.check_files_left(draft, files)
    stamp = transaction.stamp(operation, is_blind_append=False, user_metadata=user_metadata)
    whole = _WholeCommit(actions, files)
    with hold_back():
        transaction.refuse_if_unfit()
        refuse_commit()
        base = transaction.base(draft)
        # An interrupt during the put would leave it unknown whether the version exists.
        with shield():
            lines = land(transaction, draft, stamp, files, base, figures_before(before))
        version = base.version + 1
        committed(f"version {version} of {transaction.table}")
        snapshot = transaction.read_back(
            version,
            lambda: transaction.log.after_streamed_commit(version, lines.small, lines.figures),
        )
        after_commit(snapshot, transaction.now(), settings)
        transaction.follow(snapshot, whole)
    result = CommitResult(version, snapshot)
    transaction.landed(result, operation, whole)
    return result


@dataclass(frozen=True, slots=True)
class _WholeCommit(Collection[Action]):
    """All that a commit says of a table; its files are not kept."""

    small: Sequence[Action]
    files: Collection[AddFile | RemoveFile]

    def __iter__(self) -> Iterator[Action]:
        return chain(self.small, self.files)

    def __len__(self) -> int:
        return len(self.small) + len(self.files)

    def __contains__(self, action: object) -> bool:
        return any(action == one for one in self)


def _follow_up(transaction: Transaction, lines: StreamedLines) -> None:
    """Do what follows a first version. It stands, and a failure here is logged at most."""
    store, version = transaction.log.store, Base().version + 1
    info = None
    # A caller that heard of a failure here would convert the folder again.
    with contextlib.suppress(DeltaError, OSError):
        info = store.info(commit_name(version))
    if info is None or lines.figures is None or not lines.is_whole:
        _log.warning("no checksum and no checkpoint at version %d", version)
        return
    # The snapshot is made of the small actions: its files stay on disk, as the figures suffice.
    segment = LogSegment(version, (info,), None, None, info)
    snapshot = snapshot_of(store, segment, follow(State(), [lines.small]))
    after_large_commit(snapshot, lines.figures, transaction.settings)
