"""From one snapshot to the next by what is new, and the logs that this process has open."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import pyarrow as pa

from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.log.actions import Action
from puredelta.log.catalog_managed import refuse_catalog_managed
from puredelta.log.damaged_files import read_with_fallbacks
from puredelta.log.history import CommitRecord, history, version_at
from puredelta.log.listing import LogListing, list_log
from puredelta.log.live_files import LiveFiles, reconcile
from puredelta.log.names import LOG_FOLDER, commit_name
from puredelta.log.replay import State, fetched, follow, from_checkpoint, read_onto, replay
from puredelta.log.segment import LogSegment, load_segment
from puredelta.log.snapshot import Snapshot, snapshot_of
from puredelta.log.summaries.checksum import (
    Figures,
    checksum_after_others,
    checksum_with,
    following_checksum,
)
from puredelta.storage.location import table_url
from puredelta.storage.schemes import open_store, options_for
from puredelta.storage.store import ObjectInfo, ObjectNotFound, Store

# Old versions that are cached: a query planner asks for the same version several times.
_OLD_VERSIONS = 4

MAX_LOGS = 64
"""How many logs stay open; the least recently used one goes first."""


class TableLog:
    """The log of one table. Safe to share between threads.

    The latest snapshot is cached, and each call lists the log from its version on. A table that was
    deleted and created again in the same folder is noticed: the commit file of the known version
    is another one.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        # Methods that hold the lock call each other, so it is reentrant.
        self._lock = threading.RLock()
        self._latest: Snapshot | None = None
        self._old: OrderedDict[int, Snapshot] = OrderedDict()

    def __repr__(self) -> str:
        return f"TableLog({self.store.url!r})"

    def exists(self) -> bool:
        """Say whether there is a table."""
        with self._lock:
            # One file is looked up faster than a long log is listed.
            if self._latest is not None and self._is_unchanged(self._latest):
                return True
            return list_log(self.store).latest is not None

    def latest(self) -> Snapshot:
        """Return the latest version.

        Raises:
            DeltaAnalysisError: There is no table.
            DeltaIllegalStateError: The log is damaged or has a gap.
            DeltaFileNotFoundError: Files of the log are missing.
            DeltaTableFeatureError: A catalog knows what is newest, and the log does not.
        """
        with self._lock:
            known = self._latest
            fresh = None if known is None else self._advanced(known)
            if fresh is None:
                # Old versions in the cache may belong to a table that was deleted.
                self._forget()
                fresh = self._loaded(None)
            if fresh is not known:
                refuse_catalog_managed(fresh)
            self._latest = fresh
            return fresh

    def is_newest(self, version: int) -> bool:
        """Say whether a version that was the latest still is, by a look at two files.

        While another writer cleans old commits up it can be wrong for a moment, so this is for
        readers that ask again and again, not for writers.
        """
        with self._lock:
            known = self._latest
            return (
                known is not None
                and known.version == version
                and self._is_unchanged(known)
                and self.store.info(commit_name(version + 1)) is None
            )

    def at_version(self, version: int) -> Snapshot:
        """Return a certain version.

        Raises:
            DeltaAnalysisError: There is no table, or no such version of it.
        """
        with self._lock:
            try:
                latest = self.latest()
            except DeltaIllegalStateError:
                # What comes before the damage can be read.
                return self._without_latest(version)
            if version == latest.version:
                return latest
            if version not in self._old:
                self._old[version] = self._loaded(version)
                if len(self._old) > _OLD_VERSIONS:
                    self._old.popitem(last=False)
            self._old.move_to_end(version)
            return self._old[version]

    def version_at(
        self,
        timestamp_ms: int,
        *,
        can_be_after: bool = False,
        show: Callable[[int], str] | None = None,
    ) -> int:
        """Return the newest version made at or before a time; see `history.version_at`."""
        metadata = self.latest().metadata
        return version_at(self.store, metadata, timestamp_ms, can_be_after=can_be_after, show=show)

    def at_timestamp(
        self, timestamp_ms: int, *, show: Callable[[int], str] | None = None
    ) -> Snapshot:
        """Return the version that was the latest one at a time.

        Raises:
            DeltaAnalysisError: The time is before the first version or after the last one.
        """
        return self.at_version(self.version_at(timestamp_ms, show=show))

    def history(self, limit: int | None = None) -> list[CommitRecord]:
        """Return who made which version, newest first."""
        return history(self.store, self.latest().metadata, limit)

    def after_commit(self, version: int, actions: Iterable[Action]) -> Snapshot:
        """Return the snapshot of a commit of our own, without reading it back.

        Args:
            version: The version that was made.
            actions: What was written, in order.
        """
        written = list(actions)
        with self._lock:
            known = self._latest
            info = self.store.info(commit_name(version))
            # The commit follows what is known only if no other writer's versions are in between.
            if info is None or (known.version if known else -1) != version - 1:
                made = self.at_version(version)
                checksum = checksum_after_others(written, made)
            else:
                segment = _longer(known.segment if known else None, [info])
                state = follow(known.state if known else State(), [written])
                made = snapshot_of(self.store, segment, state)
                checksum = following_checksum(known, written, made)
            made = replace(made, made_checksum=checksum)
            # Reading the version may have shown later ones of other writers, which stay the latest.
            if self._latest is None or self._latest.version <= version:
                self._latest = made
            return made

    def after_streamed_commit(
        self, version: int, small: Sequence[Action], figures: Figures | None
    ) -> Snapshot:
        """Return the snapshot of a long commit of our own, whose files are read when asked for.

        Args:
            version: The version that was made.
            small: What was written, without its files.
            figures: What is counted of all files; None where that is not known.
        """
        with self._lock:
            known = self._latest
            info = self.store.info(commit_name(version))
            if info is None or known is None or known.version != version - 1:
                return self.at_version(version)
            before, commit = known, info

            def files() -> pa.Table:
                return reconcile(before.files, fetched(self.store, [commit]))

            state = replace(follow(known.state, [small]), live=LiveFiles(files))
            made = snapshot_of(self.store, _longer(known.segment, [info]), state)
            checksum = None if figures is None else checksum_with(made, figures)
            self._latest = made = replace(made, made_checksum=checksum)
            return made

    def _advanced(self, known: Snapshot) -> Snapshot | None:
        """Follow what is new since a snapshot; None when it is not of this log any more."""
        listing = list_log(self.store, known.version)
        if known.segment.last_commit is None or (
            listing.commits.get(known.version) != known.segment.last_commit
        ):
            return None
        new = [info for version, info in sorted(listing.commits.items()) if version > known.version]
        # A gap: reading the log from its checkpoint reports it, or shows that a checkpoint fills
        # it.
        if listing.latest != known.version + len(new):
            return None
        segment = self._rebased(_longer(known.segment, new) if new else known.segment, listing)
        if segment is known.segment:
            return known
        try:
            state = read_onto(self.store, known.state, new) if new else known.state
        except ObjectNotFound:
            # Cleanup may have removed the commit since it was listed.
            return None
        if segment.checkpoint_version != known.segment.checkpoint_version:
            state = from_checkpoint(self.store, segment, state)
        return snapshot_of(self.store, segment, state)

    @staticmethod
    def _rebased(segment: LogSegment, listing: LogListing) -> LogSegment:
        """Let a segment begin at the newest checkpoint, so that it does not grow for ever."""
        checkpoint = listing.checkpoint_before(segment.version)
        if checkpoint is None or checkpoint == segment.checkpoint_version:
            return segment
        newer = segment.version - checkpoint
        return replace(
            segment,
            commits=segment.commits[len(segment.commits) - newer :],
            checkpoint=listing.checkpoints[checkpoint],
            checkpoint_version=checkpoint,
            compactions=tuple(
                compaction for compaction in segment.compactions if compaction.start > checkpoint
            ),
        )

    def _loaded(self, version: int | None) -> Snapshot:
        try:
            return self._read(load_segment(self.store, version))
        except ObjectNotFound:
            # Log cleanup ran between the listing and the reading; the next listing is right.
            return self._reloaded(version)

    def _without_latest(self, version: int) -> Snapshot:
        found = self._loaded(version)
        refuse_catalog_managed(found)
        return found

    def _reloaded(self, version: int | None) -> Snapshot:
        segment = load_segment(self.store, version)
        try:
            return self._read(segment)
        except ObjectNotFound as error:
            raise DeltaFileNotFoundError(
                "DELTA_LOG_FILE_NOT_FOUND",
                version=segment.version,
                checkpointVersion=segment.checkpoint_version,
                logPath=f"{self.store.url}/{LOG_FOLDER}",
            ) from error

    def _read(self, segment: LogSegment) -> Snapshot:
        def read(files: LogSegment) -> Snapshot:
            return snapshot_of(self.store, files, replay(self.store, files))

        return read_with_fallbacks(self.store, segment, read)

    def _is_unchanged(self, known: Snapshot) -> bool:
        return self.store.info(commit_name(known.version)) == known.segment.last_commit

    def _forget(self) -> None:
        self._latest = None
        self._old.clear()


