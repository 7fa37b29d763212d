"""Does a checkpoint say what the commits say that it stands for?

Protocol: Checkpoints, Action Reconciliation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from puredelta.log.actions import AddFile, Metadata
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.checksum import is_same_protocol
from puredelta.log.files import FileKey, add_files
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.check.finding import Finding, error, examples
from puredelta.table.check.naive_replay import ReplayedFiles, path_of
from puredelta.table.protocol.properties import TRANSACTION_RETENTION


class _NumRecords(msgspec.Struct, rename="camel"):
    num_records: int | None = None


_STATS = msgspec.json.Decoder(_NumRecords)


def read_back(store: Store, parts: Sequence[ObjectInfo]) -> ReplayedFiles:
    """Read the state that a checkpoint holds.

    Raises:
        DeltaIllegalStateError: A file of it is damaged.
        ObjectNotFound: A sidecar of it is gone.
    """
    checkpoint = open_checkpoint(store, parts)
    found = ReplayedFiles()
    found.apply(checkpoint.actions)
    found.apply(add_files(checkpoint.files()))
    return found


def checkpoint_differences(
    name: str, commits: ReplayedFiles, found: ReplayedFiles
) -> Iterator[Finding]:
    """Return in what a checkpoint differs from the replay of the commits."""
    for text in _differences(commits, found):
        yield error("checkpoint-differs", name, text)


def _differences(commits: ReplayedFiles, found: ReplayedFiles) -> Iterator[str]:
    if not is_same_protocol(commits.protocol, found.protocol):
        yield f"Its protocol is {found.protocol}, that of the commits {commits.protocol}."
    if commits.metadata != found.metadata:
        yield "Its metadata is not that of the commits."
    yield from _map_differences(
        "application transactions",
        {app: transaction.version for app, transaction in commits.transactions.items()},
        {app: transaction.version for app, transaction in found.transactions.items()},
        # Entries past `delta.setTransactionRetentionDuration` are dropped from checkpoints.
        may_lack=_forgets_transactions(commits.metadata),
    )
    yield from _map_differences(
        "metadata domains",
        {name: domain.configuration for name, domain in commits.domains.items()},
        {name: domain.configuration for name, domain in found.domains.items()},
    )
    yield from _file_differences(commits.files, found.files)


def _forgets_transactions(metadata: Metadata | None) -> bool:
    configuration = {} if metadata is None else metadata.configuration
    return TRANSACTION_RETENTION.of(configuration) is not None


def _map_differences(
    what: str, commits: Mapping[str, Any], found: Mapping[str, Any], *, may_lack: bool = False
) -> Iterator[str]:
    lacking = sorted(commits.keys() - found.keys())
    if lacking and not may_lack:
        yield f"It lacks {what}: {examples(lacking)}."
    if strange := sorted(found.keys() - commits.keys()):
        yield f"It has {what} that the commits do not: {examples(strange)}."
    changed = [key for key in commits.keys() & found.keys() if commits[key] != found[key]]
    if changed:
        yield f"Its {what} have other values: {examples(sorted(changed))}."


def _file_differences(
    commits: Mapping[FileKey, AddFile], found: Mapping[FileKey, AddFile]
) -> Iterator[str]:
    if lacking := commits.keys() - found.keys():
        yield f"It lacks {len(lacking)} live files: {examples(sorted(map(path_of, lacking)))}."
    if strange := found.keys() - commits.keys():
        names = examples(sorted(map(path_of, strange)))
        yield f"It has {len(strange)} files that are not live: {names}."
    changed = [
        path_of(key) for key in commits.keys() & found.keys() if _differ(commits[key], found[key])
    ]
    if changed:
        yield f"It describes {len(changed)} files differently: {examples(sorted(changed))}."


def _differ(commits: AddFile, found: AddFile) -> bool:
    return _facts(commits) != _facts(found) or _records_differ(commits.stats, found.stats)


def _facts(add: AddFile) -> tuple[Any, ...]:
    # Null and the empty text mean the same partition.
    values = {name: text or None for name, text in add.partition_values.items()}
    return (
        add.size,
        values,
        add.modification_time,
        add.deletion_vector,
        add.base_row_id,
        add.default_row_commit_version,
        add.clustering_provider,
        add.tags or None,
    )


def _records_differ(commits: str | None, found: str | None) -> bool:
    """Compare the row counts of statistics; the rest may be formatted otherwise, or left out."""
    # Protocol, Checkpoint Schema: a table may turn off the JSON form of statistics.
    if commits == found or not commits or not found:
        return False
    try:
        return _STATS.decode(commits) != _STATS.decode(found)
    except msgspec.DecodeError:
        return True
