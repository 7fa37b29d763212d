"""Deletes files in bulk, and folders in which nothing is; a failure ends nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from puredelta._util.interrupts import check
from puredelta._util.parallel import run_in_parallel
from puredelta._util.progress import progress
from puredelta.errors import DeltaError
from puredelta.storage.store import FolderStore, ObjectInfo, Store

_log = logging.getLogger(__name__)

FILES_AT_ONCE = 1_000
"""Object stores take so many names in one request."""

USUAL_THREADS = 8


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was deleted.

    Attributes:
        files: How many files are gone; those that were gone before count.
        size: Their size in bytes.
        failed: How many files could not be deleted.
    """

    files: int = 0
    size: int = 0
    failed: int = 0

    def __add__(self, other: Deletion) -> Deletion:
        return Deletion(
            self.files + other.files, self.size + other.size, self.failed + other.failed
        )


def delete_files(
    store: Store,
    files: Sequence[ObjectInfo],
    newly_kept: Callable[[], set[str]],
    *,
    threads: int = 1,
) -> Deletion:
    """Delete files, and go on where one cannot be deleted.

    Args:
        store: The table.
        files: The files.
        newly_kept: Returns what other writers need by now; asked before each thousand files.
        threads: How many delete.
    """
    done = Deletion()
    with progress("deleting files", len(files)) as step:
        for part in run_in_parallel(
            lambda some: _delete_some(store, some),
            _still_unneeded(files, newly_kept),
            threads=threads,
        ):
            done += part
            step.at(done.files + done.failed)
    return done


def _still_unneeded(
    files: Sequence[ObjectInfo], newly_kept: Callable[[], set[str]]
) -> Iterator[list[ObjectInfo]]:
    needed: set[str] = set()
    for start in range(0, len(files), FILES_AT_ONCE):
        # Between two requests the statement can be left: what is deleted is deleted.
        check()
        needed |= newly_kept()
        yield [info for info in files[start : start + FILES_AT_ONCE] if info.name not in needed]


def _delete_some(store: Store, files: Sequence[ObjectInfo]) -> Deletion:
    try:
        store.delete([info.name for info in files])
    except DeltaError:
        # One of them is to blame, and the others are to go.
        return sum((_delete_file(store, info) for info in files), Deletion())
    return Deletion(len(files), sum(info.size for info in files))


def _delete_file(store: Store, info: ObjectInfo) -> Deletion:
    try:
        store.delete([info.name])
    except DeltaError as reason:
        _log.warning("%s", reason)
        return Deletion(failed=1)
    return Deletion(1, info.size)


def delete_folders(store: Store, folders: Sequence[str]) -> int:
    """Remove folders in which nothing is, and return how many.

    Args:
        store: The table.
        folders: The folders, the deepest first.
    """
    if not isinstance(store, FolderStore):
        return 0
    return sum(_delete_folder(store, folder) for folder in folders)


def _delete_folder(store: FolderStore, folder: str) -> bool:
    try:
        return store.delete_folder(folder)
    except DeltaError as reason:
        _log.warning("%s", reason)
        return False
