"""Tables with manifests: their readers see files alone, so a commit must not hide rows of files."""

from __future__ import annotations

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.files import canonical_path
from puredelta.log.snapshot import Snapshot
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.protocol.properties import SYMLINK_MANIFEST
from puredelta.txn.pending_commit import PendingCommit


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


def check_no_vectors_remain(draft: PendingCommit, before: Snapshot) -> None:
    """Refuse to enable manifests while files have deletion vectors.

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
    removed = {canonical_path(remove.path) for remove in draft.removes}
    if any(path not in removed for path in marked["path"].to_pylist()):
        raise DeltaUnsupportedOperationError(
            "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED."
            "EXISTING_DELETION_VECTORS_WITH_INCREMENTAL_MANIFEST_GENERATION",
            table=draft.table,
        )
