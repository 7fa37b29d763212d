"""Answers the source adapter: opens streams over tables, plans and builds their batches."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import Any

import msgspec
from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.callers import is_called_by
from puredelta.engine.hadoop.table_options import file_system_options
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.sessions import session_of, time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.engine.streaming.batch_frame import BatchFrames, stream_schema
from puredelta.engine.streaming.path_pattern import compile_pattern
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaTableNotFoundError,
    DeltaUnsupportedOperationError,
)
from puredelta.frontend.catalog.time_travel import from_options, from_path, in_zone
from puredelta.frontend.options import lowered
from puredelta.frontend.streaming.schema_tracking import (
    check_locations,
    forget_location,
    read_with,
    schema_log_of,
    take_location,
    tracking_of,
)
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.streaming.admission import Limit
from puredelta.streaming.commits import CommitReader
from puredelta.streaming.options import StreamOptions, reads_changes, stream_options
from puredelta.streaming.start import starting_version
from puredelta.streaming.table_as_seen import TableAsSeen
from puredelta.streaming.table_stream import TableStream
from puredelta.streaming.tracking import Tracking, merge_entries
from puredelta.table.protocol.protocol import check_readable
from puredelta.table.statistics.datetime_text import zone_rules

# The method of Spark's DataStreamReader that takes columns from a user.
_LOADS = "DataStreamReader.load"


class _Request(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What the adapter asks when a stream is analysed or opened.

    Attributes:
        options: of the reader.
        schema: that the user gave, as JSON.
        checkpoint: the folder of the source in the checkpoint.
    """

    options: dict[str, str]
    schema: str | None = None
    checkpoint: str | None = None


