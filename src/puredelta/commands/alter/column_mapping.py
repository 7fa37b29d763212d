"""Turning column mapping on for a table that is there, and taking it away again.

Protocol: Column Mapping. On: the columns keep the names that they have in files, and get ids. Off:
files whose names are not those that users see are written anew.
"""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from puredelta.commands.alter.commit import Change, commit_change
from puredelta.commands.rows.file_rewriting import copy_rows
from puredelta.commands.rows.file_writing import new_files
from puredelta.commands.rows.removed_files import live_files, moved_files
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaColumnMappingUnsupportedError
from puredelta.log.actions import Action, DomainMetadata, Metadata
from puredelta.log.files import to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.schema.physical import name_in_files
from puredelta.table.clustering import chosen_columns, clustering_domain, logical_columns
from puredelta.table.columns.column_mapping import (
    MODE_KEY,
    MappingMode,
    mapping_mode,
    unmapped_schema,
)
from puredelta.table.columns.mapping_ids import present_name, with_mapping, without_ids
from puredelta.table.columns.schema_check import invalid_names
from puredelta.table.protocol.feature_activation import all_fields
from puredelta.table.protocol.properties import COLUMN_MAPPING_MODE, MAX_COLUMN_ID
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import Operation

REMOVAL = "REMOVE COLUMN MAPPING"


def with_properties(before: Snapshot, configuration: Mapping[str, str]) -> Metadata:
    """Return a table's metadata with other properties, and the schema that they ask for.

    Args:
        before: the table.
        configuration: all its new properties.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
    """
    if is_mapping_removal(before.configuration, configuration):
        schema = _plain_schema(before)
        kept = {k: v for k, v in configuration.items() if k != MAX_COLUMN_ID.key}
    else:
        schema, kept = with_mapping(
            before.schema, _with_highest(before, configuration), present_name
        )
    metadata = msgspec.structs.replace(before.metadata, configuration=kept)
    if schema == before.schema:
        return metadata
    return msgspec.structs.replace(metadata, schema_string=schema_to_json(schema))


def _with_highest(before: Snapshot, configuration: Mapping[str, str]) -> Mapping[str, str]:
    """Keep the highest id that was given, whoever unsets it: columns that are gone had some."""
    key = MAX_COLUMN_ID.key
    if key not in before.configuration or mapping_mode(configuration) is MappingMode.NONE:
        return configuration
    return {**configuration, key: before.configuration[key]}


def check_mode_change(
    before: Mapping[str, str], after: Mapping[str, str], *, may_remove: bool
) -> None:
    """Refuse a change of the mode that files cannot follow.

    Args:
        before: the table's properties.
        after: what they are to be.
        may_remove: does the session let a table lose its mapping?

    Raises:
        DeltaColumnMappingUnsupportedError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
    """
    old, new = COLUMN_MAPPING_MODE.of(before), COLUMN_MAPPING_MODE.of(after)
    allowed = old == new or (old, new) == ("none", "name") or (new == "none" and may_remove)
    if not allowed:
        raise DeltaColumnMappingUnsupportedError(
            "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", oldMode=old, newMode=new
        )


def is_mapping_removal(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Say whether properties take the mapping from a table that has it."""
    is_mapped = mapping_mode(before) is not MappingMode.NONE
    return is_mapped and mapping_mode(after) is MappingMode.NONE


def without_mapping_rewrite(
    context: Context, table: TableRef, before: Snapshot, mode: str | None = None
) -> Snapshot:
    """Take column mapping from a table, in one commit; return the version made.

    Args:
        context: the session.
        table: the table.
        before: the version that is read.
        mode: what the table's property says then; None for a property that is no longer there.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
    """
    check_writable(before.protocol, before.metadata, table.label)
    change = with_rewritten_files(context, table, before, unmapping_change(before, mode))
    return commit_change(context, table, before, change)


def unmapping_change(before: Snapshot, mode: str | None = None) -> Change:
    """Return the change of a table's metadata that takes its column mapping away.

    Args:
        before: the table.
        mode: what the table's property says then; None for a property that is no longer there.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
    """
    schema = _plain_schema(before)
    _, configuration = without_ids(before.schema, before.configuration)
    if mode is not None:
        configuration[MODE_KEY] = mode
    metadata = msgspec.structs.replace(
        before.metadata, schema_string=schema_to_json(schema), configuration=configuration
    )
    return Change(
        operation=Operation(REMOVAL, {}, {"numOutputBytes": "0"}),
        metadata=metadata,
        actions=_renamed_clustering(before, schema),
        is_blind=False,
        reads_table=True,
    )


def with_rewritten_files(
    context: Context, table: TableRef, before: Snapshot, change: Change
) -> Change:
    """Add to the change of the metadata all files, written anew under the names of users.

    Where nothing was ever renamed or dropped they have those, and stay.

    Args:
        context: the session.
        table: the table.
        before: the version that is read.
        change: what `unmapping_change` says.
    """
    # Only metadata changes where files have the names of users already.
    if change.metadata is None or not before.num_files or _has_names_of_users(before):
        return change
    target = WriteTarget(
        context=context,
        table=table,
        before=before,
        metadata=change.metadata,
        options=WriteOptions(),
    )
    written = copy_rows(target, before.files)
    files: list[Action] = [
        *map(moved_files, map(to_remove_file, live_files(before))),
        *map(moved_files, new_files(context, written)),
    ]
    operation = Operation(REMOVAL, {}, {"numOutputBytes": str(written.bytes)})
    return replace(change, operation=operation, actions=[*change.actions, *files])


def _plain_schema(before: Snapshot) -> StructType:
    """Return the schema without what column mapping keeps in it; its names must do without."""
    schema = unmapped_schema(before.schema)
    invalid = invalid_names(schema)
    if invalid:
        raise DeltaAnalysisError(
            "DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
            invalidColumnNames=", ".join(invalid),
        )
    return schema


def _has_names_of_users(before: Snapshot) -> bool:
    """State that nothing was ever renamed or dropped, so that all names in files are right.

    Every field that ever was has taken an id; a field that is gone may be in a file, and would come
    back with a column of its name.
    """
    fields = list(all_fields(before.schema))
    given = MAX_COLUMN_ID.of(before.configuration)
    return given == len(fields) and all(name_in_files(field) == field.name for field in fields)


def _renamed_clustering(before: Snapshot, schema: StructType) -> list[DomainMetadata]:
    """Name the clustering columns as files name them from now on."""
    columns = logical_columns(before.domains.values(), before.schema)
    return [clustering_domain(chosen_columns(columns, schema))] if columns else []
