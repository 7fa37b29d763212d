"""What must go from a table before a feature can: `TRACES`, each a look at one thing.

A trace is a function of a version: the change that removes what it looks for, or None when nothing
is there. Data files are another step's to write: for column mapping, and for deleted rows.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.commands.alter.column_mapping import unmapping_change
from puredelta.commands.alter.commit import Change
from puredelta.commands.optimize.file_schemas import files_whose_schema
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import to_arrow
from puredelta.schema.codec import schema_to_json
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
)
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode, physical_schema
from puredelta.table.columns.type_change_history import (
    has_older_type,
    widened_fields,
    without_type_changes,
)
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX
from puredelta.table.protocol.properties import (
    CHECKPOINT_POLICY,
    DELETION_VECTORS,
    IN_COMMIT_TIMESTAMPS,
    TYPE_WIDENING,
)
from puredelta.table.protocol.row_tracking import (
    ENABLED,
    SUSPENDED,
    is_enabled,
    is_suspended,
)
from puredelta.txn.commit_info import UNBACKFILL, Operation

Trace = Callable[[Snapshot], Change | None]

PURGE = Change(operation=Operation("REORG"))
"""Stands for files without deleted rows, which are another step's to write and to commit."""

RETYPE = Change(operation=Operation("REORG"), leaves_history=False)
"""Stands for files with the types of the table, which are another step's to write and to commit."""

_ENABLEMENT = (
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
)


def constraints(before: Snapshot) -> Change | None:
    """Refuse while there are CHECK constraints: they are the user's to drop."""
    left = sorted(
        key[len(CONSTRAINT_PREFIX) :]
        for key in before.configuration
        if key.lower().startswith(CONSTRAINT_PREFIX)
    )
    if left:
        raise DeltaAnalysisError(
            "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE", constraints=", ".join(left)
        )
    return None


def domains(before: Snapshot) -> Change | None:
    """End the metadata domains that features left behind which are gone."""
    left = [value for value in before.domains.values() if not value.removed]
    if not left:
        return None
    ended = [msgspec.structs.replace(domain, removed=True) for domain in left]
    metrics = {"domainMetadataRemovedCount": len(ended)}
    return Change(operation=Operation("DOMAIN METADATA CLEANUP", metrics), actions=ended)


def in_commit_timestamps(before: Snapshot) -> Change | None:
    """Stop putting the time into commits, and forget since when it was."""
    configuration = before.configuration
    marks = [key for key in _ENABLEMENT if key in configuration]
    enabled = IN_COMMIT_TIMESTAMPS.of(configuration)
    if not enabled and not marks:
        return None
    named = [*marks, *([IN_COMMIT_TIMESTAMPS.key] if enabled else [])]
    settled = {IN_COMMIT_TIMESTAMPS.key: "false"} if enabled else {}
    return _unset(before, named, settled)


def row_ids_wanted(before: Snapshot) -> Change | None:
    """Give no more row ids."""
    # Suspended and not only off: with the feature in the protocol writers give ids to new files.
    if not is_enabled(before.configuration) and is_suspended(before.configuration):
        return None
    if not is_enabled(before.configuration) and not _with_row_ids(before).num_rows:
        return None
    return _set(before, {ENABLED: "false", SUSPENDED: "true"})


def row_ids_given(before: Snapshot) -> Change | None:
    """Take the row ids from the files; their rows stay as they are."""
    files = add_files(_with_row_ids(before))
    if not files:
        return None
    plain = [
        msgspec.structs.replace(
            file, base_row_id=None, default_row_commit_version=None, data_change=False
        )
        for file in files
    ]
    operation = Operation(UNBACKFILL, {"batchId": "0"})
    return Change(operation=operation, actions=plain, is_blind=False)


def vectors_wanted(before: Snapshot) -> Change | None:
    """Make no more deletion vectors."""
    if not DELETION_VECTORS.of(before.configuration):
        return None
    return _unset(before, [DELETION_VECTORS.key])


def vectors_in_use(before: Snapshot) -> Change | None:
    """Ask for new files in the place of those with rows that a vector deletes."""
    return PURGE if pc.any(pc.is_valid(before.files["deletion_vector"])).as_py() else None


def v2_checkpoints(before: Snapshot) -> Change | None:
    """Write checkpoints that every reader knows."""
    if CHECKPOINT_POLICY.of(before.configuration) == "classic":
        return None
    return _set(before, {CHECKPOINT_POLICY.key: "classic"})


def widening_wanted(before: Snapshot) -> Change | None:
    """Widen no more types; older versions do not need the feature for the property's sake."""
    if not TYPE_WIDENING.of(before.configuration):
        return None
    return _unset(before, [TYPE_WIDENING.key], leaves_history=False)


