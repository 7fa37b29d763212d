"""The parts of a commit that depend on where it lands: commit info, the time inside it, row ids.

Protocol: In-Commit Timestamps; Row Tracking.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from puredelta.log.actions import (
    Action,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    SetTransaction,
)
from puredelta.table.protocol.properties import IN_COMMIT_TIMESTAMPS
from puredelta.table.protocol.row_tracking import (
    ENABLEMENT_TAG,
    PRESERVED_TAG,
    enables_only,
    gives_ids,
    with_ids,
)
from puredelta.txn.commit_info import Operation, encoded_metrics, encoded_parameters
from puredelta.txn.pending_commit import PendingCommit
from puredelta.txn.rebase import Base

_ENABLEMENT_VERSION = "delta.inCommitTimestampEnablementVersion"
_ENABLEMENT_TIME = "delta.inCommitTimestampEnablementTimestamp"
TIME_MARKS = (_ENABLEMENT_VERSION, _ENABLEMENT_TIME)
"""Properties that say from which version on commits carry their time."""

_PROTECTED_BEFORE = "delta.requireCheckpointProtectionBeforeVersion"

# commitInfo comes first; these follow, then the files in the order of the command.
_ORDER: tuple[type, ...] = (Metadata, Protocol, DomainMetadata, SetTransaction)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStamp:
    """What a commit says of itself whichever version it becomes.

    Attributes:
        operation: What was done.
        read_version: The version that was read; None when the table is to be created.
        is_blind_append: Does it only add files, and depend on none?
        engine: The name of the engine that commits.
        token: A value that no other commit has; it identifies our own commit.
        user_metadata: A text of the user's.
        has_metrics: Does its commit info contain the metrics of the operation?
    """

    operation: Operation
    read_version: int | None
    is_blind_append: bool
    engine: str
    token: str
    user_metadata: str | None = None
    has_metrics: bool = True


def stamp_commit(draft: PendingCommit, stamp: CommitStamp, base: Base, now: int) -> list[Action]:
    """Give the lines of a commit, in the order that the protocol asks for.

    Args:
        draft: What is to be committed.
        stamp: What it says of itself.
        base: The version it follows; the time inside a commit is always later than the one before.
        now: The time, in milliseconds.
    """
    version = base.version + 1
    configuration = draft.metadata.configuration
    # Protocol: In-Commit Timestamps. They increase strictly, also where our clock is behind that of
    # the previous writer.
    time = max(now, base.time + 1) if IN_COMMIT_TIMESTAMPS.of(configuration) else None
    metadata = _with_marks(draft, version, time)
    actions: list[Action] = [
        action for action in (metadata, draft.new_protocol) if action is not None
    ]
    # Row ids follow the high-water mark of the base, so each attempt assigns them again.
    if gives_ids(draft.features, configuration):
        actions.extend(with_ids(draft.actions, base.row_id_mark, version))
    else:
        actions.extend(draft.actions)
    # With in-commit timestamps the protocol wants commitInfo in the first line. The sort is stable:
    # files stay in the order of the command.
    return [_info(draft, stamp, now, time), *sorted(actions, key=_place)]


def _place(action: Action) -> int:
    return _ORDER.index(type(action)) if type(action) in _ORDER else len(_ORDER)


def _info(draft: PendingCommit, stamp: CommitStamp, now: int, time: int | None) -> CommitInfo:
    operation = stamp.operation
    return CommitInfo(
        timestamp=now,
        in_commit_timestamp=time,
        operation=operation.name,
        operation_parameters=encoded_parameters(operation.parameters),
        read_version=stamp.read_version,
        isolation_level=draft.isolation,
        is_blind_append=stamp.is_blind_append,
        operation_metrics=encoded_metrics(operation.metrics) if stamp.has_metrics else None,
        user_metadata=stamp.user_metadata,
        tags=_tags(draft, operation) or None,
        engine_info=stamp.engine,
        txn_id=stamp.token,
    )


def _tags(draft: PendingCommit, operation: Operation) -> dict[str, str | None]:
    tags = dict(operation.tags or {})
    old, new = draft.base_metadata, draft.new_metadata
    if old is not None and new is not None and enables_only(old.configuration, new.configuration):
        tags[ENABLEMENT_TAG] = "true"
    # Protocol: Row Tracking. The rows of the removed files were written without their ids, because
    # tracking came with a winning commit; the tag reports that they count as new rows.
    if draft.loses_row_ids and draft.removes:
        tags[PRESERVED_TAG] = "false"
    return tags


def _with_marks(draft: PendingCommit, version: int, time: int | None) -> Metadata | None:
    """Put the version that is made into the properties that remember it."""
    metadata, before = draft.new_metadata, draft.base_metadata
    # On a new table the time is in every commit from version 0 on, so nothing has to be recorded.
    if metadata is None or before is None:
        return metadata
    marks: dict[str, str] = {}
    # Commits carry their time from the first one on, or from the one that says so.
    if time is not None and not IN_COMMIT_TIMESTAMPS.of(before.configuration):
        marks = {_ENABLEMENT_VERSION: str(version), _ENABLEMENT_TIME: str(time)}
    protected = metadata.configuration.get(_PROTECTED_BEFORE)
    # DROP FEATURE protects the checkpoints before its own version, which only this attempt knows: a
    # lost race moves it.
    moved = protected is not None and protected != before.configuration.get(_PROTECTED_BEFORE)
    if moved and draft.operation == "DROP FEATURE":
        marks[_PROTECTED_BEFORE] = str(version)
    if not marks:
        return metadata
    return msgspec.structs.replace(metadata, configuration={**metadata.configuration, **marks})
