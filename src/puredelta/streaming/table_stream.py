"""A stream over one table: how far its next batch goes, and the files that a batch has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from puredelta.errors import DeltaError, DeltaRuntimeError
from puredelta.stream_settings import StreamSettings
from puredelta.streaming.admission import ALL, Entry, Limit, last_admitted
from puredelta.streaming.changes import ChangesOfVersions
from puredelta.streaming.commits import CommitReader
from puredelta.streaming.offsets import (
    BASE,
    METADATA_CHANGE,
    POST_METADATA_CHANGE,
    Offset,
    check_order,
    read_offset,
)
from puredelta.streaming.options import StreamOptions
from puredelta.streaming.readings import NewRows, Reading, RowChanges
from puredelta.streaming.schema_checks import SchemaCheck, describe_changes
from puredelta.streaming.stream_checks import StreamChecks
from puredelta.streaming.table_as_seen import TableAsSeen
from puredelta.streaming.tracking import Tracking, has_same_columns
from puredelta.streaming.version_files import VersionFiles, initial_files


@dataclass(kw_only=True)
class TableStream:
    """Plans the batches of one stream. It keeps nothing but caches between two calls.

    Attributes:
        table: what is read.
        options: of the reader.
        settings: of the session.
        start: returns the first version whose commit a new stream reads; None for the table as it
            is.
        tracking: keeps the columns of the stream; None for one that has those of `table.read`.
    """

    table: TableAsSeen
    options: StreamOptions
    settings: StreamSettings
    start: Callable[[], int | None]
    tracking: Tracking | None = None
    _bound: Offset | None = None
    _fixes_end: bool = False
    _started: list[int | None] = field(default_factory=list)
    _initial: VersionFiles | None = None

    def __post_init__(self) -> None:
        self._commits = CommitReader(
            self.table.log, fail_on_data_loss=self.options.fail_on_data_loss
        )
        self._reading: Reading = (
            RowChanges(ChangesOfVersions(self.table.log), self.table.read.version)
            if self.options.changes
            else NewRows(self.options, self.table.root)
        )
        self._checks = StreamChecks(
            table=self.table,
            reading=self._reading,
            schemas=None
            if self.tracking is not None
            else SchemaCheck(self.table.read, self.settings, self.options.starts_somewhere),
        )

    # ------------------------------------------------------------------------------ planning

    def fix_end(self) -> None:
        """Read no further than to what there is at the next call of `latest_offset`."""
        self._fixes_end, self._bound = True, None

    def latest_offset(self, start: str | None, limit: Limit) -> str | None:
        """Return the offset up to which the next batch reads.

        Args:
            start: the end of the last batch; None for a new stream.
            limit: how much is read.

        Returns:
            The offset; the text that was given when there is nothing new, as Spark compares texts;
            None for a new stream that has nothing to read.

        Raises:
            DeltaError: what in the log stops the stream.
        """
        begin = None if start is None else read_offset(start, self.table.id)
        if begin is not None and self._is_idle(begin):
            return start
        self._check_begin(begin)
        if self.tracking is not None:
            if begin is None:
                self._begin_tracking(self._first())
            elif begin.index == METADATA_CHANGE:
                return replace(begin, index=POST_METADATA_CHANGE).to_json()
            elif self.tracking.is_pending(begin):
                return start
        if self._fixes_end:
            # delta-spark looks through all that the run is going to read before the first batch.
            self._bound, self._fixes_end = self._end_of(begin, ALL, None), False
            if self._bound is None:
                return start
            end = self._bound if limit.is_none else self._end_of(begin, limit, self._bound)
        else:
            end = self._end_of(begin, limit, self._bound)
        if end is None or end == begin:
            return start
        if begin is not None and self.settings.check_offsets:
            check_order(begin, end)
        return end.to_json()

    def _check_begin(self, begin: Offset | None) -> None:
        self._checks.check_not_replaced(begin)
        if begin is None and not self.settings.unsafe_start:
            # No offset is written yet: a user can mend the options, and keep the checkpoint.
            self._checks.check_start(self._first())

    def _is_idle(self, begin: Offset) -> bool:
        """Say whether nothing was committed since the last batch, however long the log is."""
        return (
            self.tracking is None
            and not self._fixes_end
            and begin.index == BASE
            and not begin.initial
            and self.table.log.is_newest(begin.version - 1)
        )

    def _end_of(self, begin: Offset | None, limit: Limit, bound: Offset | None) -> Offset | None:
        entries = self._entries(begin, limited=not limit.is_none)
        if bound is not None:
            entries = _up_to(entries, bound)
        last = last_admitted(entries, limit)
        if last is None:
            return begin
        place = Offset(
            table=self.table.id, version=last.version, index=last.index, initial=last.initial
        )
        return place.after_version() if last.is_end else place

    def _entries(self, begin: Offset | None, *, limited: bool) -> Iterator[Entry]:
        first = self._first() if begin is None else begin
        for part in self._parts(first):
            is_first = (part.version, part.initial) == (first.version, first.initial)
            after = first.index if is_first else BASE
            for entry in part.entries(limited=limited, after=after):
                place = entry.version, entry.index
                if place > first.place or (begin is None and place == first.place):
                    yield entry

    def _first(self) -> Offset:
        """Return the offset before all that a new stream reads."""
        if not self._started:
            self._started.append(self.start())
        version = self._started[0]
        if version is None:
            return Offset(table=self.table.id, version=self.table.read.version, initial=True)
        return Offset(table=self.table.id, version=version)

    def _parts(self, first: Offset, end: Offset | None = None) -> Iterator[VersionFiles]:
        """Yield the files of each version from an offset on, to another one where one is given."""
        version = first.version
        if first.initial:
            yield self._initial_files(version)
            version += 1
        for number, info in self._commits.versions(version):
            if end is not None and (number, BASE) >= end.place:
                return
            commit = self._commits.read(number, info)
            self._checks.check(commit)
            found = self._without_excluded(self._reading.files_of(commit))
            if self.tracking is not None and self.tracking.changes(commit):
                found = replace(found, changes_columns=True)
            yield found

    def _without_excluded(self, part: VersionFiles) -> VersionFiles:
        exclude = self.options.exclude
        if exclude is None or not self._reading.excludes_first:
            return part
        return replace(part, excluded=part.excluded_by(exclude))

    def _initial_files(self, version: int) -> VersionFiles:
        known = self._initial
        if known is None or known.version != version:
            found = initial_files(self.table.at(version))
            known = self._initial = self._without_excluded(found)
        return known

    # ------------------------------------------------------------------------------- columns

    def commit(self, end: str) -> None:
        """Note that a batch has been written, and go on to other columns if it ended before them.

        Args:
            end: the end of the batch.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_METADATA_EVOLUTION when the query has to be started
                again to read with other columns.
        """
        if self.tracking is not None:
            self.tracking.finish(read_offset(end, self.table.id), self._commits)

    def _begin_tracking(self, first: Offset) -> None:
        """Keep the columns of the version that a new stream starts with."""
        if self.tracking is not None and self.tracking.is_empty:
            found = self.table.at(min(first.version, self.table.log.latest().version))
            self.tracking.begin(found.metadata, found.protocol, first.version)

    def _track_from(self, begin: Offset | None, end: Offset) -> None:
        """Keep the columns of a stream that has read without keeping any so far.

        Raises:
            DeltaRuntimeError: DELTA_STREAMING_SCHEMA_LOG_INIT_FAILED_INCOMPATIBLE_METADATA when its
                last batch has versions with different columns.
        """
        if self.tracking is None or not self.tracking.is_empty or begin is None:
            return
        version = end.version if end.initial or end.index >= 0 else end.version - 1
        found, before = self.table.at(version), self._checks.metadata_at(begin.version)
        if before is not None and not has_same_columns(before, found.metadata):
            raise DeltaRuntimeError(
                "DELTA_STREAMING_SCHEMA_LOG_INIT_FAILED_INCOMPATIBLE_METADATA",
                a=before.schema_string,
                b=found.metadata.schema_string,
                changes=describe_changes(before, found.metadata),
            )
        self.tracking.begin(found.metadata, found.protocol, version)

    # ------------------------------------------------------------------------------- looking

    def refusals(self, start: str | None) -> Iterator[tuple[int, DeltaError]]:
        """Yield each version that stops the stream, and why, from an offset on.

        Args:
            start: the end of the last batch; None for a new stream.
        """
        first = self._first() if start is None else read_offset(start, self.table.id)
        version = first.version + 1 if first.initial else first.version
        for number, info in self._commits.versions(version):
            error = self._checks.refusal(self._commits.read(number, info))
            if error is not None:
                yield number, error

    # ------------------------------------------------------------------------------ building

    def batch(self, start: str | None, end: str) -> list[VersionFiles]:
        """Return the files of a batch, version by version.

        Args:
            start: the end of the batch before; None for the first.
            end: the end of the batch.

        Raises:
            DeltaError: what in the log stops the stream.
        """
        last = read_offset(end, self.table.id)
        begin = None if start is None else read_offset(start, self.table.id)
        first = self._begin_of(last) if begin is None else begin
        if self.settings.check_offsets and begin is not None:
            check_order(begin, last)
        if begin is not None and begin == last:
            return []
        if not self.settings.unsafe_start:
            self._checks.check_start(first)
        self._track_from(begin, last)
        found = []
        for part in self._parts(first, last):
            low = first.index + 1 if part.version == first.version else 0
            ends = part.version == last.version and part.initial is last.initial
            high = last.index if ends else part.files.num_rows - 1
            found.append(self._as_read(part, low, high))
            if ends:
                break
        return [part for part in found if part.files.num_rows]

    def _as_read(self, part: VersionFiles, low: int, high: int) -> VersionFiles:
        kept, exclude = part.between(low, high), self.options.exclude
        if exclude is not None:
            kept = kept.without(kept.excluded_by(exclude))
        return self._reading.initial(kept, self.table.at(part.version)) if part.initial else kept

    def _begin_of(self, end: Offset) -> Offset:
        """Return the offset at which a first batch starts that ends at an offset."""
        first = self._first()
        if not first.initial:
            return first
        # The table may have got versions since the batch was planned, by a query that was stopped:
        # the batch has the table as it was then.
        version = end.version if end.initial else end.version - 1
        return Offset(table=self.table.id, version=version, initial=True)


def _up_to(entries: Iterator[Entry], bound: Offset) -> Iterator[Entry]:
    for entry in entries:
        if (entry.version, entry.index) > bound.place:
            return
        yield entry
