"""Which metadata file of an Iceberg table counts: the one that a catalog would name."""

from __future__ import annotations

import gzip
import re
from typing import Any

from pyiceberg.exceptions import ValidationError
from pyiceberg.table.metadata import TableMetadataUtil

from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.storage.store import ObjectNotFound, Store

FOLDER = "metadata"
_HINT = "version-hint.text"
# v12.metadata.json of tables in a folder, 00012-UUID.metadata.json of tables in a catalog.
_NAME = re.compile(r"(?:v(\d+)|(\d+)-[^/]*?)((?:\.gz)?\.metadata\.json(?:\.gz)?)")


def current_metadata(store: Store) -> Any:
    """Read the metadata of a table as its last commit left it.

    A table that is kept in a folder alone has a hint; one that is kept in a catalog has not, and
    its last metadata file counts.

    Returns:
        A `pyiceberg.table.metadata.TableMetadata`.

    Raises:
        DeltaFileNotFoundError: There is no metadata file (DELTA_ICEBERG_TABLE_NOT_FOUND).
        DeltaIllegalStateError: Two files may be the last one, or it is damaged
            (DELTA_ICEBERG_METADATA_UNREADABLE).
    """
    name = _current_name(store)
    data = store.read(name)
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return TableMetadataUtil.parse_raw(data.decode())
    except (ValidationError, ValueError, OSError, EOFError) as error:
        raise _unreadable(f"{store.url}/{name}", " ".join(str(error).split())) from error


def _current_name(store: Store) -> str:
    names = [one.name.rpartition("/")[2] for one in store.list_from(FOLDER)]
    numbered = [(_number(name), name) for name in names if _NAME.fullmatch(name)]
    if not numbered:
        raise DeltaFileNotFoundError("DELTA_ICEBERG_TABLE_NOT_FOUND", path=store.url)
    last = max(number for number, _ in numbered)
    if _hinted(store) is not None:
        # The hint may be late by some commits, never early.
        of_folder = [pair for pair in numbered if pair[1].startswith("v")]
        numbered = of_folder or numbered
        last = max(number for number, _ in numbered)
    found = [name for number, name in numbered if number == last]
    if len(found) > 1:
        raise _unreadable(
            f"{store.url}/{FOLDER}",
            f"{' and '.join(found)} may both be the last metadata file, and only the table's "
            "catalog knows which one is. Move the other one away",
        )
    return f"{FOLDER}/{found[0]}"


def _hinted(store: Store) -> int | None:
    try:
        text = store.read(f"{FOLDER}/{_HINT}").decode().strip()
    except (ObjectNotFound, UnicodeDecodeError):
        return None
    return int(text) if text.isdecimal() else None


def _number(name: str) -> int:
    found = _NAME.fullmatch(name)
    return -1 if found is None else int(found[1] or found[2])


def _unreadable(path: str, reason: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError("DELTA_ICEBERG_METADATA_UNREADABLE", path=path, reason=reason)
