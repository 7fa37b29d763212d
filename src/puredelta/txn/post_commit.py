"""What follows a commit. The commit stands; a failure here is logged and never raised."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from datetime import timedelta

import msgspec
import pyarrow as pa

from puredelta.errors import DeltaError
from puredelta.log.checksum import write_checksum
from puredelta.log.cleanup import clean_log, expiry
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import ROWS_PER_FILE, CheckpointForm
from puredelta.log.summaries.checkpoint_stream import write_streamed_checkpoint
from puredelta.log.summaries.checksum import Figures, checksum_of, checksum_with
from puredelta.settings import CommitSettings
from puredelta.table.checkpoint_options import checkpoint_form
from puredelta.table.protocol.properties import (
    CHECKPOINT_INTERVAL,
    DELETED_FILE_RETENTION,
    LOG_CLEANUP,
    LOG_RETENTION,
    PROPERTIES,
    TRANSACTION_RETENTION,
)

_log = logging.getLogger(__name__)

_PROTECTED_BEFORE = PROPERTIES["delta.requireCheckpointProtectionBeforeVersion"]
_MILLISECOND = timedelta(milliseconds=1)

DEFAULT_SETTINGS = CommitSettings()


def after_commit(snapshot: Snapshot, now: int, settings: CommitSettings = DEFAULT_SETTINGS) -> None:
    """Write the checksum of a version; when it is time, a checkpoint; and delete expired versions.

    Args:
        snapshot: The version that was made.
        now: The time in milliseconds; what expired before it stays out of the checkpoint.
        settings: What the session says about it.
    """
    with _logged("checksum", snapshot):
        if settings.checksums:
            _write_checksum(snapshot)
    with _logged("checkpoint", snapshot):
        if is_checkpoint_due(snapshot):
            # Only after the checkpoint: the cleanup deletes what a newer checkpoint makes
            # dispensable, and does not run where the checkpoint failed.
            checkpoint_version(snapshot, now, settings)
            _clean_log(snapshot, now)


def after_large_commit(
    snapshot: Snapshot, figures: Figures, settings: CommitSettings = DEFAULT_SETTINGS
) -> None:
    """Write the checksum of a first version and, when it has many files, a checkpoint.

    Args:
        snapshot: The version that was made, whose files are not asked for.
        figures: What its files were counted to be.
        settings: What the session says about it.
    """
    with _logged("checksum", snapshot):
        if settings.checksums:
            write_checksum(snapshot.store, snapshot.version, checksum_with(snapshot, figures))
    with _logged("checkpoint", snapshot):
        large = settings.large
        if figures.num_files >= large.files_for_checkpoint:
            write_streamed_checkpoint(
                snapshot, figures.num_files, _form(snapshot, settings), piece=large.bytes
            )


def is_checkpoint_due(snapshot: Snapshot) -> bool:
    """Return whether a version is one that gets a checkpoint."""
    interval = CHECKPOINT_INTERVAL.of(snapshot.configuration)
    # Version 0 is one commit: a checkpoint would repeat it.
    return snapshot.version > 0 and snapshot.version % interval == 0


@contextlib.contextmanager
def _logged(what: str, snapshot: Snapshot) -> Iterator[None]:
    try:
        yield
    # The version is made. An error here would lead its writer to write the same rows again.
    except (DeltaError, OSError, ValueError, pa.ArrowException, msgspec.MsgspecError) as reason:
        _log.warning("no %s at version %d: %s", what, snapshot.version, reason)


def _write_checksum(snapshot: Snapshot) -> None:
    """Write the checksum, if it follows from the one before or all files are looked at anyway."""
    # A checksum from scratch reads all files, which is paid only where a checkpoint does so anyway.
    checksum = snapshot.made_checksum
    if checksum is None and is_checkpoint_due(snapshot):
        checksum = checksum_of(snapshot)
    if checksum is not None:
        write_checksum(snapshot.store, snapshot.version, checksum)


def checkpoint_version(
    snapshot: Snapshot, now: int, settings: CommitSettings = DEFAULT_SETTINGS
) -> None:
    """Write the checkpoint of a version, in the form that its table asks for.

    Args:
        snapshot: The version.
        now: The time in milliseconds; what expired before it stays out.
        settings: What the session says about it.

    Raises:
        DeltaError: The store failed, or the version cannot be read.
    """
    files = DELETED_FILE_RETENTION.of(snapshot.configuration)
    applications = TRANSACTION_RETENTION.of(snapshot.configuration)
    write_checkpoint(
        snapshot,
        tombstones_since=now - files // _MILLISECOND,
        # Without a retention, app transactions never expire.
        transactions_since=None if applications is None else now - applications // _MILLISECOND,
        form=_form(snapshot, settings),
    )


def _form(snapshot: Snapshot, settings: CommitSettings) -> CheckpointForm:
    return checkpoint_form(
        snapshot.protocol,
        snapshot.metadata,
        top_level_format=settings.top_level_format,
        rows_per_file=settings.checkpoint_part_size or ROWS_PER_FILE,
    )


def _clean_log(snapshot: Snapshot, now: int) -> None:
    configuration = snapshot.configuration
    with _logged("log cleanup", snapshot):
        if LOG_CLEANUP.of(configuration):
            clean_log(
                snapshot.store,
                expiry(now, LOG_RETENTION.of(configuration)),
                protected_before=_PROTECTED_BEFORE.of(configuration),
            )
