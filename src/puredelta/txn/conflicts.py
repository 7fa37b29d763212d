"""May an attempt follow a commit that came first? `RULES`, in the order in which they are asked.

A rule looks at one winning commit and says what is in the way, or None. Under Serializable the
outcome is one that the commits could have had one after the other, in the order of their versions.
WriteSerializable lets rows that others appended blindly pass for rows that came later, unless the
metadata changes. Commits that move rows without changing them run under SnapshotIsolation, which
overlooks all files that others added. Under each, an attempt may depend on certain rows alone
(`ReadSet.rows`), and can then follow a commit that took other rows of the same files away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from puredelta.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentTransactionError,
    ConcurrentWriteError,
    DeltaConcurrentModificationError,
    MetadataChangedError,
    ProtocolChangedError,
)
from puredelta.log.actions import (
    Action,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
)
from puredelta.log.files import canonical_path
from puredelta.table.protocol.features import FEATURES
from puredelta.table.protocol.protocol import features_of
from puredelta.table.protocol.row_tracking import DOMAIN as ROW_TRACKING_DOMAIN
from puredelta.txn.commit_info import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from puredelta.txn.compatible_metadata import is_compatible
from puredelta.txn.read_set import ReadSet
from puredelta.txn.winning_commit import WinningCommit, shown_files

DOC_LINK = "https://docs.delta.io/concurrency-control/"


@dataclass(frozen=True)
class Attempt:
    """A commit that was prepared for a version which another took.

    Attributes:
        table: Name or path of the table, for messages.
        reads: What it depends on.
        actions: What it would write, without commit info.
        partition_columns: How the table was partitioned when it was read, as files say it.
        partition_names: The same columns as users know them, where that differs.
        protocol: The protocol under which it was prepared; None when the table was not there.
        metadata: The metadata under which it was prepared.
        isolation: Serializable, WriteSerializable or SnapshotIsolation.
        is_backfill: Does it only give row ids to files that are there?
        replaces_table: Does it put another table in the place of the one there?
        numbers_rows: Is its metadata only about the values that its own rows got in identity
            columns?
        shared: Decoded paths of files from which the winner took rows that it leaves alone; see
            `shared_vectors`.
    """

    table: str
    reads: ReadSet
    actions: tuple[Action, ...] = ()
    partition_columns: tuple[str, ...] = ()
    partition_names: tuple[str, ...] = ()
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    isolation: str = field(default=SERIALIZABLE)
    is_backfill: bool = False
    replaces_table: bool = False
    numbers_rows: bool = False
    shared: frozenset[str] = frozenset()

    @cached_property
    def removed_paths(self) -> frozenset[str]:
        """Decoded paths of the files that it removes."""
        return frozenset(
            canonical_path(action.path) for action in self.actions if isinstance(action, RemoveFile)
        )

    @cached_property
    def app_ids(self) -> frozenset[str]:
        """Applications whose version it read or writes."""
        written = (action.app_id for action in self.actions if isinstance(action, SetTransaction))
        return self.reads.app_ids | frozenset(written)

    @cached_property
    def domains(self) -> frozenset[str]:
        """Metadata domains that it writes."""
        return _domains(self.actions)

    def writes(self, kind: type[Metadata | Protocol]) -> bool:
        """Return whether it sets the metadata, or the protocol."""
        return any(isinstance(action, kind) for action in self.actions)

    @property
    def changes_table(self) -> bool:
        """Return whether its metadata says more than which values rows got."""
        return self.writes(Metadata) and not self.numbers_rows


Conflict = DeltaConcurrentModificationError

# The condition without and with a hint at the partition.
_FILE_CONDITIONS: Mapping[type[Conflict], tuple[str, str]] = {
    ConcurrentAppendError: (
        "DELTA_CONCURRENT_APPEND.WITHOUT_HINT",
        "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT",
    ),
    ConcurrentDeleteReadError: (
        "DELTA_CONCURRENT_DELETE_READ.WITHOUT_HINT",
        "DELTA_CONCURRENT_DELETE_READ.WITH_PARTITION_HINT",
    ),
    ConcurrentDeleteDeleteError: (
        "DELTA_CONCURRENT_DELETE_DELETE.WITHOUT_HINT",
        "DELTA_CONCURRENT_DELETE_DELETE.WITH_PARTITION_HINT",
    ),
}

File = TypeVar("File", AddFile, RemoveFile)

Rule = Callable[[Attempt, WinningCommit], "Conflict | None"]


def first_conflict(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Say why `attempt` cannot follow `winner`, or None when it can."""
    return next((found for rule in RULES if (found := rule(attempt, winner))), None)


