"""The files that a VACUUM must not delete: those of versions within the retention.

More is kept here than a snapshot remembers. Its tombstones say when a removal began, which may be
long before its commit, and checkpoints forget tombstones after the table's own retention. So all
commits since the time from which on versions stay readable are read, and what they name is kept:
data files, vectors, and change files, of which a snapshot knows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow.compute as pc

from puredelta.errors import ConcurrentWriteError
from puredelta.log.listing import list_log
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.named_files import (
    data_file_names,
    names_of,
    naming_lines,
    vector_file_names,
)
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.maintenance.vacuum.versions import LoggedVersions


class KeptFiles:
    """Names below the table that stay, and grows as other writers commit.

    Args:
        log: The table.
        snapshot: Its newest version.
        versions: Its commits.
        root: Its folder.
        since_ms: The time from which on versions stay readable, in milliseconds since 1970.

    Raises:
        DeltaIllegalStateError: The log is damaged, or a path of it has no one meaning.

    Attributes:
        names: The names.
    """

    def __init__(
        self,
        log: TableLog,
        snapshot: Snapshot,
        versions: LoggedVersions,
        root: TableRoot,
        since_ms: int,
    ) -> None:
        self._log = log
        self._root = root
        self._snapshot = snapshot
        tombstones = snapshot.tombstones()
        expires = pc.fill_null(tombstones["deletion_timestamp"], 0)
        recent = tombstones.filter(pc.greater_equal(expires, since_ms))
        self.names: set[str] = set()
        for files in (snapshot.files, recent):
            self._keep(data_file_names(files, root))
            self._keep(vector_file_names(files, root))
        for _, lines in naming_lines(log.store, versions.within_retention):
            self._keep(names_of(root, (line.file for line in lines if line.file)))

    def follow(self) -> set[str]:
        """Add what other writers have committed meanwhile.

        A writer may have written a file long ago and commit it now, and RESTORE brings back files
        whose tombstones have expired. Called before each deletion, this leaves them no more than
        the moment between the question and the deletion.

        Returns:
            The names that were added; often they are known already.

        Raises:
            ConcurrentWriteError: PUREDELTA_VACUUM_TABLE_REPLACED: another table is there now.
        """
        latest = self._log.latest()
        known = self._snapshot.segment.last_commit
        if (latest.version, latest.segment.last_commit) == (self._snapshot.version, known):
            return set()
        listing = list_log(self._log.store, self._snapshot.version)
        wanted = range(self._snapshot.version + 1, latest.version + 1)
        # The commit of a known version changes when the table is deleted and made anew.
        is_same = known is None or listing.commits.get(self._snapshot.version) in (known, None)
        if not is_same or any(version not in listing.commits for version in wanted):
            raise ConcurrentWriteError(
                "PUREDELTA_VACUUM_TABLE_REPLACED", table=self._root.url, version=latest.version
            )
        found: set[str] = set()
        for _, lines in naming_lines(self._log.store, [listing.commits[v] for v in wanted]):
            found.update(
                self._keep(names_of(self._root, (line.file for line in lines if line.file)))
            )
        self._snapshot = latest
        return found

    def _keep(self, names: Iterable[str]) -> set[str]:
        """Keep files by their names, and by those that they have without links in the table."""
        found: set[str] = set()
        for name in names:
            found |= {name, self._root.without_links(name)}
        self.names |= found
        return found

    def folders(self) -> set[str]:
        """Return the folders that something lies in which is kept."""
        return set(folders_above(self.names))


def folders_above(names: Iterable[str]) -> Iterator[str]:
    """Yield the folders in which files lie, at any depth, each once.

    >>> sorted(folders_above(["p=1/q=2/a", "p=1/b"]))
    ['p=1', 'p=1/q=2']
    """
    seen: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]
