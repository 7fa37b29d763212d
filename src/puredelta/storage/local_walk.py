"""A walk through the folders of this machine, links included."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Callable, Iterator

from puredelta.storage.store import ObjectInfo

logger = logging.getLogger(__name__)

# Errors of names that lead nowhere: removed meanwhile, or a link to nothing or to itself.
_NOTHING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})

_Identity = tuple[int, int]


def walk_folder(root: str, prefix: str, enters: Callable[[str], bool]) -> Iterator[ObjectInfo]:
    """Yield the files at any depth below a folder, in the order of names within a folder.

    Only the names in one folder, and in those above it, are in memory.

    Args:
        root: The folder below which names begin, without a slash at the end.
        prefix: The folder to begin with, below the root; empty for the root.
        enters: Asked for each folder below, with its name below the root.

    Raises:
        OSError: A folder cannot be listed, or a file in it not be looked at.
    """
    return _walk(root, prefix, enters, ())


def _walk(
    root: str, folder: str, enters: Callable[[str], bool], above: tuple[_Identity, ...]
) -> Iterator[ObjectInfo]:
    found = _status(f"{root}/{folder}")
    if found is None or not stat.S_ISDIR(found.st_mode):
        return
    # Device and inode identify a folder, whichever links lead to it.
    identity = (found.st_dev, found.st_ino)
    if identity in above:
        logger.warning("%s/%s leads back into itself and is passed over", root, folder)
        return
    for name, is_folder in _entries(root, folder):
        if is_folder:
            if enters(name):
                yield from _walk(root, name, enters, (*above, identity))
            continue
        status = _status(f"{root}/{name}")
        if status is None:
            logger.warning("%s/%s is a link to nothing and is passed over", root, name)
        elif stat.S_ISREG(status.st_mode):
            yield ObjectInfo(name, status.st_size, status.st_mtime_ns // 1_000_000)


def _entries(root: str, folder: str) -> list[tuple[str, bool]]:
    """Return the names in a folder, in order, with whether they are folders."""
    above = f"{folder}/" if folder else ""
    try:
        with os.scandir(f"{root}/{folder}") as entries:
            return sorted((above + entry.name, _is_folder(entry)) for entry in entries)
    except OSError as error:
        if error.errno not in _NOTHING:
            raise
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError as error:
        if error.errno not in _NOTHING:
            raise
        return False


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116  # a million of them: a Path takes longer than the call
    except OSError as error:
        if error.errno not in _NOTHING:
            raise
        return None
