"""What puredelta keeps on this machine: compiled adapters, and archives of Spark's classes.

A folder that others can write to holds no cache: a process then compiles into a temporary folder of
its own, which stays when the process ends.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from puredelta._util.clock import now_ms
from puredelta.engine.bridge import class_archive
from puredelta.engine.bridge.environment import cache_folder

TEMPORARY_PREFIX = "puredelta-"
"""How the names of temporary folders begin into which a process compiles."""

# Its process may still run.
_YOUNG_MS = 24 * 60 * 60 * 1000

# Jars, their digests, and halves of both that a process left which was killed.
_FILES = ("adapters-*", class_archive.FILES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedFile:
    """A file that can be deleted: it can be made again.

    Attributes:
        path: Where it is.
        size: Its size in bytes.
        modified_ms: When it was written, in milliseconds since 1970.
    """

    path: Path
    size: int
    modified_ms: int


def cached_files() -> list[CachedFile]:
    """List what can be deleted, sorted by path.

    Nothing else in these folders is listed, for a cache may have a folder that others use, too.
    """
    folders = [cache_folder(), *_left_folders()]
    found = (path for folder in folders for form in _FILES for path in folder.glob(form))
    return sorted(_described(found), key=lambda file: file.path)


def delete_cached(files: Iterable[CachedFile]) -> list[CachedFile]:
    """Delete cached files, and the temporary folders that are empty then.

    Args:
        files: The files.

    Returns:
        Those that could not be deleted.
    """
    failed = [file for file in files if not _is_deleted(file.path)]
    for folder in _left_folders():
        if not any(folder.iterdir()):
            folder.rmdir()
    return failed


def _is_deleted(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _described(paths: Iterable[Path]) -> Iterator[CachedFile]:
    for path in paths:
        facts = path.lstat()
        yield CachedFile(path=path, size=facts.st_size, modified_ms=facts.st_mtime_ns // 1_000_000)


def _left_folders() -> Iterator[Path]:
    """Yield the temporary folders of this user that no running process is likely to use."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        facts = folder.lstat()
        is_own = not hasattr(os, "getuid") or facts.st_uid == os.getuid()
        is_old = now_ms() - facts.st_mtime_ns // 1_000_000 > _YOUNG_MS
        if is_own and is_old and folder.is_dir() and not folder.is_symlink():
            yield folder
