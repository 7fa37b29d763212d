"""The log of columns of a stream: where it lies, and whether the query may go on with it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import context_of
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.sessions import setting
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import table_url
from puredelta.storage.schemes import open_store
from puredelta.stream_settings import StreamSettings
from puredelta.streaming.column_changes import Unblocking
from puredelta.streaming.options import StreamOptions, schema_location
from puredelta.streaming.schema_log import SchemaLog
from puredelta.streaming.tracking import Tracking, as_tracked

_FOLDER = "_schema_log_"
_SOURCES = "/sources/"
_TRACKING_ID = "streamingsourcetrackingid"

_lock = threading.Lock()
_in_use: set[str] = set()


def schema_log_of(
    session: SparkSession, options: Mapping[str, str], table: TableRef
) -> SchemaLog | None:
    """Return the log of columns that a reader names; None where it names none.

    Args:
        session: of the query.
        options: of the reader, with lower-case keys.
        table: that is read.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_STREAMING_TRACKING_IS_OFF.
    """
    location, settings = schema_location(options), context_of(session).settings.streams
    if location is not None and not settings.schema_tracking:
        raise DeltaUnsupportedOperationError("PUREDELTA_STREAMING_TRACKING_IS_OFF")
    if location is None or not settings.tracks or not table.log().exists():
        return None
    identity = table.log().latest().metadata.id
    tracking_id = options.get(_TRACKING_ID)
    name = f"{_FOLDER}{identity}" + (f"_{tracking_id}" if tracking_id else "")
    url = table_url(f"{hadoop_path(session, location)}/{name}")
    return SchemaLog(open_store(url), identity)


def read_with(table: Snapshot, log: SchemaLog | None) -> Snapshot:
    """Return a version with the columns that a stream reads with.

    Args:
        table: the newest version.
        log: of the stream; None for one that reads with the newest columns.
    """
    found = None if log is None else log.newest()
    return table if found is None else as_tracked(table, found[1])


def tracking_of(
    session: SparkSession,
    options: Mapping[str, str],
    parsed: StreamOptions,
    table: TableRef,
    newest: Snapshot,
    source: str,
) -> Tracking | None:
    """Return what keeps the columns of a stream that starts; None where it does not keep any.

    Args:
        session: of the query.
        options: of the reader, with lower-case keys.
        parsed: the same, read.
        table: that is read.
        newest: its newest version.
        source: the folder of the source in the checkpoint.

    Raises:
        DeltaAnalysisError: DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT.
        DeltaIllegalArgumentError: PUREDELTA_STREAMING_TRACKING_NEEDS_ALL_COMMITS,
            PUREDELTA_STREAMING_CHECKPOINT_MOVED.
        DeltaError: what `Unblocking.check` raises.
    """
    log = schema_log_of(session, options, table)
    if log is None:
        return None
    settings = context_of(session).settings.streams
    if not parsed.fail_on_data_loss:
        raise DeltaIllegalArgumentError("PUREDELTA_STREAMING_TRACKING_NEEDS_ALL_COMMITS")
    _check_location(session, parsed.schema_location or "", source, settings)
    tracking = Tracking(log=log, table=newest, source=source)
    _check_source(tracking, source, settings)
    found = tracking.entries()
    if found is not None:
        unblocking = Unblocking(
            parsed.allowed or {}, lambda key: setting(session, key, "") or "", source
        )
        unblocking.check(*found)
    return tracking


def check_locations(
    session: SparkSession, checkpoint: str, sources: Sequence[Mapping[str, str]]
) -> None:
    """Refuse a query before it starts whose sources keep their columns where they must not.

    Args:
        session: of the query.
        checkpoint: its folder.
        sources: the options of each table that it reads, with lower-case keys.

    Raises:
        DeltaAnalysisError: DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT,
            DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT for one place of two sources.
    """
    settings = context_of(session).settings.streams
    taken: set[tuple[str, str, str]] = set()
    for options in sources:
        location = schema_location(options)
        if location is None or not settings.tracks:
            continue
        _check_location(session, location, f"{checkpoint}{_SOURCES}", settings)
        table = hadoop_path(session, options.get("path", ""))
        place = hadoop_path(session, location), table, options.get(_TRACKING_ID, "")
        if place in taken:
            raise DeltaAnalysisError(
                "DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT", loc=place[0], table=table
            )
        taken.add(place)


def take_location(log: SchemaLog, table: TableRef) -> None:
    """Keep a log for one stream until `forget_location` is called.

    Raises:
        DeltaAnalysisError: DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT where another has it.
    """
    with _lock:
        if log.store.url in _in_use:
            raise DeltaAnalysisError(
                "DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT", loc=log.store.url, table=table.root
            )
        _in_use.add(log.store.url)


def forget_location(log: SchemaLog) -> None:
    """Let another stream use a log again."""
    with _lock:
        _in_use.discard(log.store.url)


def _check_location(
    session: SparkSession, location: str, source: str, settings: StreamSettings
) -> None:
    """Refuse a log outside of the checkpoint, which another query could use as well."""
    checkpoint = hadoop_path(session, source.rpartition(_SOURCES)[0])
    place = hadoop_path(session, location)
    if settings.location_anywhere or f"{place}/".startswith(f"{checkpoint}/"):
        return
    raise DeltaAnalysisError(
        "DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT",
        schemaTrackingLocation=place,
        checkpointLocation=checkpoint,
    )


def _check_source(tracking: Tracking, source: str, settings: StreamSettings) -> None:
    """Refuse a log that the source of another checkpoint has written."""
    found = tracking.log.newest()
    if found is None or not settings.checkpoint_moves:
        return
    known = found[1].source_metadata_path
    if known != source:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_STREAMING_CHECKPOINT_MOVED", known=known, used=source
        )
