"""Answers the planner: which version a query reads, and which files can hold rows for it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from puredelta.engine.big_log import BigListing, is_big
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.file_listing import (
    Listing,
    ListingInMemory,
    has_vectors,
    physical_partitions,
)
from puredelta.engine.spark import active_session
from puredelta.engine.table_options import recall
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.refresh import open_log
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import table_url
from puredelta.table.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol import check_readable, features_of
from puredelta.table.schema_mark import schema_mark
from puredelta.table.visible_schema import visible_schema

_LISTINGS_KEPT = 8

UNKNOWN_SIZE = 1 << 62
"""In bytes, for plans: larger than what would be copied to every executor."""


@serve("scan.pin")
def pin(text: str, analysed: Any, _second: Any) -> str:
    """Name the version that a query reads: the newest when it starts, or the one asked for.

    Says too whether files know columns by other names, and whether some have deletion vectors.

    Raises:
        DeltaAnalysisError: DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS when the table has another schema
            than the query was made for; DELTA_READ_TABLE_WITHOUT_COLUMNS.
    """
    handle = json.loads(text)
    snapshot = snapshot_of(handle)
    _check(handle, snapshot, str(analysed))
    big = is_big(active_session(), snapshot)
    pinned = {
        **handle,
        "version": snapshot.version,
        "pinned": True,
        "mapped": mapping_mode(snapshot.configuration) is not MappingMode.NONE,
        "vectors": _may_have_vectors(snapshot) and (big or has_vectors(snapshot.files)),
    }
    size = snapshot.known_size if big else snapshot.size_in_bytes
    return json.dumps({"handle": pinned, "bytes": UNKNOWN_SIZE if size is None else size})


@serve("scan.partitions")
def partitions(text: str, _first: Any, _second: Any) -> str:
    """List the partitions of a version; Spark evaluates its partition filters over them."""
    return _listing(json.loads(text)).partitions


@serve("scan.files")
def files(text: str, _data_filters: Any, _second: Any) -> str:
    """List the files of the partitions kept, a line each."""
    told = json.loads(text)
    return "\n".join(_listing(told["handle"]).lines(told["keep"]))


@serve("scan.input_files")
def input_files(text: str, _first: Any, _second: Any) -> str:
    """List the paths of a version's files, a line each."""
    return "\n".join(_listing(json.loads(text)).paths())


def _may_have_vectors(snapshot: Snapshot) -> bool:
    return "deletionVectors" in features_of(snapshot.protocol)


def snapshot_of(handle: Mapping[str, Any]) -> Snapshot:
    """Return the version that a scan's handle names; the newest when it names none."""
    log = open_log(table_url(handle["root"]), recall(handle.get("options")))
    version = handle["version"]
    return log.latest() if version is None else log.at_version(version)


def _check(handle: Mapping[str, Any], snapshot: Snapshot, analysed: str) -> None:
    label = handle["name"] or f"delta.`{handle['root']}`"
    check_readable(snapshot.protocol, snapshot.metadata, label)
    if not snapshot.schema:
        raise DeltaAnalysisError("DELTA_READ_TABLE_WITHOUT_COLUMNS", tableName=label)
    if handle["schema"] == schema_mark(snapshot.metadata):
        return
    if not _holds(visible_schema(snapshot.schema), schema_from_json(analysed)):
        raise DeltaAnalysisError(
            "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS",
            schemaDiff=f"{label} lost or changed columns that the query reads",
        )


def _holds(now: StructType, wanted: StructType) -> bool:
    """Say whether a version has all columns that a query was made for; others may have come."""
    return all(
        (found := now.field(field.name)) is not None and found.data_type == field.data_type
        for field in wanted
    )


def _listing(handle: Mapping[str, Any]) -> Listing:
    return _listed(_Listed(handle["root"], snapshot_of(handle)))


class _Listed:
    """A snapshot with a hash: one version of one table is listed once."""

    __slots__ = ("root", "snapshot")

    def __init__(self, root: str, snapshot: Snapshot) -> None:
        self.root = root
        self.snapshot = snapshot

    def __hash__(self) -> int:
        return hash((self.root, self.snapshot.version))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Listed)
            and other.root == self.root
            and other.snapshot is self.snapshot
        )


@lru_cache(maxsize=_LISTINGS_KEPT)
def _listed(listed: _Listed) -> Listing:
    snapshot = listed.snapshot
    # `inputFiles()` comes here without a query that was checked.
    check_readable(snapshot.protocol, snapshot.metadata, listed.root)
    session = active_session()
    columns = physical_partitions(snapshot)
    if is_big(session, snapshot):
        return BigListing(session, snapshot, columns, listed.root)
    return ListingInMemory(snapshot.files, columns, listed.root)
