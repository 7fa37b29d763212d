"""The last checks before a commit: `CHECKS`, each of which passes a draft or says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import (
    Action,
    AddCdcFile,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
)
from puredelta.log.files import FileKey, canonical_path, file_key
from puredelta.table.indexing import check_columns
from puredelta.table.properties import APPEND_ONLY, DELETION_VECTORS
from puredelta.table.protocol import check_writable, features_of, schema_of
from puredelta.txn.commit_info import SERIALIZABLE, SNAPSHOT_ISOLATION
from puredelta.txn.read_set import ReadSet

DOMAIN_FEATURE = "domainMetadata"

_COMMIT_VALIDATION_SETTING = "spark.databricks.delta.commitValidation.enabled"
# Operations that may give a table other partition columns, because they replace all its files.
_MAY_REPARTITION = frozenset(
    {
        "WRITE",
        "CREATE TABLE",
        "CREATE TABLE AS SELECT",
        "REPLACE TABLE",
        "REPLACE TABLE AS SELECT",
        "CREATE OR REPLACE TABLE",
        "CREATE OR REPLACE TABLE AS SELECT",
        "STREAMING UPDATE",
        "CONVERT",
        "CLONE",
        "RESTORE",
    }
)


@dataclass(frozen=True)
class Draft:
    """A commit before it is checked.

    Attributes:
        table: Name or path of the table, for messages.
        operation: Name of what is done.
        reads: What it depends on.
        actions: Files, transactions and domains, without metadata, protocol and commit info.
        base_metadata: The metadata that was read; None when the table is to be created.
        base_protocol: The protocol that was read.
        new_metadata: The metadata to be set, if any.
        new_protocol: The protocol to be set, if any.
    """

    table: str
    operation: str
    reads: ReadSet
    actions: tuple[Action, ...]
    base_metadata: Metadata | None
    base_protocol: Protocol | None
    new_metadata: Metadata | None = None
    new_protocol: Protocol | None = None

    @property
    def metadata(self) -> Metadata:
        """The metadata after the commit.

        Raises:
            DeltaIllegalStateError: There is none: the first commit of a table must set it.
        """
        found = self.new_metadata or self.base_metadata
        if found is None:
            raise DeltaIllegalStateError("DELTA_METADATA_ABSENT")
        return found

    @property
    def protocol(self) -> Protocol:
        """The protocol after the commit.

        Raises:
            DeltaIllegalStateError: There is none: the first commit of a table must set it.
        """
        found = self.new_protocol or self.base_protocol
        if found is None:
            raise DeltaIllegalStateError("DELTA_PROTOCOL_ABSENT")
        return found

    @cached_property
    def adds(self) -> list[AddFile]:
        """The files that it adds."""
        return [one for one in self.actions if isinstance(one, AddFile)]

    @cached_property
    def removes(self) -> list[RemoveFile]:
        """The files that it removes."""
        return [one for one in self.actions if isinstance(one, RemoveFile)]

    @property
    def is_blind_append(self) -> bool:
        """Does it only add files, and depend on none?"""
        others = any(isinstance(one, (RemoveFile, AddCdcFile)) for one in self.actions)
        return not others and not self.reads.depends_on_files

    @property
    def isolation(self) -> str:
        """Commits that only move rows may overlook files that others add."""
        if self.new_metadata is not None or self.new_protocol is not None:
            return SERIALIZABLE
        moves_only = all(_only_moves_rows(one) for one in self.actions)
        return SNAPSHOT_ISOLATION if moves_only else SERIALIZABLE


def check(draft: Draft) -> None:
    """Let a draft pass, or raise the first thing that is wrong with it."""
    for one in CHECKS:
        one(draft)


def protocol_is_ours(draft: Draft) -> None:
    """We must be able to write the table, as it was and as it becomes."""
    if draft.base_protocol is not None and draft.base_metadata is not None:
        check_writable(draft.base_protocol, draft.base_metadata, draft.table)
    check_writable(draft.protocol, draft.metadata, draft.table)


def partitioning_stays(draft: Draft) -> None:
    """Partition columns change only where all files are replaced."""
    if draft.base_metadata is None or draft.new_metadata is None:
        return
    old, new = draft.base_metadata.partition_columns, draft.new_metadata.partition_columns
    if old != new and draft.operation not in _MAY_REPARTITION:
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_PARTITION_COLUMN_CHANGE",
            operation=draft.operation,
            oldPartitionColumns=old,
            newPartitionColumns=new,
        )


def indexing_fits(draft: Draft) -> None:
    """The columns that are to get statistics must be there and have an order."""
    if draft.new_metadata is not None:
        metadata = draft.new_metadata
        check_columns(schema_of(metadata), metadata.partition_columns, metadata.configuration)


def partition_keys_fit(draft: Draft) -> None:
    """Every file says for each partition column, and for no other, which value it has."""
    needed = set(draft.metadata.partition_columns)
    for add in draft.adds:
        if add.partition_values.keys() != needed:
            raise DeltaIllegalStateError(
                "DELTA_INVALID_PARTITIONING_SCHEMA",
                neededPartitioning=draft.metadata.partition_columns,
                specifiedPartitioning=sorted(add.partition_values),
                config=_COMMIT_VALIDATION_SETTING,
            )


def append_only_is_kept(draft: Draft) -> None:
    """An append-only table loses no rows."""
    metadata = draft.base_metadata or draft.metadata
    if any(one.data_change for one in draft.removes) and APPEND_ONLY.of(metadata.configuration):
        raise DeltaUnsupportedOperationError(
            "DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=draft.table, config=APPEND_ONLY.key
        )


def files_appear_once(draft: Draft) -> None:
    """No path is added or removed twice, and no file is added and removed at once."""
    _refuse_repeated("add", (canonical_path(one.path) for one in draft.adds))
    _refuse_repeated("remove", (canonical_path(one.path) for one in draft.removes))
    added: Mapping[FileKey, AddFile] = {file_key(one): one for one in draft.adds}
    for one in draft.removes:
        if (found := added.get(file_key(one))) is not None:
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND",
                actionType="add and remove",
                path=one.path,
                conflictingPath=found.path,
            )


def transactions_agree(draft: Draft) -> None:
    """One application has one version in a commit."""
    seen: dict[str, int] = {}
    for one in draft.actions:
        if isinstance(one, SetTransaction) and seen.setdefault(one.app_id, one.version) != (
            one.version
        ):
            raise DeltaIllegalArgumentError(
                "DELTA_TRANSACTION_VERSIONS_DIFFER",
                appId=one.app_id,
                versions=[seen[one.app_id], one.version],
            )


def vectors_are_enabled(draft: Draft) -> None:
    """Deletion vectors come only where the table has them turned on."""
    has_vectors = any(one.deletion_vector is not None for one in draft.adds)
    if has_vectors and not DELETION_VECTORS.of(draft.metadata.configuration):
        raise DeltaUnsupportedOperationError("DELTA_ADDING_DELETION_VECTORS_DISALLOWED")


def domains_are_supported(draft: Draft) -> None:
    """Domains need their table feature."""
    domains = [one.domain for one in draft.actions if isinstance(one, DomainMetadata)]
    if domains and DOMAIN_FEATURE not in features_of(draft.protocol):
        raise DeltaIllegalArgumentError(
            "DELTA_DOMAIN_METADATA_NOT_SUPPORTED", domainNames=sorted(domains)
        )


CHECKS: tuple[Callable[[Draft], None], ...] = (
    protocol_is_ours,
    partitioning_stays,
    indexing_fits,
    partition_keys_fit,
    append_only_is_kept,
    files_appear_once,
    transactions_agree,
    vectors_are_enabled,
    domains_are_supported,
)


def _only_moves_rows(action: Action) -> bool:
    if isinstance(action, (AddFile, RemoveFile, AddCdcFile)):
        return not action.data_change
    return False


def _refuse_repeated(kind: str, paths: Iterable[str]) -> None:
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND", actionType=kind, path=path, conflictingPath=path
            )
        seen.add(path)