@dataclass(frozen=True)
class CacheInfo:
    """How often the cache of logs was used, and how full it is.

    Attributes:
        hits: How often a log was in the cache.
        misses: How often one had to be opened.
        size: How many logs are cached.
        max_size: How many may be cached.
    """

    hits: int
    misses: int
    size: int
    max_size: int


_Key: TypeAlias = tuple[str, frozenset[tuple[str, str]]]

_lock = threading.Lock()
_logs: OrderedDict[_Key, TableLog] = OrderedDict()
_counts = {"hits": 0, "misses": 0}


def open_log(url_or_path: str, options: Mapping[str, str] | None = None) -> TableLog:
    """Open the log of a table, or return the one that is open already.

    Nothing is read yet, so the table need not exist. Options that give access are part of the cache
    key: a caller with other options gets no access through these.

    Args:
        url_or_path: Where the table lies.
        options: What its store needs to get in, which replaces what the session gives for it.
    """
    given = options_for(url_or_path, options)
    key = (table_url(url_or_path), frozenset(given.items()))
    with _lock:
        found = _logs.get(key)
        _counts["misses" if found is None else "hits"] += 1
        if found is None:
            found = _logs[key] = TableLog(open_store(key[0], given))
        _logs.move_to_end(key)
        while len(_logs) > MAX_LOGS:
            _logs.popitem(last=False)
        return found


def clear_cache() -> None:
    """Forget all logs; those in use can be used on."""
    with _lock:
        _logs.clear()


def cache_info() -> CacheInfo:
    """Return how often the cache was used, and how full it is."""
    with _lock:
        return CacheInfo(_counts["hits"], _counts["misses"], len(_logs), MAX_LOGS)


def _longer(segment: LogSegment | None, new: list[ObjectInfo]) -> LogSegment:
    if segment is None:
        return LogSegment(len(new) - 1, tuple(new), None, None, new[-1])
    return replace(
        segment,
        version=segment.version + len(new),
        commits=(*segment.commits, *new),
        last_commit=new[-1],
    )
