"""The one step that makes a version: put-if-absent of its commit file.

A committer answers with one of three outcomes. A reply that got lost is one of them, so that
nobody can forget it: the token in the commit says whether the file that is there is ours.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from puredelta.errors import DeltaError
from puredelta.log.actions import CommitInfo, decode_commit
from puredelta.log.history import read_commit_info
from puredelta.log.names import commit_name
from puredelta.storage.store import ObjectNotFound, Store

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Committed:
    """The version is ours."""

    version: int


@dataclass(frozen=True, slots=True)
class Lost:
    """Another writer has the version."""

    version: int


@dataclass(frozen=True, slots=True)
class UnknownOutcome:
    """The store failed and the version is not there, yet: to be tried again with the same token."""

    version: int
    reason: Exception


Outcome: TypeAlias = Committed | Lost | UnknownOutcome


class Committer(Protocol):
    """Makes versions."""

    def commit(self, version: int, data: bytes, token: str) -> Outcome:
        """Try to make a version.

        Args:
            version: The version wanted.
            data: Content of the commit.
            token: The `txnId` that the content carries; no other commit has it.
        """
        ...

    def commit_stream(self, version: int, chunks: Iterable[bytes], token: str) -> Outcome:
        """Try to make a version whose commit is not held in memory; see `commit`.

        What the pieces raise is raised as it is, and then no version was made.

        Args:
            version: The version wanted.
            chunks: Content of the commit, which begins with its commitInfo.
            token: The `txnId` that the content carries.
        """
        ...


class FileSystemCommitter:
    """Commits by creating a file in the log folder, where only one writer can.

    Raises:
        DeltaUnsupportedOperationError: The store has no put-if-absent; raised here, before any
            file is written.
    """

    def __init__(self, store: Store) -> None:
        store.require_put_if_absent()
        self._store = store

    def commit(self, version: int, data: bytes, token: str) -> Outcome:
        """Try to make a version; see `Committer.commit`."""
        name = commit_name(version)
        try:
            if self._store.put_if_absent(name, data):
                return Committed(version)
        except (DeltaError, OSError) as reason:
            _log.warning("no clear answer to the commit of version %d: %s", version, reason)
            # The put can have succeeded although its reply was lost, so the version is read.
            return self._seen(version, token, reason) or UnknownOutcome(version, reason)
        # Clients of object stores try again by themselves and then meet their own file, so a
        # refusal alone does not prove that another writer has the version.
        return self._seen(version, token) or Lost(version)

    def commit_stream(self, version: int, chunks: Iterable[bytes], token: str) -> Outcome:
        """Try to make a version; see `Committer.commit_stream`."""
        source = _Source(chunks)
        try:
            if self._store.put_stream_if_absent(commit_name(version), source):
                return Committed(version)
        except (DeltaError, OSError) as reason:
            # The store passes on what the pieces raise, such as a bad file: trying again cannot
            # help.
            if reason is source.failure:
                raise
            _log.warning("no clear answer to the commit of version %d: %s", version, reason)
            return self._seen_from_afar(version, token, reason) or UnknownOutcome(version, reason)
        return self._seen_from_afar(version, token) or Lost(version)

    def _seen(self, version: int, token: str, reason: Exception | None = None) -> Outcome | None:
        """Look whose commit is there; None if none is, Unknown if that cannot be known."""
        name = commit_name(version)
        try:
            actions = decode_commit(self._store.read(name), name)
        except ObjectNotFound:
            return None
        except (DeltaError, OSError) as failure:
            _log.warning("version %d cannot be looked at: %s", version, failure)
            return UnknownOutcome(version, reason or failure)
        ours = any(isinstance(action, CommitInfo) and action.txn_id == token for action in actions)
        return Committed(version) if ours else Lost(version)

    def _seen_from_afar(
        self, version: int, token: str, reason: Exception | None = None
    ) -> Outcome | None:
        """Look whose commit is there by its beginning alone, for it may be a long one."""
        try:
            # A commit of another engine need not begin with commitInfo; it is there all the same.
            info = read_commit_info(self._store, version)
            is_there = info is not None or self._store.info(commit_name(version)) is not None
        except (DeltaError, OSError) as failure:
            _log.warning("version %d cannot be looked at: %s", version, failure)
            return UnknownOutcome(version, reason or failure)
        if info is not None and info.txn_id == token:
            return Committed(version)
        return Lost(version) if is_there else None


class _Source:
    """Pieces of a commit, and what went wrong with them, which is no failure of the store."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._chunks
        # Of any kind: the iterable is the caller's, and its errors are not judged here.
        except Exception as failure:
            self.failure = failure
            raise
