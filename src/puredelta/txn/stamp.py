"""The parts of a commit that depend on when it lands: commit info and the time inside it.

Protocol: In-Commit Timestamps.
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
from puredelta.table.properties import IN_COMMIT_TIMESTAMPS
from puredelta.txn.commit_info import Operation, encoded_metrics, encoded_parameters
from puredelta.txn.prepare import Draft

_ENABLEMENT_VERSION = "delta.inCommitTimestampEnablementVersion"
_ENABLEMENT_TIME = "delta.inCommitTimestampEnablementTimestamp"

# commitInfo comes first; these follow, then the files in the order of the command.
_ORDER: tuple[type, ...] = (Metadata, Protocol, DomainMetadata, SetTransaction)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What a commit says of itself whichever version it becomes.

    Attributes:
        operation: What was done.
        read_version: The version that was read; None when the table is to be created.
        is_blind_append: Does it only add files, and depend on none?
        engine: Who commits.
        token: What no other commit has; tells our own commit from those of others.
        user_metadata: A text of the user's.
    """

    operation: Operation
    read_version: int | None
    is_blind_append: bool
    engine: str
    token: str
    user_metadata: str | None = None


def stamped(draft: Draft, stamp: Stamp, version: int, now: int, previous: int) -> list[Action]:
    """Give the lines of a commit, in the order that the protocol asks for.

    Args:
        draft: What is to be committed.
        stamp: What it says of itself.
        version: The version it is to become.
        now: The time, in milliseconds.
        previous: The time of the version before; the time inside a commit is always later.
    """
    time = max(now, previous + 1) if IN_COMMIT_TIMESTAMPS.of(draft.metadata.configuration) else None
    metadata = _with_enablement(draft, version, time)
    actions: list[Action] = [one for one in (metadata, draft.new_protocol) if one is not None]
    actions.extend(draft.actions)
    return [_info(draft, stamp, now, time), *sorted(actions, key=_place)]


def _place(action: Action) -> int:
    return _ORDER.index(type(action)) if type(action) in _ORDER else len(_ORDER)


def _info(draft: Draft, stamp: Stamp, now: int, time: int | None) -> CommitInfo:
    operation = stamp.operation
    return CommitInfo(
        timestamp=now,
        in_commit_timestamp=time,
        operation=operation.name,
        operation_parameters=encoded_parameters(operation.parameters),
        read_version=stamp.read_version,
        isolation_level=draft.isolation,
        is_blind_append=stamp.is_blind_append,
        operation_metrics=encoded_metrics(operation.metrics),
        user_metadata=stamp.user_metadata,
        tags=dict(operation.tags) if operation.tags else None,
        engine_info=stamp.engine,
        txn_id=stamp.token,
    )


def _with_enablement(draft: Draft, version: int, time: int | None) -> Metadata | None:
    """Record from which version on commits carry their time, when it is not the first one."""
    metadata, before = draft.new_metadata, draft.base_metadata
    if metadata is None or before is None or time is None:
        return metadata
    if IN_COMMIT_TIMESTAMPS.of(before.configuration):
        return metadata
    marks = {_ENABLEMENT_VERSION: str(version), _ENABLEMENT_TIME: str(time)}
    return msgspec.structs.replace(metadata, configuration={**metadata.configuration, **marks})
