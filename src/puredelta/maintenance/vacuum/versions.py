"""Which versions are within the retention, and which commits made what came after them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.history import in_commit_timestamps_from, increasing, version_at
from puredelta.log.listing import list_log
from puredelta.storage.store import ObjectInfo, Store


@dataclass(frozen=True, slots=True)
class LoggedVersions:
    """The commits of a table, as far as the log still has them.

    Attributes:
        commits: The commits, oldest first, with their versions.
        earliest_readable: The oldest version that the log can be read at; None for none.
        last_expired: The newest version made at or before the time from which on versions stay
            readable, which is the oldest that stays so; None where all are newer.
    """

    commits: Sequence[tuple[int, ObjectInfo]]
    earliest_readable: int | None
    last_expired: int | None

    @property
    def earliest(self) -> int | None:
        """The oldest version whose commit is there."""
        return self.commits[0][0] if self.commits else None

    def since(self, version: int, until: int | None = None) -> list[ObjectInfo]:
        """Return the commits from a version on, up to and with another."""
        return [
            info
            for number, info in self.commits
            if number >= version and (until is None or number <= until)
        ]

    @property
    def within_retention(self) -> list[ObjectInfo]:
        """The commits whose removals took files from a version that stays readable."""
        return self.since(-1 if self.last_expired is None else self.last_expired + 1)


def logged_versions(store: Store, metadata: Metadata, since_ms: int) -> LoggedVersions:
    """List the versions of a table.

    Args:
        store: The table.
        metadata: Its newest metadata.
        since_ms: The time from which on versions stay readable, in milliseconds since 1970.
    """
    listing = list_log(store)
    commits = sorted(listing.commits.items())
    times = increasing(info.modified_ms for _, info in commits)
    count = bisect_right(times, since_ms)
    expired = commits[count - 1][0] if count else None
    if expired is not None and in_commit_timestamps_from(metadata) is not None:
        # Time travel goes by the times inside the commits, and the times of files may be older,
        # of a copied table for instance. The earlier version of both keeps more.
        expired = _earlier(expired, _by_time_inside(store, metadata, since_ms))
    return LoggedVersions(commits, listing.earliest_readable(), expired)


def _by_time_inside(store: Store, metadata: Metadata, since_ms: int) -> int | None:
    try:
        return version_at(store, metadata, since_ms, can_be_after=True)
    except DeltaAnalysisError:
        # The time is before all versions that can be read.
        return None


def _earlier(version: int, other: int | None) -> int | None:
    return None if other is None else min(version, other)
