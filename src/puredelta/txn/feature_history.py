"""Does the history of a table still need a feature? Asked before the feature is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puredelta.log.actions import Action, CheckpointMetadata, decode_commit
from puredelta.log.files import add_files
from puredelta.log.listing import list_log
from puredelta.log.names import LOG_FOLDER, LogFileKind, commit_name, parse
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.table.drop_feature import Uses

# Commits are read in parallel, and so many contents are in memory at a time.
_AT_ONCE = 64


def earliest_version(log: TableLog) -> int:
    """Return the oldest version from which on all versions can be read."""
    earliest = list_log(log.store).earliest_readable()
    return log.latest().version if earliest is None else earliest


def oldest_use(log: TableLog, uses: Uses) -> int | None:
    """Return a version of the log that needs a feature, or None when there is none.

    That is the oldest version which can be read, if it needs the feature itself; otherwise the
    oldest one whose files in the log do. Commits that were kept although their versions cannot be
    rebuilt any more count as well.

    Args:
        log: The table.
        uses: Returns whether an action needs the feature.

    Raises:
        DeltaIllegalStateError: A commit cannot be read.
    """
    # The commits before the earliest version are gone; what they set is only in its state. From
    # version 0 on the commits below show everything.
    earliest = earliest_version(log)
    if earliest > 0 and any(map(uses, _state(log.at_version(earliest)))):
        return earliest
    # No commit names checkpoints, so their files are asked about separately.
    checkpoint = _first_v2_checkpoint(log)
    if checkpoint is not None and uses(CheckpointMetadata(version=checkpoint)):
        return checkpoint
    return next((version for version, actions in _walk(log) if any(map(uses, actions))), None)


def _state(version: Snapshot) -> Iterator[Action]:
    """What a version is, for the commits before it that are gone."""
    yield version.metadata
    # Of all files in a version only those with deletion vectors show the use of a feature.
    files = version.files
    yield from add_files(files.filter(files["deletion_vector"].is_valid()))


def _walk(log: TableLog) -> Iterator[tuple[int, list[Action]]]:
    versions = sorted(_versions(log, (LogFileKind.COMMIT,)))
    for start in range(0, len(versions), _AT_ONCE):
        names = [commit_name(version) for version in versions[start : start + _AT_ONCE]]
        contents = log.store.read_all(names)
        for version, name, data in zip(versions[start:], names, contents, strict=False):
            yield version, decode_commit(data, name)


def _first_v2_checkpoint(log: TableLog) -> int | None:
    return min(_versions(log, (LogFileKind.V2_CHECKPOINT,)), default=None)


def _versions(log: TableLog, kinds: Iterable[LogFileKind]) -> Iterator[int]:
    for info in log.store.list_from(LOG_FOLDER):
        file = parse(info.name)
        if file is not None and file.kind in kinds:
            yield file.version
