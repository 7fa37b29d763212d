"""A later version of a table as a stream, which is never in memory as a whole.

A conversion names files by the million, and so does a RESTORE. They pass by once, some at a time:
are checked, counted for the checksum, and written; what was known of each is forgotten then.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from puredelta._util.interrupts import committed, hold_back, refuse_commit, shield
from puredelta.log.actions import Action, AddFile, Metadata, Protocol, RemoveFile
from puredelta.log.summaries.checksum import figures_before
from puredelta.txn.commit_info import Operation
from puredelta.txn.implied_changes import with_implied_changes
from puredelta.txn.post_commit import after_commit
from puredelta.txn.streamed.landing import land
from puredelta.txn.transaction import CommitResult, Transaction
from puredelta.txn.validate import check_commit

_log = logging.getLogger(__name__)


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
