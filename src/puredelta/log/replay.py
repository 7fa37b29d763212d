"""From the files of a segment to the state of the table: who is the newest wins.

Protocol: Action Reconciliation.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Line,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    action_of,
    decode_lines,
)
from puredelta.log.checkpoint import Checkpoint, read_checkpoint
from puredelta.log.files import (
    FILES,
    FileKey,
    file_key,
    files_table,
    tombstones_table,
    without,
)
from puredelta.log.segment import LogSegment
from puredelta.storage.store import ObjectInfo, Store

# Each batch of new files is a chunk of the table's columns; past this many they become one.
_MAX_CHUNKS = 32


@dataclass(frozen=True)
class State:
    """What the log says up to some version.

    Attributes:
        protocol: The newest protocol, or None when none was met.
        metadata: The newest metadata, or None when none was met.
        transactions: The newest entry of each application.
        domains: The newest metadata of each domain that was not removed.
        files: The live files, as `FILES`.
        commit_info: The commitInfo of the last commit, if it was read and has one.
    """

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: Mapping[str, SetTransaction] = field(default_factory=dict)
    domains: Mapping[str, DomainMetadata] = field(default_factory=dict)
    files: pa.Table = field(default_factory=FILES.empty_table)
    commit_info: CommitInfo | None = None


def replay(store: Store, segment: LogSegment) -> State:
    """Read a segment and tell the state of the table.

    Raises:
        DeltaIllegalStateError: A file of the log is damaged.
        ObjectNotFound: A file of the log is gone.
    """
    state = State()
    if segment.checkpoint is not None:
        checkpoint = read_checkpoint(store, [info.name for info in segment.checkpoint])
        state = _from_checkpoint(checkpoint)
    return read_onto(store, state, segment.commits)


def read_onto(store: Store, state: State, commits: Iterable[ObjectInfo]) -> State:
    """Read commits, oldest first, and follow them from a state."""
    names = [info.name for info in commits]
    lines = [decode_lines(data, name) for name, data in _contents(store, names)]
    return follow(state, [[_quick_action(line) for line in commit] for commit in lines])


def follow(state: State, commits: Iterable[Iterable[Action | None]]) -> State:
    """Tell the state after some more commits, oldest first."""
    protocol, metadata = state.protocol, state.metadata
    transactions, domains = dict(state.transactions), dict(state.domains)
    newest: dict[FileKey, AddFile | RemoveFile] = {}
    info = state.commit_info
    for commit in commits:
        info = None
        for action in commit:
            match action:
                case AddFile() | RemoveFile():
                    newest[file_key(action)] = action
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
    files = _with_newest(state.files, newest)
    return State(protocol, metadata, transactions, domains, files, info)


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
    """Read the removed files that a version still remembers, as `TOMBSTONES`."""
    newest: dict[FileKey, AddFile | RemoveFile] = {}
    for name, data in _contents(store, [info.name for info in segment.commits]):
        for line in decode_lines(data, name):
            if action := line.add or line.remove:
                newest[file_key(action)] = action
    removes = [action for action in newest.values() if isinstance(action, RemoveFile)]
    found = tombstones_table(removes)
    if segment.checkpoint is None:
        return found
    names = [info.name for info in segment.checkpoint]
    older = read_checkpoint(store, names, tombstones=True).tombstones
    return pa.concat_tables([without(older, newest), found])


def _contents(store: Store, names: list[str]) -> Iterator[tuple[str, bytes]]:
    return zip(names, store.read_all(names), strict=True)


def _quick_action(line: Line) -> Action | None:
    # Nearly every line of a long log is an `add`; the walk through the others costs more.
    return line.add or action_of(line)


def _from_checkpoint(checkpoint: Checkpoint) -> State:
    return follow(State(files=checkpoint.files), [checkpoint.actions])


def _keep_domain(domains: dict[str, DomainMetadata], action: DomainMetadata) -> None:
    if action.removed:
        domains.pop(action.domain, None)
    else:
        domains[action.domain] = action


def _with_newest(files: pa.Table, newest: Mapping[FileKey, AddFile | RemoveFile]) -> pa.Table:
    if not newest:
        return files
    older = without(files, newest)
    adds = [action for action in newest.values() if isinstance(action, AddFile)]
    if not adds:
        return older
    found = pa.concat_tables([older, files_table(adds)]) if older.num_rows else files_table(adds)
    return found.combine_chunks() if found["path"].num_chunks > _MAX_CHUNKS else found
