"""From a listing of the log to the files that make up one version."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalStateError,
)
from puredelta.log.names import (
    LAST_CHECKPOINT,
    LOG_FOLDER,
    LogFile,
    LogFileKind,
    parse,
    version_prefix,
)
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LogSegment:
    """The files of the log from which one version is read.

    Attributes:
        version: The version.
        commits: Commits after the checkpoint, oldest first, without a gap.
        checkpoint: The files of the checkpoint, or None when the log is read from version 0 on.
        checkpoint_version: The version of the checkpoint.
        last_commit: The commit file of `version`; None when only a checkpoint is left of it.
    """

    version: int
    commits: tuple[ObjectInfo, ...]
    checkpoint: tuple[ObjectInfo, ...] | None
    checkpoint_version: int | None
    last_commit: ObjectInfo | None


class LastCheckpoint(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The hint where the newest checkpoint is; may be missing, late or wrong.

    Protocol: Last Checkpoint File.
    """

    version: int
    size: int
    parts: int | None = None
    size_in_bytes: int | None = None
    num_of_add_files: int | None = None


@dataclass(frozen=True)
class Listing:
    """What lies in the log folder from some version on.

    Attributes:
        commits: Commit files by version.
        checkpoints: The best complete checkpoint of each version that has one.
    """

    commits: dict[int, ObjectInfo]
    checkpoints: dict[int, tuple[ObjectInfo, ...]]

    @property
    def latest(self) -> int | None:
        """The newest version there is, or None when the log is empty."""
        return max((*self.commits, *self.checkpoints), default=None)

    def checkpoint_before(self, version: int) -> int | None:
        """Return the newest version with a checkpoint, up to `version`."""
        return max((found for found in self.checkpoints if found <= version), default=None)

    def earliest_readable(self) -> int | None:
        """Return the oldest version whose state can be had from here, or None."""
        if 0 in self.commits:
            return 0
        return min(self.checkpoints, default=None)


def load_segment(store: Store, version: int | None = None) -> LogSegment:
    """Find the files from which a version is read; the latest one if none is named.

    Raises:
        DeltaAnalysisError: There is no log, or no such version in it.
        DeltaIllegalStateError: Commits are missing in between.
        DeltaFileNotFoundError: The first commits are gone, and no checkpoint stands in for them.
    """
    hint = read_last_checkpoint(store)
    start = hint.version if hint and (version is None or hint.version <= version) else 0
    listing = list_log(store, start)
    if start and (
        listing.checkpoint_before(start if version is None else version) is None
        or (version is not None and (listing.latest or 0) < version)
    ):
        _logger.info("the hint of %s leads nowhere; listing the whole log", store.url)
        listing = list_log(store, 0)
    return segment_of(store, listing, version)


def segment_of(store: Store, listing: Listing, version: int | None = None) -> LogSegment:
    """Choose the files of a version from a listing; see `load_segment`."""
    latest = listing.latest
    if latest is None:
        raise DeltaAnalysisError("DELTA_NO_COMMITS_FOUND", logPath=_log_path(store))
    wanted = latest if version is None else version
    if not 0 <= wanted <= latest:
        raise _version_not_found(store, listing, wanted)
    checkpoint = listing.checkpoint_before(wanted)
    start = 0 if checkpoint is None else checkpoint + 1
    commits = tuple(
        info for found, info in sorted(listing.commits.items()) if start <= found <= wanted
    )
    if len(commits) != wanted - start + 1:
        raise _incomplete(store, listing, start, wanted, latest=version is None)
    return LogSegment(
        version=wanted,
        commits=commits,
        checkpoint=None if checkpoint is None else listing.checkpoints[checkpoint],
        checkpoint_version=checkpoint,
        last_commit=listing.commits.get(wanted),
    )


def list_log(store: Store, start: int = 0) -> Listing:
    """List the commits and the complete checkpoints from a version on."""
    commits: dict[int, ObjectInfo] = {}
    checkpoints: dict[int, list[tuple[LogFile, ObjectInfo]]] = {}
    for info in store.list_from(LOG_FOLDER, version_prefix(start)):
        file = parse(info.name)
        if file is None:
            continue
        if file.kind is LogFileKind.COMMIT:
            commits[file.version] = info
        elif file.kind in _CHECKPOINT_KINDS and info.size:
            checkpoints.setdefault(file.version, []).append((file, info))
    complete = {version: _complete(found) for version, found in checkpoints.items()}
    return Listing(commits, {version: found for version, found in complete.items() if found})


def read_last_checkpoint(store: Store) -> LastCheckpoint | None:
    """Read the hint; None when there is none or it makes no sense."""
    try:
        return msgspec.json.decode(store.read(LAST_CHECKPOINT), type=LastCheckpoint)
    except ObjectNotFound:
        return None
    except msgspec.DecodeError as error:
        _logger.warning("ignoring %s/%s: %s", store.url, LAST_CHECKPOINT, error)
        return None


_CHECKPOINT_KINDS = (
    LogFileKind.CHECKPOINT,
    LogFileKind.CHECKPOINT_PART,
    LogFileKind.V2_CHECKPOINT,
)


def _complete(found: Iterable[tuple[LogFile, ObjectInfo]]) -> tuple[ObjectInfo, ...]:
    """Choose one whole checkpoint among the files of a version: the simplest kind there is."""
    parts: dict[int, dict[int, ObjectInfo]] = {}
    others: dict[LogFileKind, ObjectInfo] = {}
    for file, info in found:
        if file.kind is LogFileKind.CHECKPOINT_PART:
            parts.setdefault(file.parts, {})[file.part] = info
        else:
            others[file.kind] = info
    if classic := others.get(LogFileKind.CHECKPOINT):
        return (classic,)
    for count in sorted(parts):
        if parts[count].keys() == set(range(1, count + 1)):
            return tuple(info for _, info in sorted(parts[count].items()))
    v2 = others.get(LogFileKind.V2_CHECKPOINT)
    return (v2,) if v2 else ()


def _incomplete(
    store: Store, listing: Listing, start: int, wanted: int, *, latest: bool
) -> DeltaIllegalStateError | DeltaFileNotFoundError | DeltaAnalysisError:
    there = sorted(version for version in listing.commits if start <= version <= wanted)
    if start == 0 and 0 not in listing.commits:
        earliest = listing.earliest_readable()
        if not latest and earliest is not None:
            return _version_not_found(store, listing, wanted)
        return DeltaFileNotFoundError(
            "DELTA_TRUNCATED_TRANSACTION_LOG",
            path=_log_path(store),
            version=wanted,
            logRetentionKey="delta.logRetentionDuration",
            logRetention="30 days unless set",
            checkpointRetentionKey="delta.checkpointRetentionDuration",
            checkpointRetention="2 days unless set",
        )
    return DeltaIllegalStateError(
        "DELTA_VERSIONS_NOT_CONTIGUOUS",
        versionList=there,
        startVersion=start,
        endVersion=wanted,
        versionToLoad=wanted,
    )


def _version_not_found(store: Store, listing: Listing, wanted: int) -> DeltaAnalysisError:
    earliest = listing.earliest_readable()
    if earliest != 0:
        # The listing may have begun at the newest checkpoint.
        earliest = list_log(store).earliest_readable()
    return DeltaAnalysisError(
        "DELTA_VERSION_NOT_FOUND", userVersion=wanted, earliest=earliest, latest=listing.latest
    )


def _log_path(store: Store) -> str:
    return f"{store.url}/{LOG_FOLDER}"
