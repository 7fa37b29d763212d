"""What follows a commit. The commit stands; a failure here is logged and never raised."""

from __future__ import annotations

import logging
from datetime import timedelta

import pyarrow as pa

from puredelta.errors import DeltaError
from puredelta.log.checkpoint_write import write_checkpoint
from puredelta.log.snapshot import Snapshot
from puredelta.table.properties import (
    CHECKPOINT_INTERVAL,
    DELETED_FILE_RETENTION,
    TRANSACTION_RETENTION,
)

_log = logging.getLogger(__name__)

_MILLISECOND = timedelta(milliseconds=1)


def after_commit(snapshot: Snapshot, now: int) -> None:
    """Write a checkpoint when it is time for one.

    Args:
        snapshot: The version that was made.
        now: The time in milliseconds; what expired before it stays out of the checkpoint.
    """
    if not is_checkpoint_due(snapshot):
        return
    files = DELETED_FILE_RETENTION.of(snapshot.configuration)
    applications = TRANSACTION_RETENTION.of(snapshot.configuration)
    try:
        write_checkpoint(
            snapshot,
            tombstones_since=now - files // _MILLISECOND,
            transactions_since=None if applications is None else now - applications // _MILLISECOND,
        )
    except (DeltaError, OSError, pa.ArrowException) as reason:
        _log.warning("no checkpoint at version %d: %s", snapshot.version, reason)


def is_checkpoint_due(snapshot: Snapshot) -> bool:
    """Tell whether a version is one that gets a checkpoint."""
    interval = CHECKPOINT_INTERVAL.of(snapshot.configuration)
    return snapshot.version > 0 and snapshot.version % interval == 0
