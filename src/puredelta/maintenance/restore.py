"""RESTORE: an older version becomes the newest one, in one commit that names files and moves none.

The plan is made from two snapshots alone, so that a dry run shows what the commit would contain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec
import pyarrow as pa

from puredelta._util.clock import now_ms
from puredelta.errors import DeltaIllegalArgumentError, DeltaUnsupportedOperationError
from puredelta.log.actions import AddFile, DomainMetadata, Metadata, Protocol, RemoveFile
from puredelta.log.files import each_file, total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.file_difference import files_not_in
from puredelta.maintenance.missing_files import missing_files
from puredelta.maintenance.restored_table import (
    restored_domains,
    restored_metadata,
    restored_protocol,
)
from puredelta.table.protocol.properties import APPEND_ONLY
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import RESTORE, Operation
from puredelta.txn.streamed.change import stream_change
from puredelta.txn.transaction import Transaction

_SHOWN_FILES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    """What brings a table back to an older version.

    Attributes:
        table: The table's name or path, for messages.
        before: The newest version.
        target: The older one.
        added: The files that come back, as rows of `log.files.FILES`.
        removed: The files that leave, likewise.
        metadata: The metadata that the table gets.
        protocol: The protocol that the table gets.
        domains: The metadata domains that change.
    """

    table: str
    before: Snapshot
    target: Snapshot
    added: pa.Table
    removed: pa.Table
    metadata: Metadata
    protocol: Protocol
    domains: tuple[DomainMetadata, ...]

    @property
    def has_effect(self) -> bool:
        """Whether there is anything to do: the newest version is not restored."""
        return self.target.version != self.before.version


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a RESTORE did.

    Attributes:
        version: The version that it made; None where the table already was at the version.
        size: The size of the table, in bytes.
        files: How many files the table has.
        removed_files: How many files left the table.
        restored_files: How many files came back.
        removed_size: The size of the files that left, in bytes.
        restored_size: The size of the files that came back, in bytes.
    """

    version: int | None
    size: int
    files: int
    removed_files: int
    restored_files: int
    removed_size: int
    restored_size: int

    def as_row(self) -> dict[str, int]:
        """Return the row that the statement answers with."""
        return {
            "table_size_after_restore": self.size,
            "num_of_files_after_restore": self.files,
            "num_removed_files": self.removed_files,
            "num_restored_files": self.restored_files,
            "removed_files_size": self.removed_size,
            "restored_files_size": self.restored_size,
        }

    def metrics(self) -> dict[str, str]:
        """Return the metrics that history shows."""
        numbers = {
            "numRestoredFiles": self.restored_files,
            "removedFilesSize": self.removed_size,
            "numRemovedFiles": self.removed_files,
            "restoredFilesSize": self.restored_size,
            "numOfFilesAfterRestore": self.files,
            "tableSizeAfterRestore": self.size,
        }
        return {key: str(number) for key, number in numbers.items()}


def plan_restore(
    table: str, before: Snapshot, target: Snapshot, *, lowers_protocol: bool = False
) -> RestorePlan:
    """Find out what brings a table back to an older version; nothing is written.

    Args:
        table: The table's name or path, for messages.
        before: The newest version.
        target: The older one.
        lowers_protocol: Give up the features that the older version lacks.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY where rows would be removed
            from a table that takes only appends.
        DeltaTableFeatureError: The table has features that cannot be written.
        DeltaIllegalStateError: The log is damaged.
    """
    check_writable(before.protocol, before.metadata, table)
    removed = files_not_in(before.files, target.files)
    # The protocol lets nobody take rows from such a table, and RESTORE is no exception.
    if removed.num_rows and APPEND_ONLY.of(before.configuration):
        raise DeltaUnsupportedOperationError(
            "DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=table, config=APPEND_ONLY.key
        )
    return RestorePlan(
        table=table,
        before=before,
        target=target,
        added=files_not_in(target.files, before.files),
        removed=removed,
        metadata=restored_metadata(before, target),
        protocol=restored_protocol(before, target, lowers_protocol=lowers_protocol),
        domains=tuple(restored_domains(before, target)),
    )


