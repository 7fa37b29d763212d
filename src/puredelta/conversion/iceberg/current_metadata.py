"""Which metadata file of an Iceberg table counts: the one that a catalog would name.

Only the catalog knows it. Files record which ones were current before them, and the one that no
other names is the last. Numbers in names are no help alone: they begin anew when a table is dropped
and made again in its place, or when a table of a folder comes into a catalog; and the hint that
tables of a folder have stays behind then.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import msgspec
from pyiceberg.exceptions import ValidationError
from pyiceberg.table.metadata import TableMetadataUtil

from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.storage.store import ObjectNotFound, Store

FOLDER = "metadata"
# v12.metadata.json of tables in a folder, 00012-UUID.metadata.json of tables in a catalog; a UUID
# alone is the name of a file that a commit to a folder is about to rename.
_NAME = re.compile(
    r"(?![\da-f]{8}-(?:[\da-f]{4}-){3})(?:(v)(\d+)|(\d+)-[^/]*?)\.(?:gz\.)?metadata\.json(?:\.gz)?"
)
# Clocks of two writers differ by as much at most, Iceberg holds.
_CLOCKS_DIFFER_MS = 60_000
_SHOWN = 5


class _Entry(msgspec.Struct, rename="kebab"):
    metadata_file: str


class _Content(msgspec.Struct, rename="kebab"):
    """What a metadata file says of itself and of those before it."""

    table_uuid: str | None = None
    last_updated_ms: int = 0
    metadata_log: list[_Entry] = []


@dataclass(frozen=True, slots=True)
class _File:
    """A metadata file.

    Attributes:
        name: In its folder.
        family: How it is numbered.
        number: Its number.
        content: What it records; None when it is damaged.
    """

    name: str
    family: str
    number: int
    content: _Content | None = None

    def is_before(self, other: _File) -> bool:
        """Say whether another file followed on this one, though its log may have forgotten it."""
        if self.family != other.family or self.number >= other.number or other.content is None:
            return False
        # A damaged file does not say which table it belongs to; its number is all that is left.
        if self.content is None:
            return True
        is_later = self.content.last_updated_ms <= other.content.last_updated_ms + _CLOCKS_DIFFER_MS
        return self.content.table_uuid == other.content.table_uuid and is_later

    def __str__(self) -> str:
        if self.content is None:
            return f"{self.name} (damaged)"
        at = datetime.fromtimestamp(self.content.last_updated_ms / 1000, timezone.utc)
        return f"{self.name} (table {self.content.table_uuid}, written {at:%Y-%m-%d %H:%M:%S} UTC)"


def current_metadata(store: Store, named: str | None = None) -> Any:
    """Read the metadata of a table as its last commit left it.

    Args:
        store: The files of the table.
        named: The metadata file that counts, below the folder of the table; None to find it.

    Returns:
        A `pyiceberg.table.metadata.TableMetadata`.

    Raises:
        DeltaFileNotFoundError: There is no metadata file (DELTA_ICEBERG_TABLE_NOT_FOUND).
        DeltaIllegalStateError: Several files may be the last one, or it is damaged or not there
            (DELTA_ICEBERG_METADATA_UNREADABLE).
    """
    name = named or f"{FOLDER}/{_last(store).name}"
    try:
        return TableMetadataUtil.parse_raw(_content(store, name).decode())
    except ObjectNotFound as error:
        raise _unreadable(f"{store.url}/{name}", "there is no such file") from error
    except (ValidationError, ValueError, OSError, EOFError) as error:
        raise _unreadable(f"{store.url}/{name}", " ".join(str(error).split())) from error


def _last(store: Store) -> _File:
    found = list(_numbered(info.name.rpartition("/")[2] for info in store.list_from(FOLDER)))
    if not found:
        raise DeltaFileNotFoundError("DELTA_ICEBERG_TABLE_NOT_FOUND", path=store.url)
    heads = _heads(store, found)
    last = [head for head in heads if not any(head.is_before(other) for other in heads)]
    if len(last) > 1:
        raise _ambiguous(store, last)
    return last[0]


def _numbered(names: Iterator[str]) -> Iterator[_File]:
    for name in names:
        if parts := _NAME.fullmatch(name):
            yield _File(name, parts[1] or "", int(parts[2] or parts[3]))


def _heads(store: Store, files: Sequence[_File]) -> list[_File]:
    """Find the files that no other one names; the last ones first, which name most of the others.

    Logs name a hundred files before them as a rule, so few of many files are read.
    """
    named: set[str] = set()
    read: list[_File] = []
    for file in sorted(files, key=lambda info: (info.number, info.name), reverse=True):
        if file.name not in named:
            content = _parsed(store, file.name)
            read.append(_File(file.name, file.family, file.number, content))
            entries = () if content is None else content.metadata_log
            named.update(entry.metadata_file.rpartition("/")[2] for entry in entries)
    return [info for info in read if info.name not in named]


def _parsed(store: Store, name: str) -> _Content | None:
    try:
        return msgspec.json.decode(_content(store, f"{FOLDER}/{name}"), type=_Content)
    except (msgspec.DecodeError, OSError, EOFError):
        return None


def _content(store: Store, name: str) -> bytes:
    data = store.read(name)
    # By content: Iceberg has put `.gz` before and after `.metadata.json`.
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def _ambiguous(store: Store, files: Sequence[_File]) -> DeltaIllegalStateError:
    latest = sorted(files, key=_written, reverse=True)
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    folder = f"{store.url}/{FOLDER}"
    return _unreadable(
        folder,
        "several files may be the last one of the table, and only its catalog knows which one is: "
        f"{', '.join(map(str, latest[:_SHOWN]))}{more}. Name the one that counts: "
        f"CONVERT TO DELTA iceberg.`{folder}/{latest[0].name}`",
    )


def _written(file: _File) -> int:
    return 0 if file.content is None else file.content.last_updated_ms


def _unreadable(path: str, reason: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError("DELTA_ICEBERG_METADATA_UNREADABLE", path=path, reason=reason)
