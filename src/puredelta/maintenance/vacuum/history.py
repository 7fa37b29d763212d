"""VACUUM START and VACUUM END: what the history shows of a VACUUM."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from puredelta._util.interrupts import Interrupted
from puredelta.errors import DeltaConcurrentModificationError, DeltaError
from puredelta.maintenance.vacuum.candidates import VacuumCandidates
from puredelta.maintenance.vacuum.request import Retention
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.location import scheme_of
from puredelta.txn.commit_info import Operation

_log = logging.getLogger(__name__)

START, END = "VACUUM START", "VACUUM END"
COMPLETED, FAILED = "COMPLETED", "FAILED"

Commit = Callable[[Operation], None]
"""Makes a version of no actions from the newest one."""

# The schemes for which delta-spark commits, and the names that they have besides.
_LOGGED = frozenset({"file", "hdfs", "gs", "gcs", "az", "abfs", "abfss", "adl", "wasb", "wasbs"})
_ATTEMPTS = 10


def is_logged(url: str, settings: VacuumSettings) -> bool:
    """Say whether the history shows a VACUUM of a table.

    >>> is_logged("file:///t", VacuumSettings()), is_logged("s3://bucket/t", VacuumSettings())
    (True, False)
    """
    if settings.vacuum_logging is not None:
        return settings.vacuum_logging
    return scheme_of(url) in _LOGGED


def commit_start(
    commit: Commit, candidates: VacuumCandidates, retention: Retention, settings: VacuumSettings
) -> None:
    """Commit that deletion begins.

    Args:
        commit: Makes the version.
        candidates: What is to be deleted.
        retention: For how long files are kept.
        settings: What the session says.

    Raises:
        DeltaError: The version cannot be made.
    """
    parameters: dict[str, object] = {
        "retentionCheckEnabled": settings.retention_check,
        "defaultRetentionMillis": retention.of_table_ms,
    }
    if retention.specified_ms is not None:
        parameters["specifiedRetentionMillis"] = retention.specified_ms
    metrics = {
        "numFilesToDelete": str(len(candidates.files) + len(candidates.folders)),
        "sizeOfDataToDelete": str(candidates.size),
    }
    _insist(commit, Operation(START, parameters, metrics))


def commit_end(commit: Commit, deleted: int, visited: int) -> None:
    """Commit that deletion has ended.

    Args:
        commit: Makes the version.
        deleted: How many files and folders are gone.
        visited: How many folders were looked through.

    Raises:
        DeltaError: The version cannot be made.
    """
    metrics = {"numDeletedFiles": str(deleted), "numVacuumedDirectories": str(visited)}
    _insist(commit, Operation(END, {"status": COMPLETED}, metrics))


@contextmanager
def failure_committed(commit: Commit) -> Iterator[None]:
    """Commit that deletion has failed, if it ends with an exception."""
    try:
        yield
    except BaseException:
        try:
            _insist(commit, Operation(END, {"status": FAILED}))
        except (DeltaError, Interrupted):
            # What went wrong before is what the caller has to know.
            _log.warning("the end of the VACUUM is not in the history", exc_info=True)
        raise


def _insist(commit: Commit, operation: Operation) -> None:
    """Commit upon the newest version, again after each conflict: nothing was read of the table."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(DeltaConcurrentModificationError):
            commit(operation)
            return
    commit(operation)
