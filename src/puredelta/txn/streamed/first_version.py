"""The first version of a table as a stream, which is never in memory as a whole."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from puredelta.errors import DeltaError
from puredelta.log.actions import Action, AddFile, Metadata, Protocol
from puredelta.log.names import commit_name
from puredelta.log.replay import State, follow
from puredelta.log.segment import LogSegment
from puredelta.log.snapshot import snapshot_of
from puredelta.log.summaries.checksum import Figures
from puredelta.txn.commit_info import Operation
from puredelta.txn.implied_changes import with_implied_changes
from puredelta.txn.post_commit import after_large_commit
from puredelta.txn.rebase import Base
from puredelta.txn.streamed.landing import land
from puredelta.txn.streamed.lines import StreamedLines
from puredelta.txn.transaction import Transaction
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
