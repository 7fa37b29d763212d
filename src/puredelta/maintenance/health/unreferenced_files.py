"""The finding about files that no version within the retention needs: what VACUUM would delete."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.actions import DeletionVector
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.storage.location import absolute
from puredelta.table.deletion_vectors.vectors import vector_path
from puredelta.table.protocol.properties import DELETED_FILE_RETENTION

_MILLISECOND = timedelta(milliseconds=1)
_CHANGES = "_change_data"
_HIDDEN = ("_", ".")


def unreferenced_findings(snapshot: Snapshot, table: str, now: int) -> Iterator[HealthFinding]:
    """Report old files that the log no longer needs; lists the folder of the table.

    Args:
        snapshot: The version that is looked at.
        table: How a statement names the table.
        now: The time, in milliseconds since 1970.
    """
    cut_off = now - DELETED_FILE_RETENTION.of(snapshot.configuration) // _MILLISECOND
    kept = set(_kept(snapshot, cut_off))
    count = size = 0
    for info in snapshot.store.walk("", _is_entered):
        name = info.name.rpartition("/")[2]
        if info.modified_ms < cut_off and not name.startswith(_HIDDEN) and info.name not in kept:
            count, size = count + 1, size + info.size
    if count:
        yield HealthFinding(
            code="unreferenced-files",
            text=f"{count:,} files are in no version that is retained",
            statement=f"VACUUM {table}",
            files_to_delete=count,
            bytes_to_delete=size,
        )


def _is_entered(folder: str) -> bool:
    name = folder.rpartition("/")[2]
    is_partition = "=" in name and not name.startswith(".")
    return name == _CHANGES or is_partition or not name.startswith(_HIDDEN)


def _kept(snapshot: Snapshot, cut_off: int) -> Iterator[str]:
    """Yield the names, below the table's folder, of files that are live or removed of late."""
    removed = snapshot.tombstones()
    times = pc.fill_null(removed["deletion_timestamp"], 0)
    for table in (snapshot.files, removed.filter(pc.greater_equal(times, cut_off))):
        yield from _inside(snapshot, table)


def _inside(snapshot: Snapshot, files: pa.Table) -> Iterator[str]:
    root = snapshot.store.url
    below = f"{root}/"
    for path in files["path"].to_pylist():
        # Most paths are relative already, and a table has many of them.
        if ":" not in path and path[:1] not in "/.":
            yield path
        elif (url := absolute(root, path)).startswith(below):
            yield url[len(below) :]
    vectors = files["deletion_vector"]
    if vectors.null_count == len(vectors):
        return
    for plain in vectors.drop_null().to_pylist():
        place = vector_path(root, msgspec.convert(plain, DeletionVector))
        if place is not None and place.startswith(below):
            yield place[len(below) :]
