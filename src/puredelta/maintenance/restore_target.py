"""Which version RESTORE goes back to, and whether its files may still be expected."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from puredelta._util.clock import now_ms
from puredelta.errors import DeltaAnalysisError
from puredelta.log.reader import open_table
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.table.protocol.properties import DELETED_FILE_RETENTION


def version_to_restore(log: TableLog, version: int) -> Snapshot:
    """Return the version that RESTORE goes back to.

    Raises:
        DeltaAnalysisError: DELTA_CANNOT_RESTORE_TABLE_VERSION: the log cannot be read at it.
    """
    with _restore_errors():
        return log.at_version(version)


def version_to_restore_at(
    log: TableLog, timestamp_ms: int, show: Callable[[int], str] | None = None
) -> Snapshot:
    """Return the version that was the latest one at a time.

    Args:
        log: The table.
        timestamp_ms: The time, in milliseconds since 1970.
        show: Writes a time for the error; UTC by default.

    Raises:
        DeltaAnalysisError: DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER,
            DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER.
    """
    with _restore_errors():
        return log.at_timestamp(timestamp_ms, show=show)


def open_version_to_restore(
    path: str,
    version: int | None,
    timestamp: str | None,
    options: Mapping[str, str] | None = None,
) -> Snapshot:
    """Return the version of the table at a path that RESTORE goes back to.

    Args:
        path: A folder of this machine or a URL.
        version: The version.
        timestamp: In place of a version, the time whose latest version is meant, in ISO 8601.
        options: What the store needs to get in.

    Raises:
        DeltaAnalysisError: There is no table, or no such version.
    """
    with _restore_errors():
        return open_table(path, version, timestamp, options).snapshot


@contextlib.contextmanager
def _restore_errors() -> Iterator[None]:
    """Raise the conditions of RESTORE in place of those of time travel."""
    try:
        yield
    except DeltaAnalysisError as error:
        found = _restore_error(error)
        if found is None:
            raise
        raise found from error


def _restore_error(error: DeltaAnalysisError) -> DeltaAnalysisError | None:
    given = error.parameters
    match error.condition:
        case "DELTA_VERSION_NOT_FOUND":
            return DeltaAnalysisError(
                "DELTA_CANNOT_RESTORE_TABLE_VERSION",
                version=given["userVersion"],
                startVersion=given["earliest"],
                endVersion=given["latest"],
            )
        case "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION":
            return DeltaAnalysisError(
                "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER",
                requestedTimestamp=given["userTimestamp"],
                earliestTimestamp=given["commitTs"],
            )
        case "DELTA_TIMESTAMP_GREATER_THAN_COMMIT":
            return DeltaAnalysisError(
                "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER",
                requestedTimestamp=given["providedTimestamp"],
                latestTimestamp=given["lastCommitTimestamp"],
            )
        case _:
            return None


def check_not_expired(found: Snapshot, latest: Snapshot) -> None:
    """Refuse a version whose files VACUUM may have deleted; the newest is never refused.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
    """
    # VACUUM takes the retention of the newest version, whatever an older one had.
    retention: timedelta = DELETED_FILE_RETENTION.of(latest.configuration)
    too_old = found.timestamp_ms < now_ms() - retention / timedelta(milliseconds=1)
    # VACUUM deletes no live file, so the newest version is complete however old it is.
    if found.version != latest.version and too_old:
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
            deletedFileRetention=f"{retention.total_seconds() / 3600:g} hours",
        )