def widened_files(before: Snapshot) -> Change | None:
    """Ask for new files in the place of those that have older types of columns."""
    if not any(widened_fields(before.schema)):
        return None
    return RETYPE if files_of_older_types(before, before.files).num_rows else None


def widened_columns(before: Snapshot) -> Change | None:
    """Forget which types columns had; no file has them any more."""
    schema = before.schema
    changed = [_shown(path, field) for path, field in widened_fields(schema)]
    if not changed:
        return None
    fields = msgspec.json.decode(schema_to_json(StructType(tuple(changed))))["fields"]
    metadata = _with_schema(before, without_type_changes(schema))
    return Change(operation=Operation("DROP FEATURE", {"columns": fields}), metadata=metadata)


def _shown(path: tuple[str, ...], field: StructField) -> StructField:
    """Return a column as delta-spark's history has it: its path, and of nested types the kind."""
    kinds: dict[type[DataType], str] = {ArrayType: "array", MapType: "map", StructType: "struct"}
    kind = kinds.get(type(field.data_type))
    data_type = field.data_type if kind is None else PrimitiveType(kind)
    return replace(field, name=quote_path(path), data_type=data_type)


def mapped_columns(before: Snapshot) -> Change | None:
    """Give the columns in files the names that users see; the files are another step's."""
    if mapping_mode(before.configuration) is MappingMode.NONE:
        return None
    return unmapping_change(before)


TRACES: Mapping[str, tuple[Trace, ...]] = MappingProxyType(
    {
        "checkConstraints": (constraints,),
        "domainMetadata": (domains,),
        "inCommitTimestamp": (in_commit_timestamps,),
        # First no new ids, types or vectors, then the existing ones: otherwise other writers would
        # go on adding them.
        "rowTracking": (row_ids_wanted, row_ids_given),
        "deletionVectors": (vectors_wanted, vectors_in_use),
        "v2Checkpoint": (v2_checkpoints,),
        "typeWidening": (widening_wanted, widened_files, widened_columns),
        "typeWidening-preview": (widening_wanted, widened_files, widened_columns),
        "columnMapping": (mapped_columns,),
    }
)
"""By feature, in the order in which they go; a feature that leaves nothing is not here."""


def check_feature_removable(feature: str, before: Snapshot) -> None:
    """Refuse, before anything is written, what a later trace would refuse.

    Raises:
        DeltaAnalysisError: DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE,
            DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
    """
    # A trace writes nothing, so all can be asked for the sake of the errors that they raise.
    for trace in TRACES.get(feature, ()):
        trace(before)


def is_clean(feature: str, version: Snapshot) -> bool:
    """Return whether a version has no trace of a feature."""
    return all(trace(version) is None for trace in TRACES.get(feature, ()))


def _with_row_ids(before: Snapshot) -> pa.Table:
    files = before.files
    return files.filter(
        pc.or_(pc.is_valid(files["base_row_id"]), pc.is_valid(files["default_row_commit_version"]))
    )


def _with_schema(before: Snapshot, schema: StructType) -> Metadata:
    return msgspec.structs.replace(before.metadata, schema_string=schema_to_json(schema))


def _set(before: Snapshot, properties: Mapping[str, str]) -> Change:
    changed = {**before.configuration, **properties}
    metadata = msgspec.structs.replace(before.metadata, configuration=changed)
    operation = Operation("SET TBLPROPERTIES", {"properties": dict(properties)})
    return Change(operation=operation, metadata=metadata)


def _unset(
    before: Snapshot,
    keys: Iterable[str],
    instead: Mapping[str, str] | None = None,
    *,
    leaves_history: bool = True,
) -> Change:
    gone = list(keys)
    kept = {key: value for key, value in before.configuration.items() if key not in gone}
    metadata = msgspec.structs.replace(before.metadata, configuration={**kept, **(instead or {})})
    operation = Operation("UNSET TBLPROPERTIES", {"properties": gone, "ifExists": True})
    return Change(operation=operation, metadata=metadata, leaves_history=leaves_history)


# --------------------------------------------------------------- files written before a type change


def files_of_older_types(
    snapshot: Snapshot, files: pa.Table, options: Mapping[str, str] | None = None
) -> pa.Table:
    """Return those of some files in which a column has another type than in the table.

    Reads the footer of each.

    Args:
        snapshot: the table.
        files: rows of `snapshot.files`.
        options: of the file system, for files outside of the table's folder.

    Raises:
        DeltaError: a file cannot be read.
    """
    schema = snapshot.schema
    wanted = to_arrow(physical_schema(schema, schema, mapping_mode(snapshot.configuration)))
    whole = pa.struct(list(wanted))

    def is_older(found: pa.Schema) -> bool:
        return has_older_type(pa.struct(list(found)), whole)

    return files_whose_schema(files, snapshot.store, is_older, options)
