"""The files of a version for a stream of changes: what each commit recorded, or came and went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from puredelta.log.actions import AddFile
from puredelta.log.files import add_files, canonical_path, files_table
from puredelta.log.history import in_commit_timestamps_from, increasing, read_commit_info
from puredelta.log.listing import list_log
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.streaming.commits import Commit
from puredelta.streaming.version_files import VersionFiles
from puredelta.table.change_columns import INSERT
from puredelta.table.change_files import CommitChanges, stamped_file, stamps_of


@dataclass(slots=True)
class ChangesOfVersions:
    """Finds the files that contain the changes of a version.

    Attributes:
        log: of the table.
    """

    log: TableLog
    _times: dict[int, int] = field(default_factory=dict)

    def of(self, commit: Commit) -> VersionFiles:
        """Return the files of a commit.

        Files that got another deletion vector are taken together with all others of the commit:
        their changes are the rows in which both vectors differ.
        """
        changes = CommitChanges(
            self.log, commit.version, self._time(commit.version), commit.actions
        )
        if commit.change_files:
            return _of_changes(commit, changes.recorded(), recorded=True, whole=True)
        if _has_pairs(commit):
            return _of_changes(commit, changes.stamped(changes.derived()), whole=True)
        shown = () if changes.changed_nothing else changes.in_order()
        return _of_changes(commit, changes.stamped(shown))

    def stamped(self, part: VersionFiles, snapshot: Snapshot) -> VersionFiles:
        """Return files of the initial table as insertions by the version at which it is read.

        Args:
            part: some of its files.
            snapshot: the version.
        """
        stamps = stamps_of(part.version, self._time_of(snapshot))
        adds = [
            msgspec.structs.replace(stamped_file(add, INSERT, stamps), stats=None)
            for add in add_files(part.files)
        ]
        return replace(part, files=files_table(adds))

    def _time_of(self, snapshot: Snapshot) -> int:
        since = in_commit_timestamps_from(snapshot.metadata)
        if since is not None and snapshot.version >= since:
            info = read_commit_info(self.log.store, snapshot.version)
            if info is not None and info.in_commit_timestamp is not None:
                return info.in_commit_timestamp
        return self._time(snapshot.version)

    def _time(self, version: int) -> int:
        """Return the modification time of a commit file, made to increase as in the history."""
        if version not in self._times:
            known = max(self._times, default=-1)
            last = self._times.get(known)
            commits = sorted(list_log(self.log.store, known + 1).commits.items())
            before = [] if last is None else [last]
            times = increasing([*before, *(info.modified_ms for _, info in commits)])
            numbers = [number for number, _ in commits]
            self._times.update(zip(numbers, times[len(before) :], strict=True))
        return self._times.get(version, 0)


def _of_changes(
    commit: Commit, files: Sequence[AddFile], *, recorded: bool = False, whole: bool = False
) -> VersionFiles:
    return VersionFiles(
        version=commit.version,
        files=files_table(files),
        of_changes=True,
        recorded=recorded,
        whole=whole,
    )


def _has_pairs(commit: Commit) -> bool:
    """Say whether a file may have got another deletion vector."""
    vectors = [file.deletion_vector for file in commit.adds]
    vectors += [file.deletion_vector for file in commit.removes]
    if any(vector is not None for vector in vectors):
        return True
    came = {canonical_path(add.path) for add in commit.adds}
    return any(canonical_path(remove.path) in came for remove in commit.removes)
