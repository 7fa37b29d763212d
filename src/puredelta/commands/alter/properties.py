"""ALTER TABLE ... SET and UNSET TBLPROPERTIES, and COMMENT ON TABLE."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from puredelta.commands.alter.column_mapping import (
    check_mode_change,
    is_mapping_removal,
    with_properties,
    without_mapping_rewrite,
)
from puredelta.commands.alter.commit import Change, commit_change
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.session.context import Context
from puredelta.errors.classes import (
    DeltaAnalysisError,
)
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.table.columns.column_mapping import MODE_KEY
from puredelta.table.protocol.properties import (
    DELETED_FILE_RETENTION,
    LOG_RETENTION,
    canonical_key,
    check_combinations,
    check_retentions,
    validate,
)
from puredelta.table.protocol.protocol import (
    NO_REQUEST,
    ProtocolRequest,
    check_versions_go_together,
    check_writable,
    requested_protocol,
    upgrade,
)
from puredelta.txn.backfill import backfill
from puredelta.txn.commit_info import Operation
from puredelta.txn.row_id_check import turns_ids_on

_CONSTRAINTS = "delta.constraints."
_CLUSTERING = "delta.feature.clustering"
_COMMENT = "comment"
_PERIODS = {LOG_RETENTION.key, DELETED_FILE_RETENTION.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProperties:
    """SET TBLPROPERTIES; the key `comment` sets the table's description."""

    table: TableRef
    properties: Mapping[str, str]

    def run(self, context: Context) -> Snapshot:
        """Set the properties in one commit.

        Raises:
            DeltaAnalysisError: DELTA_UNKNOWN_CONFIGURATION, DELTA_ADD_CONSTRAINTS,
                DELTA_CANNOT_CHANGE_PROVIDER, DELTA_CANNOT_CHANGE_LOCATION,
                DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
            DeltaColumnMappingUnsupportedError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
            DeltaIllegalArgumentError: a value that the property does not take.
        """
        return _run(context, self, alone=len(self.properties) == 1)

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return what is to be committed on a version, if it is one commit."""
        self._refuse()
        given = validate(
            {k: v for k, v in self.properties.items() if not _is_comment(k)},
            allow_unknown=context.settings.arbitrary_properties,
            any_retention=True,
        )
        request, stored = requested_protocol(given)
        check_versions_go_together(before.protocol, request)
        merged = {**before.configuration, **stored}
        if context.settings.compatible_retentions and _PERIODS & stored.keys():
            check_retentions(merged)
        check_combinations(merged, self.table.label)
        shown = {**given, **{k: v for k, v in self.properties.items() if _is_comment(k)}}
        operation = Operation("SET TBLPROPERTIES", {"properties": shown})
        description = self._description(before.metadata)
        return _changed(context, self.table, before, merged, description, operation, request)

    def _refuse(self) -> None:
        for key in self.properties:
            lowered = key.lower()
            if lowered.startswith(_CONSTRAINTS):
                raise DeltaAnalysisError("DELTA_ADD_CONSTRAINTS")
            if lowered == _CLUSTERING:
                raise DeltaAnalysisError(
                    "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
                    tableFeature="clustering",
                )
            if lowered == "provider":
                raise DeltaAnalysisError("DELTA_CANNOT_CHANGE_PROVIDER")
            if lowered == "location":
                raise DeltaAnalysisError("DELTA_CANNOT_CHANGE_LOCATION")

    def _description(self, metadata: Metadata) -> str | None:
        for key, value in self.properties.items():
            if _is_comment(key):
                return value
        return metadata.description


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetProperties:
    """UNSET TBLPROPERTIES; the key `comment` takes the table's description away.

    Keys that are not set are passed over, as delta-spark does in SQL.
    """

    table: TableRef
    keys: Sequence[str]

    def run(self, context: Context) -> Snapshot:
        """Remove the properties in one commit.

        Raises:
            DeltaColumnMappingUnsupportedError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
            DeltaAnalysisError: DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
        """
        return _run(context, self, alone=len(self.keys) == 1)

    def plan(self, context: Context, before: Snapshot) -> Change:
        """Return what is to be committed on a version, if it is one commit."""
        gone = [canonical_key(key) for key in self.keys]
        kept = {k: v for k, v in before.configuration.items() if k not in gone}
        operation = Operation("UNSET TBLPROPERTIES", {"properties": gone, "ifExists": True})
        description = None if any(map(_is_comment, gone)) else before.metadata.description
        return _changed(context, self.table, before, kept, description, operation, NO_REQUEST)


def _is_comment(key: str) -> bool:
    """Say whether a key means the description of the table; it does in any case of letters."""
    return key.lower() == _COMMENT


def _changed(
    context: Context,
    table: TableRef,
    before: Snapshot,
    configuration: Mapping[str, str],
    description: str | None,
    operation: Operation,
    request: ProtocolRequest,
) -> Change:
    """Return the change to other properties, and to all that they ask for."""
    may_remove = context.settings.mapping_removal
    check_mode_change(before.configuration, configuration, may_remove=may_remove)
    metadata = msgspec.structs.replace(
        with_properties(before, configuration), description=description
    )
    protocol = upgrade(before.protocol, metadata, request)
    check_writable(protocol, metadata, table.label)
    return Change(operation=operation, metadata=metadata, protocol=protocol)


def _run(context: Context, command: SetProperties | UnsetProperties, *, alone: bool) -> Snapshot:
    """Commit what a statement plans, after what needs commits of its own.

    Args:
        context: the session.
        command: the statement.
        alone: it is about one property.
    """
    table = command.table
    before = table.log().latest()
    change = command.plan(context, before)
    after = {} if change.metadata is None else change.metadata.configuration
    if is_mapping_removal(before.configuration, after):
        before = without_mapping_rewrite(context, table, before, after.get(MODE_KEY))
        if alone:
            return before
        change = command.plan(context, before)
    if turns_ids_on(before.configuration, after):
        before = backfill(before, partial(begin, context, table))
        change = command.plan(context, before)
    return commit_change(context, table, before, change)
