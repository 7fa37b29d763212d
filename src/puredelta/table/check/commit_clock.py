"""Do in-commit timestamps go forward from version to version?

Protocol: In-Commit Timestamps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from puredelta.log.actions import Action, CommitInfo, Metadata
from puredelta.log.history import in_commit_timestamps_from
from puredelta.table.check.finding import Finding, error


class CommitClock:
    """The time of the newest commit, by the log itself; grows with each commit."""

    def __init__(self) -> None:
        self._since: int | None = None
        self._newest: tuple[int, int] | None = None

    def follow(self, metadata: Metadata | None) -> None:
        """Learn from metadata from which version on commits have a time."""
        if metadata is not None:
            self._since = in_commit_timestamps_from(metadata)

    def findings(self, version: int, name: str, actions: Sequence[Action]) -> Iterator[Finding]:
        """Compare the time of a commit with that of the commit before it.

        Args:
            version: The version that it made.
            name: Its name.
            actions: What it holds.
        """
        for action in actions:
            if isinstance(action, Metadata):
                self.follow(action)
        if self._since is None or version < self._since:
            # The times of commits without the feature are no part of the order.
            self._newest = None
            return
        infos = [action for action in actions if isinstance(action, CommitInfo)]
        time = infos[0].in_commit_timestamp if infos else None
        if time is None:
            text = "It has no inCommitTimestamp, and the table has the feature inCommitTimestamp."
            yield error("commit-time-missing", name, text)
            return
        if self._newest is not None and time <= self._newest[1]:
            before, known = self._newest
            message = (
                f"Its inCommitTimestamp {time} is not after {known}, that of version {before}."
            )
            yield error("commit-time-back", name, f"{message} Time travel finds a wrong version.")
        self._newest = max(self._newest or (version, time), (version, time), key=_time)


def _time(commit: tuple[int, int]) -> int:
    return commit[1]
