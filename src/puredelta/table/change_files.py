"""Which files contain the changes of each version: change data files, or added and removed files.

Protocol: Change Data Files. A commit that has change data files is described by these alone. In any
other commit the rows of added files are inserts and those of removed files are deletes; where a
file got another deletion vector, the changes are the rows in which both vectors differ.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64

from puredelta.errors import DeltaAnalysisError, DeltaUnsupportedOperationError
from puredelta.log.actions import (
    Action,
    AddCdcFile,
    AddFile,
    CommitInfo,
    Count,
    Metadata,
    RemoveFile,
    decode_commit,
)
from puredelta.log.files import add_files, canonical_path, files_table, qualified
from puredelta.log.history import in_commit_timestamps_from, increasing
from puredelta.log.listing import list_log
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.table.change_columns import (
    CHANGE_TYPE,
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
    DELETE,
    INSERT,
    keeps_changes,
)
from puredelta.table.change_schemas import check_schema
from puredelta.table.deletion_vectors.vectors import inline, read_vector
from puredelta.table.protocol.properties import CHANGE_DATA_FEED

# The row counts that a MERGE reports. When all are 0 it only copied rows to new files, and
# delta-spark passes over the commit.
_MERGED = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")

# More rows than a Parquet file has; stands in where the log does not record their number.
_ROWS_AT_MOST = 1 << 32


class _RowCount(msgspec.Struct, rename="camel"):
    num_records: Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """The files that contain changes, as rows of `log.files.FILES`.

    Version and time of the commit are added to their partition values, and for `derived` the type
    of the change, which the rows of change data files contain themselves. The deletion vector of a
    file in `derived` hides the rows that have not changed.

    Attributes:
        change_files: change data files.
        derived: data files that were added or removed.
    """

    change_files: pa.Table
    derived: pa.Table


def changed_files(log: TableLog, start: int, end: int, read: Metadata) -> ChangedFiles:
    """Find the files that contain the changes of some versions.

    Args:
        log: of the table.
        start: the first version whose changes are given.
        end: the last version; the result is empty when it is before `start`.
        read: the metadata whose schema the changes are read with.

    Raises:
        DeltaAnalysisError: DELTA_MISSING_CHANGE_DATA, DELTA_VERSION_NOT_FOUND.
        DeltaUnsupportedOperationError: DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA and
            DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE.
    """
    written: list[AddFile] = []
    derived: list[AddFile] = []
    span = _Span(log, start, end, read)
    for commit in span.commits():
        written.extend(commit.recorded())
        derived.extend(commit.stamped(commit.derived()))
    return ChangedFiles(change_files=files_table(written), derived=files_table(derived))


def check_keeps_changes(metadata: Metadata, version: int, start: int, end: int) -> None:
    """Refuse a version that did not record its changes.

    Args:
        metadata: of the version.
        version: the version.
        start: the first version whose changes are read, for the message.
        end: the last one, for the message.

    Raises:
        DeltaAnalysisError: DELTA_MISSING_CHANGE_DATA.
    """
    if not keeps_changes(metadata.configuration):
        raise DeltaAnalysisError(
            "DELTA_MISSING_CHANGE_DATA",
            startVersion=start,
            endVersion=end,
            version=version,
            key=CHANGE_DATA_FEED.key,
        )


@dataclass(frozen=True, slots=True)
class _Span:
    """The commits of a range of versions, each of which must have kept its changes."""

    log: TableLog
    start: int
    end: int
    read: Metadata

    def commits(self) -> Iterator["CommitChanges"]:
        if self.start > self.end:
            return
        first = self.log.at_version(self.start).metadata
        try:
            self._check(first, self.start, at_start=True)
        except DeltaUnsupportedOperationError:
            # delta-spark reports a schema change within the range before the schema at its start.
            self._check_changes()
            raise
        # The times of all commits are needed: each is raised above those before it.
        times = self._times()
        for version in range(self.start, self.end + 1):
            name = commit_name(version)
            store = self.log.store
            actions = qualified(decode_commit(store.read(name), name), store.url)
            # Before its files are used, which may not fit the schema that they are read with.
            self._check_change(version, actions)
            yield CommitChanges(self.log, version, times.get(version, 0), actions)

    def _check_changes(self) -> None:
        """Refuse the first schema change in the range that makes its changes unreadable."""
        for version in range(self.start, self.end + 1):
            name = commit_name(version)
            self._check_change(version, decode_commit(self.log.store.read(name), name))

    def _check_change(self, version: int, actions: Sequence[Action]) -> None:
        for action in actions:
            if isinstance(action, Metadata) and version > self.start:
                self._check(action, version, at_start=False)

    def _check(self, metadata: Metadata, version: int, *, at_start: bool) -> None:
        check_keeps_changes(metadata, version, self.start, self.end)
        check_schema(self.read, metadata, (self.start, self.end), version, at_start=at_start)

    def _times(self) -> dict[int, int]:
        """Return the modification times of commit files, made to increase as in the history."""
        commits = sorted(list_log(self.log.store).commits.items())
        times = increasing([info.modified_ms for _, info in commits])
        return {version: time for (version, _), time in zip(commits, times, strict=True)}


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """The changes of one commit.

    Attributes:
        log: of the table.
        version: that the commit made.
        file_time: of the commit's file, made to increase as in the history.
        actions: of the commit.
    """

    log: TableLog
    version: int
    file_time: int
    actions: Sequence[Action]

    @property
    def stamps(self) -> dict[str, str | None]:
        """Version and time of the commit, as partition values of its changes."""
        return stamps_of(self.version, self._time)

    def recorded(self) -> list[AddFile]:
        """Return the change data files, with version and time."""
        stamps = self.stamps
        return [_as_file(cdc, stamps) for cdc in self.change_files]

    def stamped(self, changes: Iterable[tuple[str, AddFile]]) -> list[AddFile]:
        """Return data files with the type of their change, version and time."""
        stamps = self.stamps
        return [stamped_file(file, kind, stamps) for kind, file in changes]

    @property
    def _time(self) -> int:
        since = in_commit_timestamps_from(self.log.latest().metadata)
        recorded = self._info.in_commit_timestamp
        # Protocol, In-Commit Timestamps: versions before the enablement go by the file's time, even
        # if an earlier period with the feature left timestamps in them.
        in_force = since is not None and self.version >= since
        return recorded if in_force and recorded else self.file_time

    @property
    def _info(self) -> CommitInfo:
        return next(
            (action for action in self.actions if isinstance(action, CommitInfo)), CommitInfo()
        )

    @property
    def change_files(self) -> list[AddCdcFile]:
        """The change data files, as the log has them."""
        return [action for action in self.actions if isinstance(action, AddCdcFile)]

    def derived(self) -> Iterator[tuple[str, AddFile]]:
        """Yield the type of change, and the file whose rows not hidden by its vector changed so."""
        if self.change_files or self.changed_nothing:
            return
        came, went = self._files()
        for path, file in came.items():
            if path in went:
                yield from self._between(went[path], file)
            else:
                yield INSERT, file
        for path, file in went.items():
            if path not in came:
                yield DELETE, file

    def in_order(self) -> Iterator[tuple[str, AddFile]]:
        """Yield the files that came or went, as `derived` does, in the order of the commit.

        It is for commits in which no file came and went, and so none got another vector.
        """
        for action in self.actions:
            if isinstance(action, AddFile) and action.data_change:
                yield INSERT, action
            elif isinstance(action, RemoveFile) and action.data_change:
                yield DELETE, self._as_it_was(action)

    @property
    def changed_nothing(self) -> bool:
        """Whether a MERGE only copied rows to new files."""
        info = self._info
        metrics = info.operation_metrics or {}
        return info.operation == "MERGE" and all(metrics.get(name) == "0" for name in _MERGED)

    def _files(self) -> tuple[dict[str, AddFile], dict[str, AddFile]]:
        """Return the added and the removed files, by their paths."""
        # Without the deletion vector in the key, since a file that only got another vector is both
        # added and removed, and its rows must not count as deleted and inserted.
        came: dict[str, AddFile] = {}
        went: dict[str, AddFile] = {}
        for action in self.actions:
            if isinstance(action, AddFile) and action.data_change:
                came[canonical_path(action.path)] = action
            elif isinstance(action, RemoveFile) and action.data_change:
                went[canonical_path(action.path)] = self._as_it_was(action)
        return came, went

    def _as_it_was(self, removed: RemoveFile) -> AddFile:
        """Return a removed file as it was; the `remove` of older writers lacks its metadata."""
        # Protocol, Add File and Remove File: both are optional in a `remove`, and the version
        # before is certain to have the file with all of its metadata.
        if removed.partition_values is None or removed.size is None:
            path = canonical_path(removed.path)
            files = self.log.at_version(self.version - 1).files
            return add_files(files.filter(pc.equal(files["path"], path)))[0]
        return AddFile(
            path=removed.path,
            partition_values=removed.partition_values,
            size=removed.size,
            modification_time=0,
            data_change=True,
            stats=removed.stats,
            deletion_vector=removed.deletion_vector,
        )

    def _between(self, before: AddFile, after: AddFile) -> Iterator[tuple[str, AddFile]]:
        """Yield a file with the rows that only one of two deletion vectors deletes."""
        old, new = self._marked(before), self._marked(after)
        for kind, rows in ((DELETE, new - old), (INSERT, old - new)):
            if rows:
                # A scan hides what the vector contains, so it has to contain all other rows.
                others = BitMap64()
                others.add_range(0, _row_count(after) or _row_count(before) or _ROWS_AT_MOST)
                yield kind, msgspec.structs.replace(after, deletion_vector=inline(others - rows))

    def _marked(self, file: AddFile) -> BitMap64:
        store, vector = self.log.store, file.deletion_vector
        if vector is None:
            return BitMap64()
        return read_vector(store, store.url, vector, file=file.path)


def stamps_of(version: int, milliseconds: int) -> dict[str, str | None]:
    """Return version and time of a commit, as partition values of its changes."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f") + "Z"
    return {COMMIT_VERSION: str(version), COMMIT_TIMESTAMP: text}


def stamped_file(file: AddFile, kind: str, stamps: Mapping[str, str | None]) -> AddFile:
    """Return a data file with the type of its change, and version and time of the commit."""
    values = {**file.partition_values, **stamps, CHANGE_TYPE: kind}
    return msgspec.structs.replace(file, partition_values=values)


def _as_file(cdc: AddCdcFile, stamps: Mapping[str, str | None]) -> AddFile:
    return AddFile(
        path=cdc.path,
        partition_values={**cdc.partition_values, **stamps},
        size=cdc.size,
        modification_time=0,
        data_change=False,
    )


def _row_count(file: AddFile) -> int | None:
    """Return how many rows the log says that a file has; None where it says nothing of use."""
    try:
        found = msgspec.json.decode(file.stats or "{}", type=_RowCount).num_records
    except (msgspec.DecodeError, RecursionError):
        return None
    # A claim of more rows than a file can have would make a bitmap of as many.
    return None if found is None else min(found, _ROWS_AT_MOST)
