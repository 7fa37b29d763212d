"""From a listing of the log to the files that make up one version."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalStateError,
)
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.listing import Compaction, LogListing, list_log
from puredelta.log.names import LOG_FOLDER
from puredelta.storage.store import ObjectInfo, Store

_logger = logging.getLogger(__name__)

# How far below an old version a checkpoint is looked for first; ten of them lie there by default.
_NEAR = 100


@dataclass(frozen=True)
class LogSegment:
    """The files of the log from which one version is read.

    Attributes:
        version: The version.
        commits: Commits after the checkpoint, oldest first, without a gap.
        checkpoint: The files of the checkpoint, or None when the log is read from version 0 on.
        checkpoint_version: The version of the checkpoint.
        last_commit: The commit file of `version`; None when only a checkpoint is left of it.
        compactions: Files that stand in for runs of `commits`, oldest first, none over another.
    """

    version: int
    commits: tuple[ObjectInfo, ...]
    checkpoint: tuple[ObjectInfo, ...] | None
    checkpoint_version: int | None
    last_commit: ObjectInfo | None
    compactions: tuple[Compaction, ...] = ()

    def replay_files(self) -> tuple[ObjectInfo, ...]:
        """Name what is to be read after the checkpoint, oldest first.

        A compaction has no commitInfo, so that of the last version may be found nowhere in these.
        """
        if not self.compactions:
            return self.commits
        # Commits have no gap, so a version's index follows from that of the first one.
        version = first = self.version - len(self.commits) + 1
        found: list[ObjectInfo] = []
        for compaction in self.compactions:
            found.extend(
                (*self.commits[version - first : compaction.start - first], compaction.info)
            )
            version = compaction.end + 1
        return (*found, *self.commits[version - first :])


def load_segment(store: Store, version: int | None = None) -> LogSegment:
    """Find the files from which a version is read; the latest one if none is named.

    Raises:
        DeltaAnalysisError: There is no log, or no such version in it.
        DeltaIllegalStateError: Commits are missing in between.
        DeltaFileNotFoundError: The first commits are gone, and no checkpoint stands in for them.
    """
    start = _start_of_listing(store, version)
    listing = list_log(store, start)
    # The start was a guess: the hint may be stale, and checkpoints rarer than assumed.
    if start and not _is_enough(listing, version):
        _logger.info("listing the whole log of %s: no checkpoint from %d on", store.url, start)
        listing = list_log(store, 0)
    return segment_of(store, listing, version)


def segment_of(store: Store, listing: LogListing, version: int | None = None) -> LogSegment:
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
    # A missing commit must never be skipped: its removed files would count as live.
    if len(commits) != wanted - start + 1:
        raise _incomplete(store, listing, start, wanted, latest=version is None)
    return LogSegment(
        version=wanted,
        commits=commits,
        checkpoint=None if checkpoint is None else listing.checkpoints[checkpoint],
        checkpoint_version=checkpoint,
        last_commit=listing.commits.get(wanted),
        compactions=listing.compactions_between(start, wanted),
    )


def _start_of_listing(store: Store, version: int | None) -> int:
    """Guess from which version on the log has to be listed."""
    # So few commits are listed sooner than the hint is read.
    if version is not None and version <= _NEAR:
        return 0
    hint = read_last_checkpoint(store)
    # A checkpoint after the wanted version is no start for it.
    if hint is not None and (version is None or hint.version <= version):
        return hint.version
    return 0 if version is None else version - _NEAR


def _is_enough(listing: LogListing, version: int | None) -> bool:
    latest = listing.latest
    if latest is None or (version is not None and latest < version):
        return False
    return listing.checkpoint_before(latest if version is None else version) is not None


def _incomplete(
    store: Store, listing: LogListing, start: int, wanted: int, *, latest: bool
) -> DeltaIllegalStateError | DeltaFileNotFoundError | DeltaAnalysisError:
    existing = _ranges(version for version in listing.commits if start <= version <= wanted)
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
        versionList=existing,
        startVersion=start,
        endVersion=wanted,
        versionToLoad=wanted,
    )


def _version_not_found(store: Store, listing: LogListing, wanted: int) -> DeltaAnalysisError:
    earliest = listing.earliest_readable()
    if earliest != 0:
        # The listing may have begun at the newest checkpoint.
        earliest = list_log(store).earliest_readable()
    return DeltaAnalysisError(
        "DELTA_VERSION_NOT_FOUND", userVersion=wanted, earliest=earliest, latest=listing.latest
    )


def _ranges(versions: Iterable[int]) -> list[str]:
    """Write versions for people: three and more in a row as a range."""
    # Within a run of versions, version minus position is constant.
    runs = groupby(enumerate(sorted(versions)), key=lambda item: item[1] - item[0])
    found: list[str] = []
    for _, run in runs:
        row = [version for _, version in run]
        found.extend([f"{row[0]}-{row[-1]}"] if len(row) > 2 else map(str, row))
    return found


def _log_path(store: Store) -> str:
    return f"{store.url}/{LOG_FOLDER}"
