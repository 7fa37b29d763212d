"""A DataFrame over what changed in a table: change files, and data files that came or went.

Its plan names no files: which they are is read from the log when a query starts, up to the version
that is the newest by then, unless one was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
from msgspec.structs import replace
from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import new, scala_object
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.hadoop.table_options import recall, remember
from puredelta.engine.scan.described_table import UNKNOWN_SIZE, DescribedTable
from puredelta.engine.scan.handle import (
    ChangeFeed,
    ChangePart,
    FeedPart,
    ScanHandle,
    schema_fingerprint,
)
from puredelta.engine.scan.reader_settings import set_reader_settings
from puredelta.engine.session.sessions import active_session
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog, open_log
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import table_url
from puredelta.table.change_columns import (
    CHANGE_COLUMNS,
    CHANGE_TYPE,
    COMMIT_TIMESTAMP,
    COMMIT_VERSION,
)
from puredelta.table.change_files import ChangedFiles, changed_files
from puredelta.table.columns.visible_schema import visible_schema

RECORDED: ChangePart = "recorded"
DERIVED: ChangePart = "derived"

_RANGES_KEPT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRange:
    """Which changes are read, and with which schema.

    Attributes:
        start: the first version whose changes are given.
        end: the last one; None for the newest when a query starts.
        schema_version: the version whose schema they are read with; None for the newest.
    """

    start: int
    end: int | None = None
    schema_version: int | None = None


# ---------------------------------------------------------------------------------- plans


def describe_changes(
    root: str, name: str | None, snapshot: Snapshot, span: ChangeRange, options: Mapping[str, str]
) -> str:
    """Return what `puredelta.LoadedTable` shows of a table's changes, as JSON.

    Args:
        root: the table's folder, as Hadoop names it.
        name: the table's, if it has one.
        snapshot: the version whose schema they are read with.
        span: which changes.
        options: of the table's file system.
    """
    feed = ChangeFeed(start=span.start, end=span.end)
    handle = replace(_handle(root, name, snapshot, span, options), change_feed=feed)
    return _described(handle, snapshot, [], options).to_json()


def frame_of_changes(
    session: SparkSession,
    root: str,
    name: str | None,
    snapshot: Snapshot,
    span: ChangeRange,
    options: Mapping[str, str],
) -> DataFrame:
    """Return what changed in a table; see `describe_changes`."""
    handle = _handle(root, name, snapshot, span, options)
    parts = []
    # Protocol: Add CDC File. Change files have the type of each change in a column; all rows of a
    # data file that came or went have the same, which becomes a partition value.
    for part in (DERIVED, RECORDED):
        changes = FeedPart(start=span.start, end=span.end, part=part)
        described = _described(
            replace(handle, changes=changes), snapshot, partitions_of(part), options
        )
        parts.append(described.frame(session))
    return parts[0].union(parts[1])


def plan_in_place(frame: DataFrame, output: Any) -> Any:
    """Return a DataFrame's plan whose columns are those that a query knows already, by name.

    Args:
        frame: what changed.
        output: attributes of the plan that it stands in for; it may lack some.
    """
    plan = frame._jdf.queryExecution().analyzed()
    known = {attribute.name(): attribute.exprId() for attribute in items_of(output)}
    nothing = scala_object("scala.collection.immutable.Nil")
    columns = [
        new(
            "org.apache.spark.sql.catalyst.expressions.Alias",
            attribute,
            attribute.name(),
            known.get(attribute.name(), attribute.exprId()),
            nothing,
            scala_object("scala.Option").empty(),
            nothing,
        )
        if attribute.name() in known
        else attribute
        for attribute in items_of(plan.output())
    ]
    return new("org.apache.spark.sql.catalyst.plans.logical.Project", sequence(columns), plan)


@serve("changes.plan")
def plan_of_changes(text: str, relation: Any, _second: Any) -> Any:
    """Return the plan for a relation that only says which changes are wanted."""
    handle = ScanHandle.from_json(text)
    feed = handle.change_feed
    assert feed is not None  # noqa: S101  # the adapter asks only then
    span = ChangeRange(start=feed.start, end=feed.end, schema_version=handle.version)
    snapshot = _schema_of(_log(handle), span)
    options = recall(handle.options)
    frame = frame_of_changes(active_session(), handle.root, handle.name, snapshot, span, options)
    return plan_in_place(frame, relation.output())


def _schema_of(log: TableLog, span: ChangeRange) -> Snapshot:
    return log.latest() if span.schema_version is None else log.at_version(span.schema_version)


def _handle(
    root: str, name: str | None, snapshot: Snapshot, span: ChangeRange, options: Mapping[str, str]
) -> ScanHandle:
    set_reader_settings(snapshot)
    return ScanHandle(
        root=root,
        name=name,
        version=span.schema_version,
        fingerprint=schema_fingerprint(snapshot.metadata),
        options=remember(options),
    )


def _described(
    handle: ScanHandle,
    snapshot: Snapshot,
    more_partitions: list[str],
    options: Mapping[str, str],
) -> DescribedTable:
    return DescribedTable(
        handle=handle,
        name=handle.label,
        schema=schema_to_json(schema_of_changes(snapshot)),
        partitions=[*snapshot.partition_columns, *more_partitions],
        # Known when a query starts; until then it is too much to be copied to every executor.
        bytes=UNKNOWN_SIZE,
        options=options,
    )


# ---------------------------------------------------------------------------------- files


def schema_of_changes(snapshot: Snapshot) -> StructType:
    """Return the columns of what changed, as users see them."""
    return StructType((*visible_schema(snapshot.schema), *CHANGE_COLUMNS))


def partitions_of(part: ChangePart) -> list[str]:
    """Return the columns of a part that are the same in all rows of a file."""
    always = [COMMIT_VERSION, COMMIT_TIMESTAMP]
    return [CHANGE_TYPE, *always] if part == DERIVED else always


def files_of_changes(handle: ScanHandle, changes: FeedPart, snapshot: Snapshot) -> pa.Table:
    """Return the files that a part of what changed is read from, as rows of `log.files.FILES`.

    Args:
        handle: of a scan of changes.
        changes: those of the handle.
        snapshot: the version whose schema they are read with.
    """
    log = _log(handle)
    newest = log.latest().version
    end = newest if changes.end is None else min(changes.end, newest)
    found = _found(_Same(log), _Same(snapshot), changes.start, end)
    return found.change_files if changes.part == RECORDED else found.derived


class _Same:
    """Any value, equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    # The cache compares logs and snapshots by identity: a table may be made anew under the same
    # path.
    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


@lru_cache(maxsize=_RANGES_KEPT)
def _found(log: _Same, snapshot: _Same, start: int, end: int) -> ChangedFiles:
    return changed_files(log.value, start, end, snapshot.value.metadata)


def _log(handle: ScanHandle) -> TableLog:
    return open_log(table_url(handle.root), recall(handle.options))
