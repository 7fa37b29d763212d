"""What a stream makes of a commit: the rows that it added, or all changes of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.streaming.changes import ChangesOfVersions
from puredelta.streaming.commit_checks import check_rows_stay, skips_commit
from puredelta.streaming.commits import Commit
from puredelta.streaming.options import StreamOptions
from puredelta.streaming.version_files import VersionFiles, added_files
from puredelta.table.change_files import check_keeps_changes


class Reading(Protocol):
    """What a stream makes of a commit."""

    @property
    def excludes_first(self) -> bool:
        """Whether files that the reader excludes are left out before limits are applied."""
        ...

    def check_start(self, metadata: Metadata, version: int, /) -> None:
        """Refuse a version that a stream cannot go on from."""
        ...

    def check(self, commit: Commit, /) -> None:
        """Refuse a commit that a stream cannot read."""
        ...

    def files_of(self, commit: Commit, /) -> VersionFiles:
        """Return the files of a commit that are read."""
        ...

    def initial(self, part: VersionFiles, snapshot: Snapshot, /) -> VersionFiles:
        """Return files of the initial table as they are read."""
        ...


@dataclass(frozen=True, slots=True)
class NewRows:
    """Reads the rows of the files that commits add.

    Attributes:
        options: of the stream.
        root: of the table, for messages.
    """

    options: StreamOptions
    root: str

    @property
    def excludes_first(self) -> bool:
        """Excluded files use up the limits."""
        return False

    def check_start(self, metadata: Metadata, version: int) -> None:
        """Any version will do."""

    def check(self, commit: Commit) -> None:
        """Refuse a commit that removes or changes rows; see `check_rows_stay`."""
        check_rows_stay(commit, self.options, self.root)

    def files_of(self, commit: Commit) -> VersionFiles:
        """Return the files that a commit added."""
        found = added_files(commit)
        return found.between(0, -1) if skips_commit(commit, self.options) else found

    def initial(self, part: VersionFiles, _snapshot: Snapshot) -> VersionFiles:
        """Return the files as they are."""
        return part


@dataclass(frozen=True, slots=True)
class RowChanges:
    """Reads what commits inserted, updated and deleted.

    Attributes:
        changes: finds the files.
        latest: the newest version, for messages.
    """

    changes: ChangesOfVersions
    latest: int

    @property
    def excludes_first(self) -> bool:
        """Excluded files do not count."""
        return True

    def check_start(self, metadata: Metadata, version: int) -> None:
        """Refuse a version without a change data feed; see `check_keeps_changes`."""
        check_keeps_changes(metadata, version, version, max(version, self.latest))

    def check(self, commit: Commit) -> None:
        """Refuse a commit that turns the change data feed off."""
        if commit.metadata is not None:
            self.check_start(commit.metadata, commit.version)

    def files_of(self, commit: Commit) -> VersionFiles:
        """Return the files that contain the changes of a commit."""
        return self.changes.of(commit)

    def initial(self, part: VersionFiles, snapshot: Snapshot) -> VersionFiles:
        """Return the files as insertions of the version."""
        return self.changes.stamped(part, snapshot)
