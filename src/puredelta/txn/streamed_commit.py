"""The first version of a table as a stream: its commit is never in memory as a whole.

A conversion names files by the million. They pass by once, some at a time: are checked, counted for
the checksum, and written; what was known of each is forgotten then.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from puredelta._util.progress import progress
from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    encode_commit,
)
from puredelta.log.files import canonical_path
from puredelta.log.history import read_commit_info
from puredelta.log.names import commit_name
from puredelta.log.path_set import PathSet
from puredelta.log.replay import State, follow
from puredelta.log.segment import LogSegment
from puredelta.log.snapshot import snapshot_of
from puredelta.log.summaries.checksum import Figures, figures_after
from puredelta.settings import LargeCommit
from puredelta.table.protocol.row_tracking import (
    NO_IDS,
    gives_ids,
    high_water_mark,
    with_ids,
)
from puredelta.txn.commit_info import Operation
from puredelta.txn.commit_lines import CommitStamp, stamp_commit
from puredelta.txn.committer import Committed, Outcome, UnknownOutcome
from puredelta.txn.conflicts import version_taken
from puredelta.txn.implied_changes import with_implied_changes
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.post_commit import after_large_commit
from puredelta.txn.rebase import Base
from puredelta.txn.transaction import Transaction
from puredelta.txn.validate import FILE_CHECKS, check_commit
from puredelta.txn.winning_commit import WinningCommit

_VERSION = 0

# Other actions follow the files, as in the commits of the reference.
_BEFORE_FILES = (CommitInfo, Metadata)

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
    stamp = replace(stamped, read_version=_VERSION - 1)
    transaction.refuse_if_outlived()
    lines, outcome = _settled(transaction, draft, stamp, adds)
    if isinstance(outcome, UnknownOutcome):
        raise DeltaRuntimeError(
            "DELTA_COMMIT_NOT_WRITTEN",
            version=_VERSION,
            tableName=transaction.table,
            reason=outcome.reason,
        ) from outcome.reason
    if not isinstance(outcome, Committed):
        raise version_taken(_winner(transaction))
    _follow_up(transaction, lines)
    if transaction.made is not None:
        transaction.made(_VERSION)
    return StreamedCommit(_VERSION, lines.num_files, lines.size)


def _settled(
    transaction: Transaction, draft: PendingCommit, stamp: CommitStamp, adds: Iterable[AddFile]
) -> tuple[_Lines, Outcome]:
    """Commit until the answer is clear, or the files cannot be had once more."""
    # An iterator is spent after the first attempt, and would give a commit without files.
    is_repeatable = not isinstance(adds, Iterator)
    failures = 0
    stamped = None
    while True:
        small = stamp_commit(draft, stamp, Base(), transaction.now())
        lines = _Lines(draft, small, transaction.settings.large)
        outcome = transaction.committer.commit_stream(_VERSION, lines.of(adds), stamp.token)
        # An attempt that finds its own commit, whose reply was lost, goes through no file again.
        # Its totals are empty, so those of the attempt that wrote the files are returned.
        stamped = lines if lines.is_whole or stamped is None else stamped
        if not isinstance(outcome, UnknownOutcome) or not is_repeatable:
            return stamped, outcome
        if not transaction.patience.goes_on(failures, outcome.reason):
            return stamped, outcome
        failures += 1
        transaction.patience.after_failure(failures)


def _winner(transaction: Transaction) -> WinningCommit:
    """Read the beginning of the winning commit, which may be as long as ours."""
    info = transaction.patience.ask(lambda: read_commit_info(transaction.log.store, _VERSION))
    return WinningCommit(_VERSION, (info or CommitInfo(),))


def _follow_up(transaction: Transaction, lines: _Lines) -> None:
    """Do what follows a commit. It stands, and a failure here is logged at most."""
    store = transaction.log.store
    info = None
    # A caller that heard of a failure here would convert the folder again.
    with contextlib.suppress(DeltaError, OSError):
        info = store.info(commit_name(_VERSION))
    if info is None or lines.figures is None or not lines.is_whole:
        _log.warning("no checksum and no checkpoint at version %d", _VERSION)
        return
    # The snapshot is made of the small actions: its files stay on disk, as the figures suffice.
    segment = LogSegment(_VERSION, (info,), None, None, info)
    snapshot = snapshot_of(store, segment, follow(State(), [lines.small]))
    after_large_commit(snapshot, lines.figures, transaction.settings)


class _Lines:
    """The lines of a commit in pieces; has the totals of its files once they have passed.

    Args:
        draft: The commit without its files.
        small: Its lines.
        large: How much is in memory at a time.
    """

    def __init__(self, draft: PendingCommit, small: Sequence[Action], large: LargeCommit) -> None:
        self._draft = draft
        self._large = large
        self._head = [action for action in small if isinstance(action, _BEFORE_FILES)]
        self._tail = [action for action in small if not isinstance(action, _BEFORE_FILES)]
        self._paths = PathSet(large.paths)
        self._gives_ids = gives_ids(draft.features, draft.metadata.configuration)
        self._mark: DomainMetadata | None = None
        self.figures: Figures | None = Figures()
        self.num_files = 0
        self.size = 0
        self.is_whole = False

    def of(self, adds: Iterable[AddFile]) -> Iterator[bytes]:
        """Give the lines of a commit that adds some files."""
        yield encode_commit(self._head)
        files = iter(adds)
        with progress("writing the commit") as step:
            while some := list(islice(files, self._large.files)):
                self._check(some)
                numbered = self._with_ids(some)
                self._count(numbered)
                yield encode_commit(numbered)
                step(len(some))
        # The newest paths are not compared yet. The store makes the version visible after the last
        # piece, so an error here leaves none.
        self._refuse(self._paths.repeated_at_last())
        self.is_whole = True
        yield encode_commit([*self._tail, *self._marks])

    def _check(self, some: list[AddFile]) -> None:
        # The checks of the whole draft ran before the first piece; only those of files are left.
        part = replace(self._draft, actions=tuple(some))
        for rule in FILE_CHECKS:
            rule(part)
        self._refuse(self._paths.repeated(canonical_path(add.path) for add in some))

    @property
    def small(self) -> list[Action]:
        """The lines that are not about files."""
        return [*self._head, *self._tail, *self._marks]

    @property
    def _marks(self) -> list[Action]:
        return [] if self._mark is None else [self._mark]

    @staticmethod
    def _refuse(path: str | None) -> None:
        if path is not None:
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND", actionType="add", path=path, conflictingPath=path
            )

    def _with_ids(self, some: list[AddFile]) -> list[AddFile]:
        if not self._gives_ids:
            return some
        mark = NO_IDS if self._mark is None else high_water_mark([self._mark])
        # Each piece goes on from the high-water mark of the one before; only the last is written.
        given = with_ids(some, mark, _VERSION)
        self._mark = next(
            (action for action in given if isinstance(action, DomainMetadata)), self._mark
        )
        return [action for action in given if isinstance(action, AddFile)]

    def _count(self, some: list[AddFile]) -> None:
        self.num_files += len(some)
        self.size += sum(add.size for add in some)
        if self.figures is not None:
            self.figures = figures_after(self.figures, some)
