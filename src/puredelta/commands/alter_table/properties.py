"""ALTER TABLE ... SET and UNSET TBLPROPERTIES, and COMMENT ON TABLE."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

from puredelta.commands.alter_table.column_mapping import (
    check_mode_change,
    removed_mapping,
    removes_mapping,
    with_mapping,
)
from puredelta.commands.alter_table.commits import Change, commit_change
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.context import Context
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.table.column_mapping import MODE_KEY
from puredelta.table.properties import (
    DELETED_FILE_RETENTION,
    LOG_RETENTION,
    canonical_key,
    check_combinations,
    check_retentions,
    validate,
)
from puredelta.table.protocol import (
    ProtocolRequest,
    check_versions_go_together,
    check_writable,
    requested_protocol,
    upgraded,
)
from puredelta.txn.backfill import backfilled
from puredelta.txn.commit_info import Operation
from puredelta.txn.row_ids import turns_ids_on

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
            DeltaUnsupportedOperationError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
            DeltaIllegalArgumentError: a value that the property does not take.
        """
        self._refuse()
        before = self.table.log().latest()
        given, stored, request = self._read(context)
        check_versions_go_together(before.protocol, request)
        merged = {**before.configuration, **stored}
        may_remove = context.settings.mapping_removal
        check_mode_change(before.configuration, merged, may_remove=may_remove)
        if removes_mapping(before.configuration, merged):
            before = removed_mapping(context, self.table, before, stored[MODE_KEY])
            if len(self.properties) == 1:
                return before
        if turns_ids_on(before.configuration, {**before.configuration, **stored}):
            before = backfilled(before, partial(begin, context, self.table))
        change = self._change(context, before, given, stored, request)
        return commit_change(context, self.table, before, change)

    def _read(self, context: Context) -> tuple[dict[str, str], dict[str, str], ProtocolRequest]:
        """Return the properties as history shows them, those to store, and what they ask for."""
        given = validate(
            {k: v for k, v in self.properties.items() if k.lower() != _COMMENT},
            allow_unknown=context.settings.arbitrary_properties,
            any_retention=True,
        )
        request, stored = requested_protocol(given)
        return given, stored, request

    def _change(
        self,
        context: Context,
        before: Snapshot,
        given: Mapping[str, str],
        stored: Mapping[str, str],
        request: ProtocolRequest,
    ) -> Change:
        merged = {**before.configuration, **stored}
        if context.settings.compatible_retentions and _PERIODS & stored.keys():
            check_retentions(merged)
        check_combinations(merged, self.table.label)
        metadata = msgspec.structs.replace(
            before.metadata, configuration=merged, description=self._description(before.metadata)
        )
        metadata = with_mapping(metadata)
        protocol = upgraded(before.protocol, metadata, request)
        shown = {**given, **{k: v for k, v in self.properties.items() if k.lower() == _COMMENT}}
        operation = Operation("SET TBLPROPERTIES", {"properties": shown})
        check_writable(protocol, metadata, self.table.label)
        return Change(operation=operation, metadata=metadata, protocol=protocol)

    def _refuse(self) -> None:
        for key in self.properties:
            lowered = key.lower()
            if lowered.startswith(_CONSTRAINTS):
                raise DeltaUnsupportedOperationError("DELTA_ADD_CONSTRAINTS")
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
            if key.lower() == _COMMENT:
                return value
        return metadata.description


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetProperties:
    """UNSET TBLPROPERTIES; keys that are not set are passed over, as delta-spark does in SQL."""

    table: TableRef
    keys: Sequence[str]

    def run(self, context: Context) -> Snapshot:
        """Remove the properties in one commit.

        Raises:
            DeltaUnsupportedOperationError: DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE.
            DeltaAnalysisError: DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
        """
        before = self.table.log().latest()
        gone = {canonical_key(key) for key in self.keys}
        kept = {k: v for k, v in before.configuration.items() if k not in gone}
        may_remove = context.settings.mapping_removal
        check_mode_change(before.configuration, kept, may_remove=may_remove)
        if removes_mapping(before.configuration, kept):
            before = removed_mapping(context, self.table, before)
            kept = {k: v for k, v in before.configuration.items() if k not in gone}
            if len(gone) == 1:
                return before
        description = None if _COMMENT in gone else before.metadata.description
        metadata = msgspec.structs.replace(
            before.metadata, configuration=kept, description=description
        )
        metadata = with_mapping(metadata)
        protocol = upgraded(before.protocol, metadata)
        named = [canonical_key(key) for key in self.keys]
        parameters = {"properties": named, "ifExists": True}
        operation = Operation("UNSET TBLPROPERTIES", parameters)
        check_writable(protocol, metadata, self.table.label)
        change = Change(operation=operation, metadata=metadata, protocol=protocol)
        return commit_change(context, self.table, before, change)
