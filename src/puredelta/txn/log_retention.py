"""A log that was cleaned behind the back of a transaction.

Whoever was away for longer than the log keeps its commits finds the next version free: not because
nobody made it, but because it was made and cleaned away since. What is written there is part of no
version, so it would be lost without a word.
"""

from __future__ import annotations

from datetime import timedelta

from puredelta.errors import ConcurrentWriteError, DeltaError
from puredelta.log.listing import list_log
from puredelta.log.names import commit_name
from puredelta.log.snapshot import Snapshot
from puredelta.storage.store import Store
from puredelta.table.protocol.properties import LOG_RETENTION

_YOUNG = timedelta(hours=1)
_MILLISECOND = timedelta(milliseconds=1)


def refuse_if_outlived(store: Store, base: Snapshot | None, now: int, table: str) -> None:
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
