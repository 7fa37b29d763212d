"""Landing a streamed commit: one version is tried, until it is clear whose it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import AddFile, CommitInfo, RemoveFile
from puredelta.log.history import read_commit_info
from puredelta.log.summaries.checksum import Figures
from puredelta.storage.uncommitted import put_back
from puredelta.txn.commit_lines import CommitStamp, stamp_commit
from puredelta.txn.committer import Committed, Outcome, UnknownOutcome
from puredelta.txn.conflicts import version_taken
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.rebase import Base
from puredelta.txn.streamed.lines import StreamedLines
from puredelta.txn.transaction import Transaction
from puredelta.txn.winning_commit import WinningCommit


def land(
    transaction: Transaction,
    draft: PendingCommit,
    stamp: CommitStamp,
    files: Iterable[AddFile | RemoveFile],
    base: Base,
    figures: Figures | None,
) -> StreamedLines:
    """Make the version after a base, and return the lines that it has.

    Raises:
        ConcurrentWriteError: Another commit came first.
        DeltaRuntimeError: DELTA_COMMIT_NOT_WRITTEN.
    """
    version = base.version + 1
    lines, outcome = _settled(transaction, draft, stamp, files, base, figures)
    if isinstance(outcome, UnknownOutcome):
        raise DeltaRuntimeError(
            "DELTA_COMMIT_NOT_WRITTEN",
            version=version,
            tableName=transaction.table,
            reason=outcome.reason,
        ) from outcome.reason
    if not isinstance(outcome, Committed):
        put_back(lines.uncommitted)
        raise version_taken(_winner(transaction, version))
    return lines


def _settled(
    transaction: Transaction,
    draft: PendingCommit,
    stamp: CommitStamp,
    files: Iterable[AddFile | RemoveFile],
    base: Base,
    figures: Figures | None,
) -> tuple[StreamedLines, Outcome]:
    """Commit until the answer is clear, or the files cannot be had once more."""
    # An iterator is spent after the first attempt, and would give a commit without files.
    is_repeatable = not isinstance(files, Iterator)
    failures = 0
    stamped = None
    while True:
        small = stamp_commit(draft, stamp, base, transaction.now())
        lines = StreamedLines(draft, small, transaction.settings.large, base, figures)
        outcome = transaction.committer.commit_stream(
            base.version + 1, lines.of(files), stamp.token
        )
        # An attempt that finds its own commit, whose reply was lost, goes through no file again.
        # Its totals are empty, so those of the attempt that wrote the files are returned.
        stamped = lines if lines.is_whole or stamped is None else stamped
        if not isinstance(outcome, UnknownOutcome) or not is_repeatable:
            return stamped, outcome
        if not transaction.patience.goes_on(failures, outcome.reason):
            return stamped, outcome
        failures += 1
        transaction.patience.after_failure(failures)


def _winner(transaction: Transaction, version: int) -> WinningCommit:
    """Read the beginning of the winning commit, which may be as long as ours."""
    info = transaction.patience.ask(lambda: read_commit_info(transaction.log.store, version))
    return WinningCommit(version, (info or CommitInfo(),))
