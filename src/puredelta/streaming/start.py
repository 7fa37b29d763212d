"""Where a new stream starts: at the table as it is, at a version, or at a time."""

from __future__ import annotations

from collections.abc import Callable

from puredelta.errors import DeltaAnalysisError
from puredelta.log.listing import list_log
from puredelta.log.table_log import TableLog
from puredelta.streaming.options import LATEST, StreamOptions

_MICROS_PER_MILLISECOND = 1000


def starting_version(
    log: TableLog,
    options: StreamOptions,
    micros: Callable[[str], int],
    *,
    can_be_after: bool,
    show: Callable[[int], str] | None = None,
) -> int | None:
    """Return the first version whose commit a stream reads; None for the table as it is.

    Args:
        log: of the table.
        options: of the stream.
        micros: converts a timestamp to microseconds since 1970.
        can_be_after: a version or a time after the newest version is waited for.
        show: writes a time in milliseconds for errors.

    Raises:
        DeltaAnalysisError: DELTA_VERSION_NOT_FOUND, DELTA_TIMESTAMP_GREATER_THAN_COMMIT.
    """
    if options.starting_version == LATEST:
        return log.latest().version + 1
    if options.starting_version is not None:
        version = int(options.starting_version)
        _check_exists(log, version, can_be_after=can_be_after)
        return version
    if options.starting_timestamp is None:
        return None
    # Commit times are whole milliseconds; a time in between means the next of them.
    milliseconds = -(-micros(options.starting_timestamp) // _MICROS_PER_MILLISECOND)
    return _first_at(log, milliseconds, can_be_after=can_be_after, show=show)


def _check_exists(log: TableLog, version: int, *, can_be_after: bool) -> None:
    latest = log.latest().version
    if version > latest:
        if can_be_after:
            return
        listing = list_log(log.store)
        raise DeltaAnalysisError(
            "DELTA_VERSION_NOT_FOUND",
            userVersion=version,
            earliest=listing.earliest_readable() or 0,
            latest=latest,
        )
    # The protocol of the version is checked with it, and says whether its files can be read.
    log.at_version(version)


def _first_at(
    log: TableLog, milliseconds: int, *, can_be_after: bool, show: Callable[[int], str] | None
) -> int:
    """Return the first version that was made at or after a time."""
    try:
        # It raises for a time after the newest version.
        log.version_at(milliseconds, can_be_after=can_be_after, show=show)
        return log.version_at(milliseconds - 1, can_be_after=True, show=show) + 1
    except DeltaAnalysisError as error:
        if error.condition != "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION":
            raise
        return list_log(log.store).earliest_readable() or 0
