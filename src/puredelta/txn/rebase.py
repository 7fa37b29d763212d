"""A draft carried over the commits that came first, once the rules have let it pass.

What depends on the place where a commit lands is not in the draft at all: row ids, its version and
the time inside it are given when it is written, from `Base`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
from pyroaring import BitMap64

from puredelta.log.actions import Action, AddFile, DeletionVector, RemoveFile
from puredelta.log.files import canonical_path
from puredelta.table.deletion_vectors.vectors import inline
from puredelta.table.protocol.row_tracking import DOMAIN as ROW_TRACKING_DOMAIN
from puredelta.table.protocol.row_tracking import NO_IDS, is_enabled, row_count
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.winning_commit import WinningCommit

RowIds = tuple["int | None", "int | None"]

NOTHING_UNITED: Mapping[str, BitMap64] = {}


@dataclass(frozen=True, slots=True)
class Base:
    """The version that an attempt is put upon.

    Attributes:
        version: Its number; -1 when the table is to be created.
        time: The time inside it, in milliseconds; 0 where commits carry none.
        row_id_mark: The highest row id given so far.
    """

    version: int = -1
    time: int = 0
    row_id_mark: int = NO_IDS

    def after(self, winner: WinningCommit) -> Base:
        """Go on to a winner's version; its clock may be behind, its high-water mark too."""
        # A winning commit without new rows sets no high-water mark, and one without a time none
        # later.
        return Base(
            version=winner.version,
            time=max(self.time, winner.info.in_commit_timestamp or 0),
            row_id_mark=max(self.row_id_mark, winner.row_id_mark),
        )


def rebase(
    draft: PendingCommit, winner: WinningCommit, united: Mapping[str, BitMap64] = NOTHING_UNITED
) -> PendingCommit:
    """Carry a draft over a winner that is not in its way; the same draft if nothing changes.

    Args:
        draft: What is to be committed.
        winner: The commit that came first.
        united: The rows that both have deleted of files from which both take some, by path.
    """
    for step in (_onto_metadata, _onto_protocol, _onto_row_ids, _onto_domains):
        draft = step(draft, winner)
    return _onto_vectors(draft, winner, united) if united else draft


def with_vectors(draft: PendingCommit, vectors: Mapping[str, DeletionVector]) -> PendingCommit:
    """Replace the vectors of added files, by path, by those that the log is to name."""
    actions = tuple(
        msgspec.structs.replace(action, deletion_vector=vectors[canonical_path(action.path)])
        if isinstance(action, AddFile) and canonical_path(action.path) in vectors
        else action
        for action in draft.actions
    )
    return replace(draft, actions=actions)


def _onto_metadata(draft: PendingCommit, winner: WinningCommit) -> PendingCommit:
    """Only marks and harmless changes pass the rules, and only drafts that change nothing there."""
    new, old = winner.metadata, draft.base_metadata
    if new is None or old is None:
        return draft
    # The draft was prepared without thought of ids, so the rows it rewrote have lost theirs.
    lost = is_enabled(new.configuration) and not is_enabled(old.configuration)
    return replace(draft, base_metadata=new, loses_row_ids=draft.loses_row_ids or lost)


def _onto_protocol(draft: PendingCommit, winner: WinningCommit) -> PendingCommit:
    return draft if winner.protocol is None else replace(draft, base_protocol=winner.protocol)


def _onto_row_ids(draft: PendingCommit, winner: WinningCommit) -> PendingCommit:
    # A backfill gives up the files of the winning commit: they have ids by now, or are gone.
    if draft.is_backfill:
        changed = {canonical_path(file.path) for file in winner.adds}
        changed |= {canonical_path(remove.path) for remove in winner.removes}
        kept = tuple(action for action in draft.actions if not _is_one_of(action, changed))
        return draft if len(kept) == len(draft.actions) else replace(draft, actions=kept)
    # Files that the draft adds again, or removes, were read before they got ids, which must not be
    # lost or assigned a second time.
    if not winner.is_backfill:
        return draft
    ids = {
        canonical_path(add.path): (add.base_row_id, add.default_row_commit_version)
        for add in winner.adds
    }
    return replace(draft, actions=tuple(_with_ids(action, ids) for action in draft.actions))


def _onto_domains(draft: PendingCommit, winner: WinningCommit) -> PendingCommit:
    """A table that is replaced keeps no domain that came to it in the meantime."""
    if not draft.replaces_table:
        return draft
    # The high-water mark of row ids stays: ids must not be assigned twice in one log.
    ours = {domain.domain for domain in draft.own_domains}
    ended = tuple(
        msgspec.structs.replace(domain, removed=True)
        for domain in winner.domains
        if not domain.removed and domain.domain not in ours and domain.domain != ROW_TRACKING_DOMAIN
    )
    return replace(draft, actions=(*ended, *draft.actions)) if ended else draft


def _onto_vectors(
    draft: PendingCommit, winner: WinningCommit, united: Mapping[str, BitMap64]
) -> PendingCommit:
    """What the winner took stays away; the vectors stand in the draft until they are written."""
    before = {canonical_path(add.path): add.deletion_vector for add in winner.adds}
    actions: list[Action] = []
    for action in draft.actions:
        path = canonical_path(action.path) if isinstance(action, (AddFile, RemoveFile)) else ""
        if path not in united:
            actions.append(action)
        # Protocol: Action Reconciliation. The key of a file includes its vector, so the remove has
        # to name the vector of the winning commit.
        elif isinstance(action, RemoveFile):
            actions.append(msgspec.structs.replace(action, deletion_vector=before[path]))
        # Where both together delete all rows of a file, it is removed and not added again.
        elif isinstance(action, AddFile) and row_count(action) != len(united[path]):
            vector = inline(united[path])
            actions.append(msgspec.structs.replace(action, deletion_vector=vector))
    return replace(draft, actions=tuple(actions))


def _is_one_of(action: Action, paths: set[str]) -> bool:
    return isinstance(action, (AddFile, RemoveFile)) and canonical_path(action.path) in paths


def _with_ids(action: Action, ids: Mapping[str, RowIds]) -> Action:
    if not isinstance(action, (AddFile, RemoveFile)):
        return action
    found = ids.get(canonical_path(action.path))
    if found is None:
        return action
    return msgspec.structs.replace(
        action, base_row_id=found[0], default_row_commit_version=found[1]
    )
