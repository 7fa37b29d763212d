"""Files from which two commits take rows by deletion vectors: do they leave each other's alone?

Protocol: Deletion Vectors. A commit that deletes rows removes a file and adds it again with another
vector; two such commits can follow each other, with the rows of both in one vector, if neither
takes a row of which the other made something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pyroaring import BitMap64

from puredelta.errors import DeltaError
from puredelta.log.actions import Action, AddFile, DeletionVector, RemoveFile
from puredelta.log.files import canonical_path
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.winning_commit import WinningCommit

Read = Callable[[DeletionVector], BitMap64]
"""Reads a vector that the log names."""


@dataclass(frozen=True, slots=True)
class SharedVectors:
    """What is shared with a winner.

    Attributes:
        paths: Files from which the winner took rows that the draft leaves alone, by decoded path.
        united: Of those from which the draft takes rows too, the rows that both have deleted.
    """

    paths: frozenset[str] = frozenset()
    united: Mapping[str, BitMap64] = field(default_factory=dict)


NOTHING_SHARED = SharedVectors()


@dataclass(frozen=True, slots=True)
class _Marking:
    """A file that is removed, and added again with another vector."""

    before: DeletionVector | None
    after: DeletionVector


def find_shared_vectors(draft: PendingCommit, winner: WinningCommit, read: Read) -> SharedVectors:
    """Find the files from which a winner took rows that a draft has nothing to do with.

    Args:
        draft: What is to be committed; its `reads.rows` states that rows matter one by one.
        winner: The commit that came first.
        read: Reads a vector.
    """
    # A draft that depends on the whole table depends on the rows that were deleted, too.
    if draft.reads.rows is None or draft.reads.whole_table:
        return NOTHING_SHARED
    theirs = dict(_markings(winner.actions))
    if not theirs:
        return NOTHING_SHARED
    ours, changed = dict(_markings(draft.actions)), _changed_paths(draft.actions)
    paths: list[str] = []
    united: dict[str, BitMap64] = {}
    for path, marking in theirs.items():
        # The draft rewrites the file, so its copied rows include those that the winning commit
        # deleted.
        if path in changed and path not in ours:
            continue
        try:
            rows = _apart(marking, ours.get(path), read)
        except (DeltaError, OSError):
            # A vector that cannot be read proves nothing; the rules then report the conflict.
            continue
        if rows is None:
            continue
        paths.append(path)
        if path in ours:
            united[path] = rows
    return SharedVectors(frozenset(paths), united)


def _apart(theirs: _Marking, ours: _Marking | None, read: Read) -> BitMap64 | None:
    """Return the rows that are deleted in the end; None where the two commits conflict."""
    start, after = _rows(theirs.before, read), read(theirs.after)
    if start - after:
        # Rows came back, for which the condition of the draft may be true.
        return None
    if ours is None:
        return after
    # Both must start from the same rows. A draft that was carried over an earlier winning commit
    # starts from the vector of that commit (`rebase`).
    if _id(ours.before) != _id(theirs.before):
        return None
    own = read(ours.after)
    # Both changed one row: the second change would be lost, or the row be there twice.
    if (own - start) & (after - start):
        return None
    return own | after


def _markings(actions: Iterable[Action]) -> Iterator[tuple[str, _Marking]]:
    listed = list(actions)
    removed = {canonical_path(info.path): info for info in listed if isinstance(info, RemoveFile)}
    for info in listed:
        if not isinstance(info, AddFile) or info.deletion_vector is None:
            continue
        path = canonical_path(info.path)
        if path in removed:
            yield path, _Marking(removed[path].deletion_vector, info.deletion_vector)


def _changed_paths(actions: Iterable[Action]) -> set[str]:
    return {
        canonical_path(action.path)
        for action in actions
        if isinstance(action, (AddFile, RemoveFile))
    }


def _rows(vector: DeletionVector | None, read: Read) -> BitMap64:
    return BitMap64() if vector is None else read(vector)


def _id(vector: DeletionVector | None) -> str | None:
    return None if vector is None else vector.unique_id
