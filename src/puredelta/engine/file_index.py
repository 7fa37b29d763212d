"""Answers the planner: which version a query reads, and which files can hold rows for it."""

import base64
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.engine.bridge.callbacks import serve
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import DeletionVector
from puredelta.log.refresh import open_log
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import table_url
from puredelta.table.column_mapping import (
    MappingMode,
    mapping_mode,
    physical_names,
    visible_schema,
)
from puredelta.table.deletion_vectors import decode_inline, vector_path
from puredelta.table.partitions import map_value
from puredelta.table.protocol import check_readable
from puredelta.table.schema_mark import schema_mark

_LISTINGS_KEPT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The files of one version as the planner gets them.

    Attributes:
        partitions: JSON: for each partition its values and the number of its files.
        starts: where the files of each partition start, and where the last one's end.
        lines: size, modification time, deletion vector and path of each file, partition after
            partition.
        paths: the paths alone.
    """

    partitions: str
    starts: list[int]
    lines: list[str]
    paths: list[str]


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
    pinned = {
        **handle,
        "version": snapshot.version,
        "pinned": True,
        "mapped": mapping_mode(snapshot.configuration) is not MappingMode.NONE,
        "vectors": _has_vectors(snapshot.files),
    }
    return json.dumps({"handle": pinned, "bytes": snapshot.size_in_bytes})


@serve("scan.partitions")
def partitions(text: str, _first: Any, _second: Any) -> str:
    """List the partitions of a version; Spark evaluates its partition filters over them."""
    return _listing(json.loads(text)).partitions


@serve("scan.files")
def files(text: str, _data_filters: Any, _second: Any) -> str:
    """List the files of the partitions kept, a line each."""
    told = json.loads(text)
    listing = _listing(told["handle"])
    spans = ((listing.starts[place], listing.starts[place + 1]) for place in told["keep"])
    return "\n".join(line for start, end in spans for line in listing.lines[start:end])


@serve("scan.input_files")
def input_files(text: str, _first: Any, _second: Any) -> str:
    """List the paths of a version's files, a line each."""
    return "\n".join(_listing(json.loads(text)).paths)


def snapshot_of(handle: Mapping[str, Any]) -> Snapshot:
    """Return the version that a scan's handle names; the newest when it names none."""
    log = open_log(table_url(handle["root"]))
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
    # A version asked for by time travel comes here without having been pinned.
    check_readable(snapshot.protocol, snapshot.metadata, listed.root)
    found = snapshot.files.combine_chunks()
    mode = mapping_mode(snapshot.configuration)
    columns = physical_names(snapshot.schema, snapshot.partition_columns, mode)
    groups, order = _grouped(found, columns)
    if order is not None:
        found = found.take(order)
    paths = _absolute(found["path"], listed.root)
    lines = pc.binary_join_element_wise(
        found["size"].cast(pa.string()),
        found["modification_time"].cast(pa.string()),
        _vectors(found, listed.root),
        paths,
        "\t",
    )
    return Listing(
        partitions=json.dumps(groups),
        starts=[0, *itertools.accumulate(group["files"] for group in groups)],
        lines=lines.to_pylist(),
        paths=paths.to_pylist(),
    )


def _grouped(found: pa.Table, columns: list[str]) -> tuple[list[dict[str, Any]], pa.Array | None]:
    """Return the partitions with their file counts, and the order that puts files by partition."""
    if not found.num_rows:
        return [], None
    if not columns:
        return [{"values": [], "files": found.num_rows}], None
    maps = found["partition_values"].combine_chunks()
    values = zip(*(map_value(maps, name).to_pylist() for name in columns), strict=True)
    places: dict[tuple[str | None, ...], list[int]] = {}
    for place, partition in enumerate(values):
        key = tuple(text or None for text in partition)
        places.setdefault(key, []).append(place)
    groups = [{"values": list(key), "files": len(rows)} for key, rows in places.items()]
    order = pa.array([row for rows in places.values() for row in rows], pa.int64())
    return groups, order


def _has_vectors(files: pa.Table) -> bool:
    return bool(files["deletion_vector"].null_count < files.num_rows)


def _vectors(files: pa.Table, root: str) -> Any:
    """Say where the deletion vector of each file is, as `puredelta.DeletedRows` reads it."""
    if not _has_vectors(files):
        return ""
    told = files["deletion_vector"].to_pylist()
    return pa.array(["" if one is None else _vector(one, root) for one in told])


def _vector(told: dict[str, Any], root: str) -> str:
    vector = msgspec.convert(told, DeletionVector)
    path = vector_path(root, vector)
    if path is None:
        bitmap = decode_inline(vector.path_or_inline_dv, vector.size_in_bytes)
        return base64.b64encode(bitmap).decode()
    place = base64.b64encode(path.encode()).decode()
    return f"{vector.offset or 0},{vector.size_in_bytes},{place}"


def _absolute(paths: pa.ChunkedArray, root: str) -> Any:
    # A scheme, or a slash at the start, says that a path is not below the table.
    elsewhere = pc.match_substring_regex(paths, r"^([A-Za-z][A-Za-z0-9+.\-]*:/|/)")
    below = pc.binary_join_element_wise(root, paths, "/")
    return pc.if_else(elsewhere, paths, below)
