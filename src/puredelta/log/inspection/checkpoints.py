"""The checkpoints that a log holds, a row each."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.errors import DeltaError
from puredelta.log.checkpoint.ranged_file import RangedFile
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.inspection.files import TIME
from puredelta.log.listing import list_log
from puredelta.log.names import SIDECAR_FOLDER, LogFileKind, parse
from puredelta.log.snapshot import Snapshot
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

_logger = logging.getLogger(__name__)

CHECKPOINTS = pa.schema(
    [
        ("version", pa.int64()),
        ("kind", pa.string()),
        ("in_use", pa.bool_()),
        ("parts", pa.int32()),
        ("sidecars", pa.int32()),
        ("size", pa.int64()),
        ("num_rows", pa.int64()),
        ("modification_time", TIME),
    ]
)

_KINDS = {
    LogFileKind.CHECKPOINT: "classic",
    LogFileKind.CHECKPOINT_PART: "multi-part",
    LogFileKind.V2_CHECKPOINT: "v2",
}


def list_checkpoints(snapshot: Snapshot) -> pa.Table:
    """List the complete checkpoints up to a version, the newest first.

    Returns:
        A row a checkpoint: its `version`; its `kind`, `classic`, `multi-part` or `v2`; `in_use`,
        whether this version is read from it; `parts`, how many files it is, and `sidecars`, how
        many files of file actions a V2 one has besides; `size` of all these in bytes; `num_rows`,
        the actions in it, null when it cannot be read; `modification_time` of its newest file.
    """
    store = snapshot.store
    found = list_log(store).spares
    versions = sorted((number for number in found if number <= snapshot.version), reverse=True)
    rows = [
        _row(snapshot, version, parts, dict(_sidecars(store, parts)))
        for version in versions
        for parts in found[version]
    ]
    return pa.Table.from_pylist(rows, CHECKPOINTS)


def _row(
    snapshot: Snapshot,
    version: int,
    parts: Sequence[ObjectInfo],
    sidecars: Mapping[str, ObjectInfo | None],
) -> dict[str, Any]:
    files = [*parts, *(info for info in sidecars.values() if info is not None)]
    return {
        "version": version,
        "kind": _kind(parts),
        "in_use": tuple(parts) == snapshot.segment.checkpoint,
        "parts": len(parts),
        "sidecars": len(sidecars),
        "size": sum(info.size for info in files),
        "num_rows": _num_rows(snapshot.store, files) if None not in sidecars.values() else None,
        "modification_time": max(info.modified_ms for info in files),
    }


def _kind(parts: Sequence[ObjectInfo]) -> str:
    file = parse(parts[0].name)
    return "" if file is None else _KINDS[file.kind]


def _sidecars(store: Store, parts: Sequence[ObjectInfo]) -> Iterator[tuple[str, ObjectInfo | None]]:
    if _kind(parts) != "v2":
        return
    try:
        names = open_checkpoint(store, parts).sidecars
    except (DeltaError, ObjectNotFound) as error:
        _logger.warning("cannot read the checkpoint %s: %s", parts[0].name, error)
        return
    existing = {info.name: info for info in store.list_from(SIDECAR_FOLDER, SIDECAR_FOLDER)}
    for name in names:
        yield name, existing.get(name)


def _num_rows(store: Store, files: Sequence[ObjectInfo]) -> int | None:
    try:
        return sum(_rows_of(store, info) for info in files)
    except (DeltaError, ObjectNotFound, OSError, pa.ArrowException) as error:
        _logger.warning("cannot read the checkpoint %s: %s", files[0].name, error)
        return None


def _rows_of(store: Store, info: ObjectInfo) -> int:
    if info.name.endswith(".json"):
        return sum(1 for line in store.read(info.name).split(b"\n") if line.strip())
    return int(pq.ParquetFile(RangedFile(store, info)).metadata.num_rows)
