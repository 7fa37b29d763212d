"""When each version was made, by whom and how."""

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import msgspec

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.actions import CommitInfo, Metadata, decode_commit_info, decode_lines
from puredelta.log.listing import list_log
from puredelta.log.names import LOG_FOLDER, commit_name
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

_logger = logging.getLogger(__name__)

# Enough for the commitInfo of most commits, which is the first line.
_HEAD_BYTES = 16 * 1024


@dataclass(frozen=True)
class CommitRecord:
    """One line of a table's history.

    Attributes:
        version: The version.
        timestamp_ms: When it was made, in milliseconds since 1970.
        info: What the writer said of it, or None when it said nothing.
    """

    version: int
    timestamp_ms: int
    info: CommitInfo | None


def history(store: Store, metadata: Metadata, limit: int | None = None) -> list[CommitRecord]:
    """Return the history of a table, newest version first.

    Args:
        store: Where the table lies.
        metadata: The latest metadata of the table.
        limit: How many versions to look at.
    """
    commits = _commits(store)
    # The time of a version depends on all before it, also on those that `limit` leaves out.
    times = increasing([info.modified_ms for _, info in commits])
    since = in_commit_timestamps_from(metadata)
    newest = list(zip(commits, times, strict=True))[::-1][:limit]
    records = []
    for (version, _), time in newest:
        info = read_commit_info(store, version)
        # A commit without the timestamp that it should have is shown with the time of its file.
        # Time travel, in contrast, refuses to guess.
        if since is not None and version >= since and info and info.in_commit_timestamp:
            records.append(CommitRecord(version, info.in_commit_timestamp, info))
        else:
            records.append(CommitRecord(version, time, info))
    return records


def history_row(record: CommitRecord) -> dict[str, Any]:
    """Return the columns of `DESCRIBE HISTORY`; the time is `timestamp`, in milliseconds.

    Operation parameters become text: a JSON string without its quotes, anything else as JSON.
    A commit that has commit info but names none has an empty map.
    """
    info = record.info or CommitInfo()
    return {
        "version": record.version,
        "timestamp": record.timestamp_ms,
        "userId": info.user_id,
        "userName": info.user_name,
        "operation": info.operation,
        "operationParameters": None if record.info is None else _texts(info.operation_parameters),
        "job": info.job,
        "notebook": info.notebook,
        "clusterId": info.cluster_id,
        "readVersion": info.read_version,
        "isolationLevel": info.isolation_level,
        "isBlindAppend": info.is_blind_append,
        "operationMetrics": info.operation_metrics,
        "userMetadata": info.user_metadata,
        "engineInfo": info.engine_info,
    }


def version_at(
    store: Store,
    metadata: Metadata,
    timestamp_ms: int,
    *,
    can_be_after: bool = False,
    show: Callable[[int], str] | None = None,
) -> int:
    """Return the newest version that was made at or before a time.

    Args:
        store: Where the table lies.
        metadata: The latest metadata of the table.
        timestamp_ms: The time, in milliseconds since 1970.
        can_be_after: Take the latest version for a time after it, in place of an error.
        show: Writes a time for the error; UTC by default.

    Raises:
        DeltaAnalysisError: The time is before the first version that can be read, or after the
            last one.
    """
    commits = _readable_commits(store)
    times = _Times(store, commits, in_commit_timestamps_from(metadata))
    # In-commit timestamps are inside the commits, and bisection reads only a few of these.
    found = bisect_right(range(len(commits)), timestamp_ms, key=times.at)
    show = show or _utc_text
    if found == 0:
        raise DeltaAnalysisError(
            "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
            userTimestamp=show(timestamp_ms),
            commitTs=show(times.at(0)),
            timestampString=show(times.at(0)),
        )
    last = len(commits) - 1
    if found > last and not can_be_after and timestamp_ms > times.at(last):
        raise DeltaAnalysisError(
            "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
            providedTimestamp=show(timestamp_ms),
            lastCommitTimestamp=show(times.at(last)),
            maximumTimestamp=show(times.at(last)),
        )
    return commits[found - 1][0]


def increasing(times: Iterable[int]) -> list[int]:
    """Make times increase strictly: one that does not counts as the one before plus 1 ms.

    >>> increasing([5, 3, 9])
    [5, 6, 9]
    """
    found: list[int] = []
    for time in times:
        found.append(max(time, found[-1] + 1) if found else time)
    return found


def in_commit_timestamps_from(metadata: Metadata) -> int | None:
    """Return the first version whose timestamp is in the commit, or None when none is.

    Protocol: In-Commit Timestamps.
    """
    properties = metadata.configuration
    if properties.get("delta.enableInCommitTimestamps", "").lower() != "true":
        return None
    # Protocol: In-Commit Timestamps. Only a table that enabled them later has the property.
    return int(properties.get("delta.inCommitTimestampEnablementVersion", 0))


def read_commit_info(store: Store, version: int) -> CommitInfo | None:
    """Read what the writer of a version said of it; None when nothing, or the file is gone."""
    name = commit_name(version)
    try:
        head = store.read_range(name, 0, _HEAD_BYTES)
        first, newline, _ = head.partition(b"\n")
        # delta-spark writes commitInfo first, other writers write it anywhere or not at all.
        if newline and (info := _info_in(first, name)):
            return info
        return _info_in(head if len(head) < _HEAD_BYTES else store.read(name), name)
    except ObjectNotFound:
        return None


class _Times:
    """The times of commits, by their index in a list; in-commit ones are read when asked for."""

    def __init__(
        self, store: Store, commits: Sequence[tuple[int, ObjectInfo]], since: int | None
    ) -> None:
        self._store = store
        self._versions = [version for version, _ in commits]
        self._file_times = increasing([info.modified_ms for _, info in commits])
        self._since = since

    def at(self, index: int) -> int:
        version = self._versions[index]
        if self._since is None or version < self._since:
            return self._file_times[index]
        info = read_commit_info(self._store, version)
        if info is None:
            raise _missing("DELTA_MISSING_COMMIT_INFO", version)
        if info.in_commit_timestamp is None:
            raise _missing("DELTA_MISSING_COMMIT_TIMESTAMP", version)
        return info.in_commit_timestamp


def _texts(parameters: Mapping[str, Any] | None) -> dict[str, str | None]:
    return {name: _parameter_text(value) for name, value in (parameters or {}).items()}


def _parameter_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def _missing(condition: str, version: int) -> DeltaIllegalStateError:
    return DeltaIllegalStateError(condition, featureName="inCommitTimestamp", version=version)


def _info_in(data: bytes, name: str) -> CommitInfo | None:
    for line in decode_lines(data, name):
        if line.commit_info:
            return decode_commit_info(line.commit_info)
    return None


def _commits(store: Store) -> list[tuple[int, ObjectInfo]]:
    return sorted(list_log(store).commits.items())


def _readable_commits(store: Store) -> list[tuple[int, ObjectInfo]]:
    """List the commits whose versions can be read: from a checkpoint or version 0 on."""
    listing = list_log(store)
    earliest = listing.earliest_readable()
    found = sorted(item for item in listing.commits.items() if item[0] >= (earliest or 0))
    if earliest is None or not found:
        raise DeltaAnalysisError(
            "DELTA_NO_RECREATABLE_HISTORY_FOUND", logPath=f"{store.url}/{LOG_FOLDER}"
        )
    return found


def _utc_text(timestamp_ms: int) -> str:
    return datetime.fromtimestamp(timestamp_ms / 1000, timezone.utc).isoformat(
        sep=" ", timespec="milliseconds"
    )
