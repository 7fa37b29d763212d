"""The last checks before a commit: `CHECKS`, each of which passes a draft or says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Action, AddCdcFile, AddFile, Metadata, RemoveFile, SetTransaction
from puredelta.log.files import FileKey, canonical_path, file_key, removed_paths
from puredelta.log.snapshot import Snapshot
from puredelta.table.change_columns import check_change_columns
from puredelta.table.change_schemas import check_columns_stay
from puredelta.table.clustering import check_statistics, clustering_columns
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode, physical_names
from puredelta.table.columns.schema_check import check_reserved
from puredelta.table.protocol.properties import (
    APPEND_ONLY,
    DELETION_VECTORS,
    SYMLINK_MANIFEST,
)
from puredelta.table.protocol.protocol import check_writable, schema_of
from puredelta.table.protocol.row_tracking import check_properties, row_count
from puredelta.table.statistics.indexed_columns import check_columns, indexing_of
from puredelta.txn.commit_info import CLONE, RESTORE
from puredelta.txn.pending_commit import PendingCommit

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
        CLONE,
        RESTORE,
    }
)


def check_commit(draft: PendingCommit) -> None:
    """Let a draft pass, or raise the first thing that is wrong with it."""
    for check in CHECKS:
        check(draft)


def protocol_is_ours(draft: PendingCommit) -> None:
    """We must be able to write the table, as it was and as it becomes."""
    # Also as it was: a commit that drops a feature still has to obey it.
    if draft.base_protocol is not None and draft.base_metadata is not None:
        base = (draft.base_protocol, draft.base_metadata)
        check_writable(*base, draft.table, leaving=draft.leaving)
    check_writable(draft.protocol, draft.metadata, draft.table, leaving=draft.leaving)


def partitioning_stays(draft: PendingCommit) -> None:
    """Partition columns change only where all files are replaced; they may be renamed."""
    if draft.base_metadata is None or draft.new_metadata is None:
        return
    old, new = draft.base_metadata.partition_columns, draft.new_metadata.partition_columns
    may_change = draft.operation in _MAY_REPARTITION or _partitioning(draft.base_metadata) == (
        _partitioning(draft.new_metadata)
    )
    if old != new and not may_change:
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_PARTITION_COLUMN_CHANGE",
            operation=draft.operation,
            oldPartitionColumns=old,
            newPartitionColumns=new,
        )


def _partitioning(metadata: Metadata) -> list[str]:
    """Return the partition columns by the names that files have for them."""
    mode = mapping_mode(metadata.configuration)
    return physical_names(schema_of(metadata), metadata.partition_columns, mode)


def indexing_fits(draft: PendingCommit) -> None:
    """The columns that are to get statistics must be there and have an order."""
    if draft.new_metadata is not None:
        metadata = draft.new_metadata
        check_columns(schema_of(metadata), metadata.partition_columns, metadata.configuration)


def clustering_is_indexed(draft: PendingCommit) -> None:
    """The clustering columns get statistics, as the protocol demands."""
    if draft.new_metadata is None and not draft.adds:
        return
    columns = clustering_columns(draft.domains_after.values())
    if columns:
        metadata = draft.metadata
        check_statistics(columns, schema_of(metadata), indexing_of(metadata.configuration))


def row_tracking_is_clear(draft: PendingCommit) -> None:
    """Row ids are wanted or suspended, not both."""
    check_properties(draft.metadata.configuration)


def reserved_names_are_free(draft: PendingCommit) -> None:
    """No column comes whose name Spark's Parquet reader has reserved."""
    if draft.new_metadata is not None:
        old = draft.base_metadata
        check_reserved(None if old is None else schema_of(old), schema_of(draft.new_metadata))


def change_columns_are_free(draft: PendingCommit) -> None:
    """No column has a name that the change data feed needs."""
    if draft.new_metadata is not None:
        after = draft.new_metadata
        check_change_columns(draft.base_metadata, after, schema_of(after))


def changed_columns_stay(draft: PendingCommit) -> None:
    """Where changes are kept, files do not come together with other columns of the same name."""
    # A version that is restored brings its own columns along with its files.
    if draft.operation == RESTORE:
        return
    before, after = draft.base_metadata, draft.new_metadata
    files = (AddFile, AddCdcFile, RemoveFile)
    if before and after and any(isinstance(action, files) for action in draft.actions):
        check_columns_stay(before, after, draft.operation)


def partition_keys_fit(draft: PendingCommit) -> None:
    """Every file says for each partition column, and for no other, which value it has."""
    needed = set(partition_keys(draft))
    for add in draft.adds:
        if add.partition_values.keys() != needed:
            raise DeltaIllegalStateError(
                "DELTA_INVALID_PARTITIONING_SCHEMA",
                neededPartitioning=draft.metadata.partition_columns,
                specifiedPartitioning=sorted(add.partition_values),
                config=_COMMIT_VALIDATION_SETTING,
            )


def append_only_is_kept(draft: PendingCommit) -> None:
    """An append-only table loses no rows."""
    # As it was read: the commit that lifts the property may not remove rows itself.
    metadata = draft.base_metadata or draft.metadata
    if any(remove.data_change for remove in draft.removes) and APPEND_ONLY.of(
        metadata.configuration
    ):
        raise DeltaUnsupportedOperationError(
            "DELTA_CANNOT_MODIFY_APPEND_ONLY", table_name=draft.table, config=APPEND_ONLY.key
        )


