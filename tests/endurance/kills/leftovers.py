"""Files of a table's folder that nothing names: what killed writers leave."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.log.actions import DeletionVector
from puredelta.log.names import LOG_FOLDER, SIDECAR_FOLDER, parse
from puredelta.table.deletion_vectors.vectors import vector_path
from tests.endurance.kills.places import Place

# What the log's folder has beside versions.
_HINTS = {f"{LOG_FOLDER}/_last_checkpoint", f"{LOG_FOLDER}/_last_vacuum_info"}

_ROOT = "file:///t"


def left_over(place: Place) -> set[str]:
    """Name the files that no version names, and that are none of the log."""
    names = place.names()
    # Hadoop keeps the checksum of a file in one beside it.
    names = {name for name in names if checked_by(name) not in names}
    known = _HINTS | {name for name in names if parse(name) is not None}
    for name in known & names:
        known |= set(_named_by(place, name))
    return {name for name in names - known if not name.startswith("_symlink_format_manifest/")}


def checked_by(name: str) -> str | None:
    """Return the file of which Hadoop keeps the checksum in a file; None for another one.

    >>> checked_by("p=a/.x.parquet.crc")
    'p=a/x.parquet'
    """
    folder, slash, file = name.rpartition("/")
    is_checksum = file.startswith(".") and file.endswith(".crc")
    return f"{folder}{slash}{file[1:-4]}" if is_checksum else None


def _named_by(place: Place, name: str) -> Iterator[str]:
    if name.endswith(".json"):
        for line in place.read(name).splitlines():
            yield from _named_in(json.loads(line))
    elif name.endswith(".parquet"):
        for row in pq.read_table(pa.BufferReader(place.read(name))).to_pylist():
            yield from _named_in({key: value for key, value in row.items() if value})


def _named_in(action: dict[str, Any]) -> Iterator[str]:
    for kind in ("add", "remove", "cdc"):
        file = action.get(kind)
        if file is not None:
            yield unquote(file["path"])
            yield from _vector_of(file)
    if action.get("sidecar") is not None:
        yield f"{SIDECAR_FOLDER}/{action['sidecar']['path']}"


def _vector_of(file: dict[str, Any]) -> Iterator[str]:
    vector = file.get("deletionVector")
    if vector is not None:
        found = DeletionVector(
            storage_type=vector["storageType"],
            path_or_inline_dv=vector["pathOrInlineDv"],
            size_in_bytes=vector["sizeInBytes"],
            cardinality=vector["cardinality"],
        )
        path = vector_path(_ROOT, found)
        if path is not None:
            yield path.removeprefix(f"{_ROOT}/")
