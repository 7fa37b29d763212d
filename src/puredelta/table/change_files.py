"""Which files say what changed from version to version: change files, or what came and went.

Protocol: Change Data Files. A commit that has change files is described by these alone; of any
other, files that came are inserts, files that went are deletes, and where a file stayed with
another deletion vector, the rows between the two are.
"""

from collections.abc import Iterator, Mapping, Sequence
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

# What MERGE says of rows; where all say none, it only wrote rows anew.
_MERGED = ("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted")

# No file of Parquet has as many rows; for those whose number the log does not say.
_ROWS_AT_MOST = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFiles:
    """The files that say what changed, as rows of `log.files.FILES`.

    Their partition values say also in which version, and when; those of `derived` likewise which
    kind of change it is, which rows of `told` say themselves. What a deletion vector marks there is
    what has not changed.

    Attributes:
        told: change files.
        derived: data files that came or went.
    """

    told: pa.Table
    derived: pa.Table


def changed_files(log: TableLog, start: int, end: int, read: Metadata) -> ChangedFiles:
    """Find the files that say what changed.

    Args:
        log: of the table.
        start: the first version whose changes are given.
        end: the last one; nothing is given where it comes before the first.
        read: the metadata whose schema the changes are read with.

    Raises:
        DeltaAnalysisError: DELTA_MISSING_CHANGE_DATA, DELTA_VERSION_NOT_FOUND.
        DeltaUnsupportedOperationError: DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA and
            DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE.
    """
    known: list[AddFile] = []
    derived: list[AddFile] = []
    span = _Span(log, start, end, read)
    for commit in span.commits():
        stamps = commit.stamps
        known.extend(_as_file(cdc, stamps) for cdc in commit.change_files)
        for kind, file in commit.derived():
            values = {**file.partition_values, **stamps, CHANGE_TYPE: kind}
            derived.append(msgspec.structs.replace(file, partition_values=values))
    return ChangedFiles(told=files_table(known), derived=files_table(derived))


@dataclass(frozen=True, slots=True)
class _Span:
    """The commits of a range of versions, each of which must have kept its changes."""

    log: TableLog
    start: int
    end: int
    read: Metadata

    def commits(self) -> Iterator["_Commit"]:
        if self.start > self.end:
            return
        first = self.log.at_version(self.start).metadata
        try:
            self._check(first, self.start, at_start=True)
        except DeltaUnsupportedOperationError:
            self._check_changes()
            raise
        times = self._times()
        for version in range(self.start, self.end + 1):
            name = commit_name(version)
            store = self.log.store
            actions = qualified(decode_commit(store.read(name), name), store.url)
            self._check_change(version, actions)
            yield _Commit(self.log, version, times.get(version, 0), actions)

    def _check_changes(self) -> None:
        """Report a change in the range that cannot be read rather than of how it begins."""
        for version in range(self.start, self.end + 1):
            name = commit_name(version)
            self._check_change(version, decode_commit(self.log.store.read(name), name))

    def _check_change(self, version: int, actions: Sequence[Action]) -> None:
        for action in actions:
            if isinstance(action, Metadata) and version > self.start:
                self._check(action, version, at_start=False)

    def _check(self, metadata: Metadata, version: int, *, at_start: bool) -> None:
        if not keeps_changes(metadata.configuration):
            raise DeltaAnalysisError(
                "DELTA_MISSING_CHANGE_DATA",
                startVersion=self.start,
                endVersion=self.end,
                version=version,
                key=CHANGE_DATA_FEED.key,
            )
        check_schema(self.read, metadata, (self.start, self.end), version, at_start=at_start)

    def _times(self) -> dict[int, int]:
        """Return when commit files were made, made to increase as in the history."""
        commits = sorted(list_log(self.log.store).commits.items())
        times = increasing([info.modified_ms for _, info in commits])
        return {version: time for (version, _), time in zip(commits, times, strict=True)}


@dataclass(frozen=True, slots=True)
class _Commit:
    log: TableLog
    version: int
    file_time: int
    actions: Sequence[Action]

    @property
    def stamps(self) -> dict[str, str | None]:
        """What all changes of the commit say of it, as partition values."""
        moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=self._time)
        text = moment.strftime("%Y-%m-%d %H:%M:%S.%f") + "Z"
        return {COMMIT_VERSION: str(self.version), COMMIT_TIMESTAMP: text}

    @property
    def _time(self) -> int:
        since = in_commit_timestamps_from(self.log.latest().metadata)
        said = self._info.in_commit_timestamp
        return said if since is not None and self.version >= since and said else self.file_time

    @property
    def _info(self) -> CommitInfo:
        return next(
            (action for action in self.actions if isinstance(action, CommitInfo)), CommitInfo()
        )

    @property
    def change_files(self) -> list[AddCdcFile]:
        return [action for action in self.actions if isinstance(action, AddCdcFile)]

    def derived(self) -> Iterator[tuple[str, AddFile]]:
        """Yield the kind of change, and the file whose rows that are not marked changed so."""
        if self.change_files or self._changed_nothing:
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

    @property
    def _changed_nothing(self) -> bool:
        info = self._info
        metrics = info.operation_metrics or {}
        return info.operation == "MERGE" and all(metrics.get(name) == "0" for name in _MERGED)

    def _files(self) -> tuple[dict[str, AddFile], dict[str, AddFile]]:
        """Return the files that came and those that went, by their paths."""
        came: dict[str, AddFile] = {}
        went: dict[str, AddFile] = {}
        for action in self.actions:
            if isinstance(action, AddFile) and action.data_change:
                came[canonical_path(action.path)] = action
            elif isinstance(action, RemoveFile) and action.data_change:
                went[canonical_path(action.path)] = self._as_it_was(action)
        return came, went

    def _as_it_was(self, removed: RemoveFile) -> AddFile:
        """Return a file that went; older writers say little of it where they remove it."""
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
        """Yield a file with the rows that one deletion vector marks and the other does not."""
        old, new = self._marked(before), self._marked(after)
        for kind, rows in ((DELETE, new - old), (INSERT, old - new)):
            if rows:
                others = BitMap64()
                others.add_range(0, _row_count(after) or _row_count(before) or _ROWS_AT_MOST)
                yield kind, msgspec.structs.replace(after, deletion_vector=inline(others - rows))

    def _marked(self, file: AddFile) -> BitMap64:
        store, vector = self.log.store, file.deletion_vector
        if vector is None:
            return BitMap64()
        return read_vector(store, store.url, vector, file=file.path)


def _as_file(cdc: AddCdcFile, stamps: Mapping[str, str | None]) -> AddFile:
    return AddFile(
        path=cdc.path,
        partition_values={**cdc.partition_values, **stamps},
        size=cdc.size,
        modification_time=0,
        data_change=False,
    )


def _row_count(file: AddFile) -> int | None:
    if file.stats is None:
        return None
    found = msgspec.json.decode(file.stats).get("numRecords")
    return int(found) if found is not None else None
