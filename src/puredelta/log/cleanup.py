"""What may be deleted from the log: versions past their retention, up to a complete checkpoint.

Whatever happens on the way, what is left can be read: deletion goes from old to new, and what
remains begins at a checkpoint that was looked at first.

Protocol: Metadata Cleanup; Checkpoint Protection.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from puredelta.errors import DeltaError
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.history import increasing
from puredelta.log.listing import CHECKPOINT_KINDS, complete_checkpoints
from puredelta.log.names import (
    LOG_FOLDER,
    SIDECAR_FOLDER,
    STAGED_FOLDER,
    LogFile,
    LogFileKind,
    parse,
)
from puredelta.log.summaries.classic_copy import write_classic_copy
from puredelta.storage.local_files import is_own_folder
from puredelta.storage.store import ObjectInfo, Store

_logger = logging.getLogger(__name__)

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class CleanedLog:
    """What a cleanup did.

    Attributes:
        first_version: The oldest version that can be read now; None when nothing was deleted.
        files: How many files of the log were deleted.
        sidecars: How many sidecars were.
    """

    first_version: int | None = None
    files: int = 0
    sidecars: int = 0


def expiry(now: int, retention: timedelta, granularity: timedelta = DAY) -> int:
    """Return the time up to which versions have expired, in milliseconds since 1970.

    Args:
        now: The time, in milliseconds since 1970.
        retention: How long a version is kept.
        granularity: The result is the beginning of a period of this length, in UTC.

    >>> expiry(now=3 * 86_400_000 + 5, retention=timedelta(days=1))
    172800000
    """
    step = granularity // _MILLISECOND
    return (now - retention // _MILLISECOND) // step * step


def clean_log(store: Store, expired: int, *, protected_before: int = 0) -> CleanedLog:
    """Delete the versions that have expired, all but what newer versions are read from.

    Versions go up to the newest checkpoint before which everything has expired, and no further
    than the hint of the last checkpoint. Without the hint nothing is deleted.

    Args:
        store: Where the table lies.
        expired: Versions made at this time or before have expired, in milliseconds since 1970; see
            `expiry`.
        protected_before: Versions before this one go all at once or not at all.

    Raises:
        DeltaError: The store failed. What is left can be read.
    """
    hint = read_last_checkpoint(store)
    if hint is None:
        return CleanedLog()
    files = _log_files(store)
    for first in _boundaries(files, hint.version, expired):
        # Protocol: Checkpoint Protection. Boundaries come newest first, so all others are below
        # too.
        if first < protected_before:
            break
        if _is_sound(store, files[first]):
            return _clean_up_to(store, files, first, expired)
    return CleanedLog()


_Files = dict[int, list[tuple[LogFile, ObjectInfo]]]
"""The files of the log by their version; a compaction is listed under its last one."""


def _log_files(store: Store) -> _Files:
    found: _Files = {}
    for info in store.list_from(LOG_FOLDER):
        file = parse(info.name)
        if file is not None:
            version = file.version if file.end_version is None else file.end_version
            found.setdefault(version, []).append((file, info))
    return found


def _boundaries(files: _Files, newest: int, expired: int) -> list[int]:
    """List the versions with a complete checkpoint before which all has expired, newest first."""
    versions = sorted(version for version in files if version <= newest)
    # As in delta-spark, a version whose clock was late does not expire before those below it.
    times = increasing(_time(files[version]) for version in versions)
    found: list[int] = []
    previous: int | None = None
    for version, time in zip(versions, times, strict=True):
        # Times increase, so no version from here on can be a boundary.
        if previous is not None and previous > expired:
            break
        if previous is not None and complete_checkpoints(_checkpoint_files(files[version])):
            found.append(version)
        previous = time
    return found[::-1]


def _time(files: Iterable[tuple[LogFile, ObjectInfo]]) -> int:
    """Return when a version was made; a checkpoint says it where the commit is gone."""
    commits = [info.modified_ms for file, info in files if file.kind is LogFileKind.COMMIT]
    others = (info.modified_ms for file, info in files if file.kind in CHECKPOINT_KINDS)
    return max(commits or others, default=0)


def _checkpoint_files(
    files: Iterable[tuple[LogFile, ObjectInfo]],
) -> list[tuple[LogFile, ObjectInfo]]:
    # An empty file is no checkpoint: delta-spark passes over it, too.
    return [file for file in files if file[0].kind in CHECKPOINT_KINDS and file[1].size]


def _is_sound(store: Store, files: Sequence[tuple[LogFile, ObjectInfo]]) -> bool:
    """Return whether a version can be read from its checkpoint alone, without reading it all."""
    for parts in complete_checkpoints(_checkpoint_files(files)):
        try:
            checkpoint = open_checkpoint(store, parts)
            present = {info.name for info in _sidecars(store)} if checkpoint.sidecars else set()
        except DeltaError as error:
            _logger.warning("no cleanup of %s up to a damaged checkpoint: %s", store.url, error)
            continue
        kinds = {type(action) for action in checkpoint.actions}
        if {Protocol, Metadata} <= kinds and present.issuperset(checkpoint.sidecars):
            return True
    return False


def _clean_up_to(store: Store, files: _Files, first: int, expired: int) -> CleanedLog:
    """Delete all that is only of versions before `first`, the oldest version first."""
    # The copy is written while the old commits exist, so at no moment is a client without a start.
    _make_readable(store, first, files[first])
    # In the order of versions: a cleanup that breaks off leaves no gap between those that remain.
    old = [file for version in sorted(files) if version < first for file in files[version]]
    store.delete([info.name for _, info in old])
    store.delete(_staged_before(store, first))
    sidecars = 0
    # Only a deleted checkpoint leaves sidecars that nothing names; they go after it, so that a
    # checkpoint in the log always has its sidecars.
    if any(file.kind in CHECKPOINT_KINDS for file, _ in old):
        remaining = [file for version, some in files.items() if version >= first for file in some]
        sidecars = _clean_sidecars(store, _checkpoint_files(remaining), expired)
    _logger.info("%s: deleted %d files of versions before %d", store.url, len(old), first)
    return CleanedLog(first, len(old), sidecars)


def _make_readable(store: Store, first: int, files: Sequence[tuple[LogFile, ObjectInfo]]) -> None:
    """Give the checkpoint that the history will begin with a name that every client knows."""
    kinds = {file.kind for file, info in files if info.size}
    if kinds & {LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_PART}:
        return
    names = [info.name for file, info in files if file.kind is LogFileKind.V2_CHECKPOINT]
    # Clients that know V2 checkpoints do not need the copy, so a failure does not stop the cleanup.
    try:
        write_classic_copy(store, first, names[0])
    except DeltaError as error:
        _logger.warning("no classic copy of %s/%s: %s", store.url, names[0], error)


def _staged_before(store: Store, first: int) -> list[str]:
    """Name the staged commits of versions that are gone."""
    names = [info.name for info in _own_files(store, STAGED_FOLDER)]
    versions = [name.rpartition("/")[2].partition(".")[0] for name in names]
    return [
        name
        for name, version in zip(names, versions, strict=True)
        if version.isascii() and version.isdigit() and int(version) < first
    ]


def _clean_sidecars(
    store: Store, checkpoints: Iterable[tuple[LogFile, ObjectInfo]], expired: int
) -> int:
    """Delete expired sidecars that no checkpoint names; younger ones may be for one to come."""
    found = _own_files(store, SIDECAR_FOLDER)
    candidates = [info.name for info in found if info.modified_ms <= expired]
    if not candidates:
        return 0
    try:
        opened = [open_checkpoint(store, [info]) for _, info in checkpoints]
    except DeltaError as error:
        # It may name any of the candidates.
        _logger.warning("keeping all sidecars of %s: %s", store.url, error)
        return 0
    named = {name for checkpoint in opened for name in checkpoint.sidecars}
    unnamed = [name for name in candidates if name not in named]
    store.delete(unnamed)
    return len(unnamed)


def _own_files(store: Store, folder: str) -> list[ObjectInfo]:
    """List a folder whose files may be deleted; what a link leads to may be anyone's."""
    return store.list_from(folder) if is_own_folder(store.url, folder) else []


def _sidecars(store: Store) -> list[ObjectInfo]:
    return store.list_from(SIDECAR_FOLDER)