def files_appear_once(draft: PendingCommit) -> None:
    """No path is added or removed twice, and no file is added and removed at once."""
    _refuse_repeated("add", (canonical_path(add.path) for add in draft.adds))
    _refuse_repeated("remove", (canonical_path(remove.path) for remove in draft.removes))
    # Protocol: Action Reconciliation. The key has the vector, too: a file may be removed with one
    # and added with another, which is how rows are deleted.
    added: Mapping[FileKey, AddFile] = {file_key(add): add for add in draft.adds}
    for remove in draft.removes:
        if (found := added.get(file_key(remove))) is not None:
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND",
                actionType="add and remove",
                path=remove.path,
                conflictingPath=found.path,
            )


def transactions_agree(draft: PendingCommit) -> None:
    """One application has one version in a commit."""
    seen: dict[str, int] = {}
    for action in draft.actions:
        if isinstance(action, SetTransaction) and seen.setdefault(
            action.app_id, action.version
        ) != (action.version):
            raise DeltaIllegalArgumentError(
                "DELTA_TRANSACTION_VERSIONS_DIFFER",
                appId=action.app_id,
                versions=[seen[action.app_id], action.version],
            )


def vectors_are_enabled(draft: PendingCommit) -> None:
    """Deletion vectors come only where the table has them turned on, and with a count of rows."""
    # Row ids go to files as they are, also to those whose vectors are from earlier times.
    added = [add for add in draft.adds if add.deletion_vector is not None and not draft.is_backfill]
    # The files of a restored version keep their vectors, though it may take no new ones.
    is_allowed = draft.operation == RESTORE
    if added and not is_allowed and not DELETION_VECTORS.of(draft.metadata.configuration):
        raise DeltaUnsupportedOperationError("DELTA_ADDING_DELETION_VECTORS_DISALLOWED")
    # Protocol: Deletion Vectors. The statistics of such a file must have `numRecords`; without it
    # the number of live rows is unknown.
    for file in added:
        if row_count(file) is None:
            raise DeltaRuntimeError("DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS", path=file.path)


def domains_are_supported(draft: PendingCommit) -> None:
    """Domains need their table feature."""
    domains = [domain.domain for domain in draft.own_domains]
    if domains and DOMAIN_FEATURE not in draft.features:
        raise DeltaIllegalArgumentError(
            "DELTA_DOMAIN_METADATA_NOT_SUPPORTED", domainNames=sorted(domains)
        )


# The protocol comes first: the others read metadata whose meaning it determines.
def columns_are_not_mapped(draft: PendingCommit) -> None:
    """Readers of manifests know columns by the names that the table has for them.

    Raises:
        DeltaUnsupportedOperationError: DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING.
    """
    configuration = draft.metadata.configuration
    is_mapped = mapping_mode(configuration) is not MappingMode.NONE
    if is_mapped and SYMLINK_MANIFEST.of(configuration):
        raise DeltaUnsupportedOperationError(
            "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING"
        )


CHECKS: tuple[Callable[[PendingCommit], None], ...] = (
    protocol_is_ours,
    partitioning_stays,
    indexing_fits,
    clustering_is_indexed,
    row_tracking_is_clear,
    reserved_names_are_free,
    change_columns_are_free,
    changed_columns_stay,
    partition_keys_fit,
    append_only_is_kept,
    files_appear_once,
    transactions_agree,
    vectors_are_enabled,
    domains_are_supported,
    columns_are_not_mapped,
)


FILE_CHECKS: tuple[Callable[[PendingCommit], None], ...] = (
    changed_columns_stay,
    partition_keys_fit,
    append_only_is_kept,
    files_appear_once,
    vectors_are_enabled,
)
"""Those of the checks that look at files: a long commit passes them some files at a time."""


def partition_keys(draft: PendingCommit) -> list[str]:
    """Return the keys under which files say their partition."""
    metadata = draft.metadata
    # Without column mapping the schema need not be decoded, which each attempt would pay for.
    mode = mapping_mode(metadata.configuration)
    if mode is MappingMode.NONE:
        return metadata.partition_columns
    return physical_names(schema_of(metadata), metadata.partition_columns, mode)


def _refuse_repeated(kind: str, paths: Iterable[str]) -> None:
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            raise DeltaRuntimeError(
                "DELTA_DUPLICATE_ACTIONS_FOUND", actionType=kind, path=path, conflictingPath=path
            )
        seen.add(path)


def check_no_vectors_remain(
    draft: PendingCommit, before: Snapshot, files: Iterable[Action]
) -> None:
    """Refuse to enable manifests while files have deletion vectors.

    Args:
        draft: What is to be committed, where its files may be left out.
        before: The version that was read.
        files: The files of the commit.

    Raises:
        DeltaUnsupportedOperationError: DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED.
            EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION.
    """
    new = draft.new_metadata
    if new is None or not SYMLINK_MANIFEST.of(new.configuration):
        return
    if SYMLINK_MANIFEST.of(before.configuration):
        return
    marked = before.files.filter(before.files["deletion_vector"].is_valid())
    removed = removed_paths(files)
    if any(path not in removed for path in marked["path"].to_pylist()):
        raise DeltaUnsupportedOperationError(
            "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
            "EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
            table=draft.table,
        )