def lost_files(plan: RestorePlan, options: Mapping[str, str] | None = None) -> list[str]:
    """Return the files that would come back and are gone from storage.

    Args:
        plan: What is to be restored.
        options: What the stores of files outside of the table need to get in.
    """
    return missing_files(plan.before.store, plan.added, options)


def check_files_exist(plan: RestorePlan, options: Mapping[str, str] | None = None) -> None:
    """Refuse to restore a version whose files are gone.

    Args:
        plan: What is to be restored.
        options: What the stores of files outside of the table need to get in.

    Raises:
        DeltaIllegalArgumentError: PUREDELTA_RESTORE_FILES_MISSING.
    """
    lost = lost_files(plan, options)
    if lost:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_RESTORE_FILES_MISSING",
            tableName=plan.table,
            version=plan.target.version,
            numFiles=len(lost),
            files=", ".join(lost[:_SHOWN_FILES]),
            config="spark.sql.files.ignoreMissingFiles",
        )


def commit_restore(
    transaction: Transaction,
    plan: RestorePlan,
    parameters: Mapping[str, object],
    user_metadata: str | None = None,
) -> Restored:
    """Make the version that brings the older one back.

    There is one attempt. A commit that came first may have rewritten any of the files, and only a
    new plan is right then.

    Args:
        transaction: Of the newest version.
        plan: What is to be restored.
        parameters: What history shows of the request: `version` and `timestamp`.
        user_metadata: A text of the user's for history.

    Raises:
        ConcurrentWriteError: Another commit came first.
        DeltaError: The commit breaks a rule of the table; nothing was written.
    """
    restored = outcome_of(plan)
    made = stream_change(
        transaction,
        _ChangedFiles(plan.added, plan.removed, now_ms()),
        Operation(RESTORE, parameters, restored.metrics()),
        metadata=plan.metadata,
        protocol=None if plan.protocol == plan.before.protocol else plan.protocol,
        actions=plan.domains,
        user_metadata=user_metadata,
    )
    return replace(restored, version=made.version)


def outcome_of(plan: RestorePlan) -> Restored:
    """Return what a plan does to the table, as if no version had been made yet."""
    files = plan.target.files
    return Restored(
        version=None,
        size=total_bytes(files),
        files=files.num_rows,
        removed_files=plan.removed.num_rows,
        restored_files=plan.added.num_rows,
        removed_size=total_bytes(plan.removed),
        restored_size=total_bytes(plan.added),
    )


@dataclass(frozen=True, slots=True)
class _ChangedFiles(Collection[AddFile | RemoveFile]):
    """The files of the commit, of which few are records at a time.

    Attributes:
        added: Those that come back.
        removed: Those that leave.
        time: When they leave, in milliseconds since 1970.
    """

    added: pa.Table
    removed: pa.Table
    time: int

    def __iter__(self) -> Iterator[AddFile | RemoveFile]:
        for file in each_file(self.added):
            yield msgspec.structs.replace(file, data_change=True)
        for file in each_file(self.removed):
            yield _tombstone(file, self.time)

    def __len__(self) -> int:
        return int(self.added.num_rows + self.removed.num_rows)

    def __contains__(self, file: object) -> bool:
        return any(file == one for one in self)


def _tombstone(file: AddFile, now: int) -> RemoveFile:
    return RemoveFile(
        path=file.path,
        deletion_timestamp=now,
        data_change=True,
        extended_file_metadata=True,
        # A null is said by leaving the column out, as delta-spark does.
        partition_values={k: v for k, v in file.partition_values.items() if v is not None},
        size=file.size,
        tags=file.tags,
        deletion_vector=file.deletion_vector,
        base_row_id=file.base_row_id,
        default_row_commit_version=file.default_row_commit_version,
        stats=file.stats,
    )
