"""From the files of a segment to the state of the table: the newest action counts.

Protocol: Action Reconciliation.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    SmallLine,
    decode_commit_info,
    decode_small_lines,
)
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.files import tombstones_table, without
from puredelta.log.live_files import EMPTY, LiveFiles, RawCommit, newest_actions, reconcile
from puredelta.log.segment import LogSegment
from puredelta.storage.store import ObjectInfo, Store


@dataclass(frozen=True)
class State:
    """What the log says up to some version.

    Attributes:
        protocol: The newest protocol, or None when none was met.
        metadata: The newest metadata, or None when none was met.
        transactions: The newest entry of each application.
        domains: The newest metadata of each domain that was not removed.
        live: The live files.
        commit_info: The commitInfo of the last commit, if it was read and has one.
    """

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: Mapping[str, SetTransaction] = field(default_factory=dict)
    domains: Mapping[str, DomainMetadata] = field(default_factory=dict)
    live: LiveFiles = EMPTY
    commit_info: CommitInfo | None = None

    @property
    def files(self) -> pa.Table:
        """The live files, as `FILES`; read when first asked for."""
        return self.live.table()


def replay(store: Store, segment: LogSegment) -> State:
    """Read a segment and return the state of the table; its files are read when asked for.

    Raises:
        DeltaIllegalStateError: A file of the log is damaged.
        ObjectNotFound: A file of the log is gone.
    """
    state = State()
    if segment.checkpoint is not None:
        checkpoint = open_checkpoint(store, segment.checkpoint)
        state = follow(State(live=LiveFiles(checkpoint.files)), [checkpoint.actions])
    return read_onto(store, state, segment.replay_files())


def read_onto(store: Store, state: State, commits: Iterable[ObjectInfo]) -> State:
    """Read commits, oldest first, and follow them from a state."""
    found = fetched(store, commits)
    actions: list[list[Action]] = []
    for number, commit in enumerate(found, start=1):
        lines = decode_small_lines(commit.data, commit.name)
        # Only the commitInfo of the last version is part of its state; others are not decoded.
        actions.append(list(_small_actions(lines, with_info=number == len(found))))
    # File actions stay undecoded: few uses of a table need all of its files.
    after = follow(state, actions)
    return replace(after, live=state.live.followed_by(found))


def from_checkpoint(store: Store, segment: LogSegment, state: State) -> State:
    """Let the files of a state start from the checkpoint of its segment, so that they can be read.

    Without this, a state that is followed and followed and whose files nobody asks for would keep
    all commits in memory.
    """
    parts = segment.checkpoint
    if parts is None or not state.live.benefits_from_checkpoint:
        return state

    def files() -> pa.Table:
        newer = fetched(store, segment.replay_files())
        return reconcile(open_checkpoint(store, parts).files(), newer)

    return replace(state, live=LiveFiles(files))


def follow(state: State, commits: Iterable[Iterable[Action | None]]) -> State:
    """Return the state after some more commits, oldest first."""
    protocol, metadata = state.protocol, state.metadata
    transactions, domains = dict(state.transactions), dict(state.domains)
    newer: list[list[AddFile | RemoveFile]] = []
    info = state.commit_info
    for commit in commits:
        # An earlier commitInfo must not stand for a version that has none.
        info = None
        files: list[AddFile | RemoveFile] = []
        for action in commit:
            match action:
                case AddFile() | RemoveFile():
                    files.append(action)
                case CommitInfo():
                    info = action
                case SetTransaction():
                    transactions[action.app_id] = action
                case DomainMetadata():
                    _keep_domain(domains, action)
                case Protocol():
                    protocol = action
                case Metadata():
                    metadata = action
                case _:
                    pass
        newer.append(files)
    live = state.live.followed_by(newer)
    return State(protocol, metadata, transactions, domains, live, info)


def checked(state: State, version: int) -> tuple[Protocol, Metadata]:
    """Return what every table must have.

    Raises:
        DeltaIllegalStateError: The state has no protocol or no metadata.
    """
    if state.protocol is None:
        raise DeltaIllegalStateError(
            "DELTA_STATE_RECOVER_ERROR", operation="protocol", version=version
        )
    if state.metadata is None:
        raise DeltaIllegalStateError(
            "DELTA_STATE_RECOVER_ERROR", operation="metaData", version=version
        )
    return state.protocol, state.metadata


def read_tombstones(store: Store, segment: LogSegment) -> pa.Table:
    """Read the removed files that a version still remembers, as `TOMBSTONES`.

    Raises:
        DeltaIllegalStateError: A file of the log is damaged.
        ObjectNotFound: A file of the log is gone.
    """
    newest = newest_actions(fetched(store, segment.replay_files()))
    removes = [action for action in newest.values() if isinstance(action, RemoveFile)]
    found = tombstones_table(removes)
    if segment.checkpoint is None:
        return found
    older = open_checkpoint(store, segment.checkpoint).tombstones()
    # A later add counts as well: a file that is live again is no tombstone.
    return pa.concat_tables([without(older, newest), found])


def fetched(store: Store, commits: Iterable[ObjectInfo]) -> list[RawCommit]:
    """Fetch commits and compactions, whose content is not looked at.

    Raises:
        ObjectNotFound: One is gone.
    """
    names = [info.name for info in commits]
    found = zip(names, store.read_all(names), strict=True)
    return [RawCommit(name, data, store.url) for name, data in found]


def _small_actions(lines: Iterable[SmallLine], *, with_info: bool) -> Iterator[Action]:
    for line in lines:
        if action := line.txn or line.meta_data or line.protocol or line.domain_metadata:
            yield action
        elif with_info and line.commit_info:
            yield decode_commit_info(line.commit_info)


def _keep_domain(domains: dict[str, DomainMetadata], action: DomainMetadata) -> None:
    if action.removed:
        domains.pop(action.domain, None)
    else:
        domains[action.domain] = action
