"""What the next batches of a stream would read, and what in the log would stop it."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta._util.size_text import size_text
from puredelta.errors import DeltaError
from puredelta.log.files import total_bytes
from puredelta.notebook.preview import sentences_html
from puredelta.streaming.admission import Limit
from puredelta.streaming.table_stream import TableStream
from puredelta.streaming.version_files import VersionFiles

# By condition, the options that let a stream go on, each with what it does.
_OPTIONS = {
    "DELTA_SOURCE_IGNORE_DELETE": ("ignoreDeletes=true", "skipChangeCommits=true"),
    "DELTA_SOURCE_TABLE_IGNORE_CHANGES": ("skipChangeCommits=true", "ignoreChanges=true"),
    "DELTA_MISSING_FILES_UNEXPECTED_VERSION": ("failOnDataLoss=false",),
    "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG": ("schemaTrackingLocation",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchExplained:
    """What one batch would read.

    Attributes:
        first_version: the first version that it has files of; None for a batch without files.
        last_version: the last one.
        files: how many files it has.
        bytes: their size.
        initial: whether it has files of the table as it was when the stream began.
        end: the offset at which it ends, as a checkpoint would have it.
    """

    first_version: int | None
    last_version: int | None
    files: int
    bytes: int
    initial: bool
    end: str

    @property
    def versions(self) -> str:
        """The versions, in words."""
        if self.first_version is None:
            return "no rows"
        if self.first_version == self.last_version:
            found = f"version {self.first_version}"
        else:
            found = f"versions {self.first_version} to {self.last_version}"
        return f"the table at {found}" if self.initial else found

    def __str__(self) -> str:
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        return f"{self.versions}: {files}, {size_text(self.bytes)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopExplained:
    """What would stop a stream.

    Attributes:
        version: the version that does.
        condition: the condition of the error.
        message: its text.
        options: options of the reader, each of which lets the stream go on; empty for none.
    """

    version: int | None
    condition: str
    message: str
    options: tuple[str, ...]

    def __str__(self) -> str:
        place = "" if self.version is None else f"version {self.version}: "
        return f"{place}{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamExplained:
    """What a stream over a table would do next.

    Attributes:
        table: the table.
        batches: the next batches, up to the first that would fail.
        stops: what would stop the stream, in the order of versions.
        is_complete: there is nothing behind the batches that are listed.
    """

    table: str
    batches: tuple[BatchExplained, ...]
    stops: tuple[StopExplained, ...]
    is_complete: bool

    def __str__(self) -> str:
        lines = [self._head(), *(f"  batch {n}: {b}" for n, b in enumerate(self.batches))]
        for stop in self.stops:
            lines.append(f"  stops at {stop}")
            lines += [f"    goes on with {option}" for option in stop.options]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        rows = [(str(number), str(batch)) for number, batch in enumerate(self.batches)]
        rows += [("stops at", f"{stop} {' or '.join(stop.options)}") for stop in self.stops]
        return sentences_html("puredelta-stream", self._head(), ("Batch", "Reads"), rows)

    def _head(self) -> str:
        files = sum(batch.files for batch in self.batches)
        count = "1 batch" if len(self.batches) == 1 else f"{len(self.batches)} batches"
        more = "" if self.is_complete else " first"
        return f"{self.table}: {count}{more}, {files:,} files; {len(self.stops)} stops"


def explain_stream(
    stream: TableStream, name: str, limit: Limit, start: str | None, most: int
) -> StreamExplained:
    """Plan the next batches of a stream; nothing is read but the log.

    Args:
        stream: the stream.
        name: what the table is called.
        limit: how much a batch takes.
        start: the end of the last batch; None for a new stream.
        most: how many batches are planned.
    """
    batches: list[BatchExplained] = []
    failure: DeltaError | None = None
    offset, is_complete = start, False
    while len(batches) < most:
        try:
            end = stream.latest_offset(offset, limit)
            if end is None or end == offset:
                is_complete = True
                break
            batches.append(_explained(stream.batch(offset, end), end))
        except DeltaError as error:
            failure = error
            break
        offset = end
    stops = tuple(_stop(version, error) for version, error in _refusals(stream, start, failure))
    return StreamExplained(table=name, batches=tuple(batches), stops=stops, is_complete=is_complete)


def _refusals(
    stream: TableStream, start: str | None, failure: DeltaError | None
) -> list[tuple[int | None, DeltaError]]:
    found: list[tuple[int | None, DeltaError]] = []
    try:
        found.extend(stream.refusals(start))
    except DeltaError as error:
        failure = failure or error
    # What is not in a commit, such as a missing one, is known only from the batch that failed.
    if failure is not None and failure.condition not in {error.condition for _, error in found}:
        found.insert(0, (None, failure))
    return found


def _stop(version: int | None, error: DeltaError) -> StopExplained:
    return StopExplained(
        version=version,
        condition=error.condition,
        message=error.message,
        options=_OPTIONS.get(error.condition, ()),
    )


def _explained(parts: list[VersionFiles], end: str) -> BatchExplained:
    return BatchExplained(
        first_version=parts[0].version if parts else None,
        last_version=parts[-1].version if parts else None,
        files=sum(part.files.num_rows for part in parts),
        bytes=sum(total_bytes(part.files) for part in parts),
        initial=any(part.initial for part in parts),
        end=end,
    )