class _Question(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What the adapter asks of an open stream.

    Attributes:
        source: the number of the stream.
        start: the offset at which a batch starts.
        end: that at which it ends.
        limit: how much a batch takes.
    """

    source: int
    start: str | None = None
    end: str = ""
    limit: dict[str, Any] = {}  # msgspec copies it


@dataclass(frozen=True, slots=True)
class _Open:
    """An open stream."""

    stream: TableStream
    frames: BatchFrames


_REQUESTS = msgspec.json.Decoder(_Request)
_QUESTIONS = msgspec.json.Decoder(_Question)
_numbers = itertools.count(1)
_open: dict[int, _Open] = {}


@serve("stream.schema")
def schema(text: str, jvm_session: Any, _second: Any) -> str:
    """Return the columns of a stream that a query is analysed with.

    Raises:
        DeltaAnalysisError: DELTA_SCHEMA_NOT_SET, DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS,
            DELTA_READ_SOURCE_SCHEMA_CONFLICT.
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION without a path.
    """
    request = _REQUESTS.decode(text)
    session = session_of(jvm_session)
    options = lowered(request.options)
    table = _table(options, session)
    log = schema_log_of(session, options, table)
    if log is not None and context_of(session).settings.streams.merges_changes:
        merge_entries(log, CommitReader(table.log(), fail_on_data_loss=True))
    found = _columns(read_with(newest_of(table), log), options)
    given = StructType(()) if request.schema is None else schema_from_json(request.schema)
    # A table that is read by its name comes with the columns of the catalog: none, or old ones.
    if given.fields and not _is_same(given, found) and is_called_by(_LOADS):
        raise DeltaAnalysisError(
            "DELTA_READ_SOURCE_SCHEMA_CONFLICT",
            given=request.schema,
            schema=schema_to_json(found),
        )
    return schema_to_json(found)


@serve("stream.check")
def check(text: str, jvm_session: Any, _second: Any) -> None:
    """Refuse a query whose sources must not start; see `check_locations`."""
    asked = json.loads(text)
    sources = [lowered(options) for options in asked["sources"]]
    check_locations(session_of(jvm_session), asked["checkpoint"], sources)


@serve("stream.open")
def open_stream(text: str, jvm_session: Any, _second: Any) -> str:
    """Open a stream, when its query starts; return its number and what the adapter shows of it.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION and the like, for each bad option.
        DeltaAnalysisError: as `schema`.
    """
    request = _REQUESTS.decode(text)
    session = session_of(jvm_session)
    options = lowered(request.options)
    parsed = stream_options(options, compile_pattern)
    table = _table(options, session)
    read = newest_of(table)
    tracking = tracking_of(session, options, parsed, table, read, request.checkpoint or "")
    columns = read if tracking is None else tracking.read
    stream = stream_over(session, table, read, parsed, tracking)
    frames = BatchFrames(
        session=session,
        root=table.root,
        snapshot=columns,
        options=table.options,
        changes=parsed.changes,
    )
    # Taken last: what fails before leaves it to others.
    if tracking is not None:
        take_location(tracking.log, table)
    number = next(_numbers)
    _open[number] = _Open(stream, frames)
    return json.dumps(
        {
            "number": number,
            "root": table.root,
            "schema": schema_to_json(_columns(columns, options)),
            "maxFiles": parsed.max_files,
            "maxBytes": parsed.max_bytes,
        }
    )


def stream_over(
    session: SparkSession,
    table: TableRef,
    read: Snapshot,
    options: StreamOptions,
    tracking: Tracking | None = None,
) -> TableStream:
    """Return a stream over a table, which plans its batches.

    Args:
        session: of the query.
        table: that is read.
        read: its newest version.
        options: of the reader.
        tracking: keeps the columns of the stream; None for one that does not.
    """
    settings = context_of(session).settings
    return TableStream(
        table=TableAsSeen(log=table.log(), root=table.root, read=read),
        options=options,
        settings=settings.streams,
        start=_Start(table, options, session, settings.changes_out_of_range),
        tracking=tracking,
    )


@serve("stream.fix_end")
def fix_end(text: str, _first: Any, _second: Any) -> None:
    """Let a run end at what there is when its first batch is planned."""
    _stream_of(_QUESTIONS.decode(text)).stream.fix_end()


@serve("stream.latest")
def latest(text: str, _session: Any, _second: Any) -> str | None:
    """Return the offset at which the next batch ends; see `TableStream.latest_offset`.

    Raises:
        DeltaUnsupportedOperationError: DELTA_UNKNOWN_READ_LIMIT.
        DeltaError: what `TableStream.latest_offset` raises.
    """
    question = _QUESTIONS.decode(text)
    unknown = question.limit.get("unknown")
    if unknown is not None:
        raise DeltaUnsupportedOperationError("DELTA_UNKNOWN_READ_LIMIT", limit=unknown)
    found = _stream_of(question)
    limit = Limit(question.limit.get("files"), question.limit.get("bytes"))
    return found.stream.latest_offset(question.start, limit)


@serve("stream.rows")
def rows(text: str, _session: Any, _second: Any) -> Any:
    """Return the rows of a batch, as a DataFrame of the JVM.

    Raises:
        DeltaError: what `TableStream.batch` raises.
    """
    question = _QUESTIONS.decode(text)
    found = _stream_of(question)
    parts = found.stream.batch(question.start, question.end)
    return found.frames.frame(parts)._jdf


@serve("stream.commit")
def commit(text: str, _session: Any, _second: Any) -> None:
    """Note that all up to an offset has been written.

    Raises:
        DeltaRuntimeError: DELTA_STREAMING_METADATA_EVOLUTION; see `TableStream.commit`.
    """
    question = _QUESTIONS.decode(text)
    _stream_of(question).stream.commit(question.end)


@serve("stream.close")
def close(text: str, _first: Any, _second: Any) -> None:
    """Forget a stream."""
    found = _open.pop(_QUESTIONS.decode(text).source, None)
    if found is not None:
        found.frames.release()
        if found.stream.tracking is not None:
            forget_location(found.stream.tracking.log)


def _stream_of(question: _Question) -> _Open:
    return _open[question.source]


def _columns(snapshot: Snapshot, options: dict[str, str]) -> StructType:
    return stream_schema(snapshot, changes=reads_changes(options))


def _table(options: dict[str, str], session: SparkSession) -> TableRef:
    path = options.get("path")
    if path is None:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input="",
            name="path",
            explain="say where the table lies: load(path) or table(name)",
        )
    path, named = from_path(path, session)
    if named or from_options(options, session):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS")
    files = file_system_options(options)
    return TableRef(root=hadoop_path(session, path, files), options=files)


def newest_of(table: TableRef) -> Snapshot:
    """Return the newest version of a table.

    Raises:
        DeltaAnalysisError: DELTA_SCHEMA_NOT_SET where there is no table, or none with columns.
    """
    if not table.log().exists():
        raise DeltaTableNotFoundError("DELTA_SCHEMA_NOT_SET", path=table.root)
    snapshot = table.log().latest()
    check_readable(snapshot.protocol, snapshot.metadata, table.label)
    if not snapshot.schema:
        raise DeltaAnalysisError("DELTA_SCHEMA_NOT_SET", path=table.root)
    return snapshot


def _is_same(given: StructType, found: StructType) -> bool:
    return [(f.name, f.data_type) for f in given] == [(f.name, f.data_type) for f in found]


@dataclass(frozen=True, slots=True)
class _Start:
    """Finds where a new stream starts, in the session's time zone."""

    table: TableRef
    options: StreamOptions
    session: SparkSession
    can_be_after: bool

    def __call__(self) -> int | None:
        zone = zone_rules(time_zone(self.session))
        return starting_version(
            self.table.log(),
            self.options,
            self._micros,
            can_be_after=self.can_be_after,
            show=lambda milliseconds: in_zone(milliseconds, zone),
        )

    def _micros(self, text: str) -> int:
        found = timestamp_micros(self.session, text)
        if found is None:
            raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=text)
        return found
