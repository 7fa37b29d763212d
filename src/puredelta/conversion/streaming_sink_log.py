"""The log that a streaming query keeps in the folder it writes: which files count.

Spark's file sink writes `_spark_metadata/N` for each batch: a line with the version of the format,
then one JSON object a file. Every tenth is `N.compact`, which has all files so far. Files have
absolute paths there, so the log of a copied folder goes on naming those of the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

import msgspec

from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.storage.location import decode_path, scheme_of, table_url
from puredelta.storage.store import Store
from puredelta.storage.store_aliases import canonical_store_url

SINK_LOG = "_spark_metadata"

_COMPACT = ".compact"
_VERSION = "v1"


def has_sink_log(store: Store) -> bool:
    """Did a streaming query of Spark write the folder?"""
    return bool(_batches(store))


def sink_files(store: Store) -> Iterator[SourceFile]:
    """Yield the files that the log names and that still count.

    Where the log names files of another folder, those at the same places in this one are meant.

    Raises:
        DeltaIllegalStateError: DELTA_CONVERT_MALFORMED_SINK_LOG.
        DeltaUnsupportedOperationError: PUREDELTA_CONVERT_SINK_LOG_OF_ANOTHER_FOLDER, it names a
            file that this one does not have.
    """
    found: dict[str, SourceFile] = {}
    for name in _needed(_batches(store)):
        for entry in _entries(store, name):
            file = _source_file(store, name, entry)
            if entry.get("action", "add") == "delete":
                found.pop(file.path, None)
            elif not entry.get("isDir"):
                found[file.path] = file
    # A copied folder has the log of the original, which names files by absolute paths.
    if outside := sorted(path for path in found if scheme_of(path)):
        for url, file in _own_files(store, outside):
            del found[url]
            found[file.path] = file
    yield from sorted(found.values(), key=lambda file: file.path)


def _batches(store: Store) -> dict[int, str]:
    """Return the files of the log by the number of their batch; compact ones count more."""
    names = (info.name.rpartition("/")[2] for info in store.list_from(SINK_LOG))
    # `N` comes before `N.compact`, which has all of it and more, and replaces it.
    known: dict[int, str] = {}
    for name in sorted(names):
        number = name.removesuffix(_COMPACT)
        if number.isdecimal():
            known[int(number)] = f"{SINK_LOG}/{name}"
    return known


def _needed(batches: dict[int, str]) -> list[str]:
    """Return the last compact file and those after it."""
    compact = [number for number, name in batches.items() if name.endswith(_COMPACT)]
    first = max(compact, default=min(batches))
    return [batches[number] for number in sorted(batches) if number >= first]


def _entries(store: Store, name: str) -> Iterator[dict[str, Any]]:
    version, *lines = store.read(name).split(b"\n")
    if version.decode("utf-8", "replace") != _VERSION:
        raise _malformed(store, name)
    for line in filter(None, lines):
        try:
            entry = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise _malformed(store, name) from error
        if not (isinstance(entry, dict) and isinstance(entry.get("path"), str)):
            raise _malformed(store, name)
        yield entry


def _source_file(store: Store, name: str, entry: dict[str, Any]) -> SourceFile:
    size, modified_ms = entry.get("size"), entry.get("modificationTime")
    if not (isinstance(size, int) and isinstance(modified_ms, int)):
        raise _malformed(store, name)
    url = table_url(decode_path(entry["path"]))
    folder, named = canonical_store_url(store.url) + "/", canonical_store_url(url)
    path = named.removeprefix(folder) if named.startswith(folder) else url
    return SourceFile(path, size, modified_ms)


def _own_files(store: Store, outside: Sequence[str]) -> Iterator[tuple[str, SourceFile]]:
    """Yield files of a folder with the URLs that they had in the one it was copied from."""
    wanted = {_place(url) for url in outside}
    there = {
        info.name: SourceFile(info.name, info.size, info.modified_ms)
        for info in store.walk("", lambda folder: folder != SINK_LOG)
        if info.name in wanted
    }
    if missing := next((url for url in outside if _place(url) not in there), None):
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_CONVERT_SINK_LOG_OF_ANOTHER_FOLDER", path=missing, folder=store.url
        )
    yield from ((url, there[_place(url)]) for url in outside)


def _place(url: str) -> str:
    """Return where a file was below the folder of its query, which makes partitions alone in it."""
    *folders, name = url.split("/")
    partitions = list(takewhile(lambda folder: "=" in folder, reversed(folders)))
    return "/".join([*reversed(partitions), name])


def _malformed(store: Store, name: str) -> DeltaIllegalStateError:
    return DeltaIllegalStateError("DELTA_CONVERT_MALFORMED_SINK_LOG", path=f"{store.url}/{name}")