def version_taken(winner: WinningCommit) -> ConcurrentWriteError:
    """The conflict of an operation that makes one attempt only."""
    return ConcurrentWriteError(
        "DELTA_CONCURRENT_WRITE",
        winner=winner.title(),
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def protocol_moved(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Two protocol changes never pass; one passes if it drops nothing and adds nothing grave."""
    if winner.protocol is None:
        return None
    before = features_of(attempt.protocol) if attempt.protocol is not None else frozenset()
    after = features_of(winner.protocol)
    created = attempt.protocol is None
    # Nothing was read of a table that did not exist, so its creation conflicts with any other. A
    # dropped feature can be one that the draft uses.
    harmless = before <= after and not any(_is_grave(name) for name in after - before)
    if harmless and not created and not attempt.writes(Protocol):
        return None
    return ProtocolChangedError(
        "DELTA_PROTOCOL_CHANGED",
        additionalInfo="Another writer created the table first. " if created else "",
        winner=winner.title(),
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def metadata_moved(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """New metadata conflicts with all commits but those that set none and can adopt it."""
    if winner.metadata is None:
        return None
    # Metadata is written whole: ours would undo the change of the winning commit.
    if not attempt.writes(Metadata) and _may_adopt(attempt, winner, winner.metadata):
        return None
    return MetadataChangedError(
        "DELTA_METADATA_CHANGED",
        tableName=attempt.table,
        winner=winner.title(),
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def domain_moved(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Two commits cannot both set a domain; row tracking merges, and REPLACE TABLE prevails."""
    # The high-water mark of row ids is taken from the base at each attempt, so both can set it.
    theirs = {domain.domain for domain in winner.domains} - {ROW_TRACKING_DOMAIN}
    if attempt.replaces_table or not attempt.domains & theirs:
        return None
    return _concurrent_transaction(winner)


def app_moved(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """An application's version that we looked up, or set, must not move under us."""
    theirs = {action.app_id for action in winner.actions if isinstance(action, SetTransaction)}
    return _concurrent_transaction(winner) if theirs & attempt.app_ids else None


def read_files_were_added(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Files that we would have read, had they been there; only partitions distinguish files."""
    # A backfill adds existing files again, and reads no rows itself.
    if attempt.is_backfill or winner.is_backfill or _overlooks_adds(attempt, winner):
        return None
    found = [add for add in _not_shared(attempt, winner.adds) if _would_read(attempt, add)]
    # Statistics are looked at last, and only of the files that the partitions leave.
    if found and attempt.reads.rows is not None and not attempt.reads.whole_table:
        found = list(attempt.reads.rows(found))
    return _file_conflict(ConcurrentAppendError, attempt, winner, found)


def read_files_were_removed(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Files that we read are gone."""
    # A backfill gives up the files that are gone (`rebase`), and goes on with the others.
    if attempt.is_backfill:
        return None
    files, everything = attempt.reads.files, attempt.reads.whole_table
    if attempt.reads.rows is not None:
        # The rows that mattered lie in files that it replaces, or marks.
        files &= attempt.removed_paths
    removes = _not_shared(attempt, winner.removes)
    found = [remove for remove in removes if everything or canonical_path(remove.path) in files]
    return _file_conflict(ConcurrentDeleteReadError, attempt, winner, found)


def both_removed(attempt: Attempt, winner: WinningCommit) -> Conflict | None:
    """Files that we remove were removed already."""
    # By path and not by file and vector: a commit that replaces a vector removes the old one, and a
    # second commit that does the same would bring back the rows of the first.
    removes = _not_shared(attempt, winner.removes)
    found = [remove for remove in removes if canonical_path(remove.path) in attempt.removed_paths]
    return _file_conflict(ConcurrentDeleteDeleteError, attempt, winner, found)


# Changes of the table come first: the rules on files rely on partition columns that did not change.
# delta-spark checks in this order, too, so both report the same conflict.
RULES: tuple[Rule, ...] = (
    protocol_moved,
    metadata_moved,
    domain_moved,
    app_moved,
    read_files_were_added,
    read_files_were_removed,
    both_removed,
)


def _not_shared(attempt: Attempt, files: Sequence[File]) -> Sequence[File]:
    if not attempt.shared:
        return files
    return [file for file in files if canonical_path(file.path) not in attempt.shared]


def _is_grave(name: str) -> bool:
    # Of a feature that we do not know the worst is assumed.
    return name not in FEATURES or FEATURES[name].blocks_others


def _may_adopt(attempt: Attempt, winner: WinningCommit, new: Metadata) -> bool:
    # Identity values that the draft assigned are in metadata of its own, which is checked before;
    # one that assigned none does not depend on the high-water marks.
    if winner.marks_identities_only:
        return True
    if attempt.metadata is None or attempt.protocol is None:
        return False
    return is_compatible(attempt.metadata, new, features_of(attempt.protocol))


def _overlooks_adds(attempt: Attempt, winner: WinningCommit) -> bool:
    if attempt.isolation == WRITE_SERIALIZABLE:
        # A change of the table can be one that the appended rows were not checked against.
        return winner.is_blind_append and not attempt.changes_table
    return attempt.isolation == SNAPSHOT_ISOLATION


def _would_read(attempt: Attempt, add: AddFile) -> bool:
    if attempt.reads.whole_table:
        return True
    # Without partitions nothing rules a file out, so every new one counts if anything was read.
    if not attempt.partition_columns:
        return bool(attempt.reads.predicates)
    return any(predicate.matches(add.partition_values) for predicate in attempt.reads.predicates)


def _domains(actions: Iterable[Action]) -> frozenset[str]:
    return frozenset(action.domain for action in actions if isinstance(action, DomainMetadata))


def _concurrent_transaction(winner: WinningCommit) -> Conflict:
    return ConcurrentTransactionError(
        "DELTA_CONCURRENT_TRANSACTION",
        winner=winner.title(),
        conflictingCommit=winner.summary(),
        docLink=DOC_LINK,
    )


def _file_conflict(
    kind: type[Conflict],
    attempt: Attempt,
    winner: WinningCommit,
    found: Sequence[AddFile | RemoveFile],
) -> Conflict | None:
    if not found:
        return None
    parameters = {
        "operation": winner.operation,
        "tableName": attempt.table,
        "version": winner.version,
        "commitTime": winner.time,
        "files": shown_files([file.path for file in found]),
        "docLink": DOC_LINK,
    }
    without_hint, with_hint = _FILE_CONDITIONS[kind]
    # A remove of another engine may lack partition values, and then no hint can be given.
    values = found[0].partition_values
    if not attempt.partition_columns or not values:
        return kind(without_hint, **parameters)
    return kind(with_hint, partitionValues=_partition_text(attempt, values), **parameters)


def _partition_text(attempt: Attempt, values: Mapping[str, str | None]) -> str:
    """Write partition values as users do in a condition: `[p=1, q=null]`."""
    columns = attempt.partition_columns
    names = attempt.partition_names or columns
    texts = ("null" if values.get(column) is None else values[column] for column in columns)
    return f"[{', '.join(f'{name}={text}' for name, text in zip(names, texts, strict=True))}]"
