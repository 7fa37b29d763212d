"""The files of one version that a stream reads, each with its index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.files import files_table
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import encode_path
from puredelta.streaming.admission import Entry
from puredelta.streaming.commits import Commit
from puredelta.streaming.offsets import BASE, METADATA_CHANGE
from puredelta.streaming.options import PathSearch

# The columns that the files of a table are sorted by.
_TIME, _PATH = "time", "path"

_FILES_AT_ONCE = 4096

# Never stored: an offset there becomes the base of the next version.
END = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFiles:
    """The files of a version, in the order of their indexes.

    Attributes:
        version: the version.
        files: rows of `log.files.FILES`.
        initial: the files are all of the table, not those of the commit.
        of_changes: they are those of a change feed.
        recorded: the files are change data files.
        whole: they are read together.
        changes_columns: the stream has to go on with other columns before it reads them.
        excluded: indexes of files that are not read, and do not count for limits.
    """

    version: int
    files: pa.Table
    initial: bool = False
    of_changes: bool = False
    recorded: bool = False
    whole: bool = False
    changes_columns: bool = False
    excluded: frozenset[int] = frozenset()

    def entries(self, *, limited: bool, after: int = BASE) -> Iterator[Entry]:
        """Yield the places of the version; see `admission.last_admitted`.

        Args:
            limited: whether a limit applies to the batch.
            after: the index of the last file that was read; those up to it are passed over.
        """
        version, initial = self.version, self.initial
        # delta-spark's offsets rest at the last change data file when a limit applies.
        framed = not (self.recorded and limited)
        if framed:
            # A stream of changes looks at no further version, not even at one without changes,
            # once it has as many files as it may have.
            yield Entry(version, BASE, initial, needs_room=self.of_changes)
        if self.changes_columns:
            yield Entry(version, METADATA_CHANGE, is_barrier=True)
        for index, size in self._sizes(max(after + 1, 0)):
            if index in self.excluded:
                continue
            yield Entry(version, index, initial, size, whole=self.whole)
        if framed:
            yield Entry(version, END, initial, is_end=True)

    def _sizes(self, first: int) -> Iterator[tuple[int, int]]:
        # A batch of a large table has few of its files, and only they are looked at.
        for start in range(first, self.files.num_rows, _FILES_AT_ONCE):
            sizes = self.files["size"].slice(start, _FILES_AT_ONCE).to_pylist()
            yield from enumerate(sizes, start)

    def between(self, first: int, last: int) -> VersionFiles:
        """Return the files with the indexes from one to another, both included."""
        first = max(first, 0)
        return replace(self, files=self.files.slice(first, max(last - first + 1, 0)))

    def excluded_by(self, exclude: PathSearch) -> frozenset[int]:
        """Return the indexes of the files that are left out.

        Args:
            exclude: finds paths among those that the log has.
        """
        pairs = zip(self.files["path"].to_pylist(), self.files["log_path"].to_pylist(), strict=True)
        paths = [encode_path(path) if given is None else given for path, given in pairs]
        found = exclude(paths)
        return frozenset(index for index, path in enumerate(paths) if path in found)

    def without(self, indexes: frozenset[int]) -> VersionFiles:
        """Return the files but for those with some indexes."""
        mask = pa.array([n not in indexes for n in range(self.files.num_rows)], pa.bool_())
        return replace(self, files=self.files.filter(mask))


def initial_files(snapshot: Snapshot) -> VersionFiles:
    """Return the files of a table as a new stream reads them: by the time they were written.

    Args:
        snapshot: the version at which the stream starts.
    """
    files = snapshot.files
    times, paths = files["modification_time"], _logged_paths(files)
    keys = pa.table({_TIME: times, _PATH: paths})
    order = pc.sort_indices(keys, [(_TIME, "ascending"), (_PATH, "ascending")])
    return VersionFiles(version=snapshot.version, files=files.take(order), initial=True)


def added_files(commit: Commit) -> VersionFiles:
    """Return the files that a commit added."""
    return VersionFiles(version=commit.version, files=files_table(commit.adds))


def _logged_paths(files: pa.Table) -> pa.Array:
    """Return the paths as the log has them, by which delta-spark sorts."""
    paths = files["path"].combine_chunks()
    logged = files["log_path"].combine_chunks()
    plain = pc.match_substring_regex(paths, r"^[a-zA-Z0-9\-_.=/]*$")
    if not pc.all(plain).as_py() or logged.null_count < len(logged):
        texts = [
            given if given is not None else encode_path(path)
            for path, given in zip(paths.to_pylist(), logged.to_pylist(), strict=True)
        ]
        return pa.array(texts, pa.string())
    return paths
