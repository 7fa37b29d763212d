"""ALTER TABLE ... SET and UNSET TBLPROPERTIES, and COMMENT ON TABLE."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec

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
from puredelta.table.properties import (
    COLUMN_MAPPING_MODE,
    DELETED_FILE_RETENTION,
    LOG_RETENTION,
    canonical_key,
    check_combinations,
    check_retentions,
    validate,
)
from puredelta.table.protocol import (
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
                DELTA_CANNOT_CHANGE_PROVIDER, DELTA_CANNOT_CHANGE_LOCATION.
            DeltaIllegalArgumentError: a value that the property does not take.
        """
        self._refuse()
        before = self.table.log().latest()
        given = validate(
            {k: v for k, v in self.properties.items() if k.lower() != _COMMENT},
            allow_unknown=context.settings.arbitrary_properties,
            any_retention=True,
        )
        request, stored = requested_protocol(given)
        check_versions_go_together(before.protocol, request)
        if turns_ids_on(before.configuration, {**before.configuration, **stored}):
            before = backfilled(before, partial(begin, context, self.table))
        merged = {**before.configuration, **stored}
        if context.settings.compatible_retentions and _PERIODS & stored.keys():
            check_retentions(merged)
        check_combinations(merged, self.table.label)
        _check_mapping(before.configuration, merged)
        metadata = msgspec.structs.replace(
            before.metadata, configuration=merged, description=self._description(before.metadata)
        )
        protocol = upgraded(before.protocol, metadata, request)
        shown = given | {k: v for k, v in self.properties.items() if k.lower() == _COMMENT}
        operation = Operation("SET TBLPROPERTIES", {"properties": shown})
        check_writable(protocol, metadata, self.table.label)
        change = Change(operation=operation, metadata=metadata, protocol=protocol)
        return commit_change(context, self.table, before, change)

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
        """Remove the properties in one commit."""
        before = self.table.log().latest()
        gone = {canonical_key(key) for key in self.keys}
        kept = {k: v for k, v in before.configuration.items() if k not in gone}
        description = None if _COMMENT in gone else before.metadata.description
        metadata = msgspec.structs.replace(
            before.metadata, configuration=kept, description=description
        )
        protocol = upgraded(before.protocol, metadata)
        named = [canonical_key(key) for key in self.keys]
        parameters = {"properties": named, "ifExists": True}
        operation = Operation("UNSET TBLPROPERTIES", parameters)
        check_writable(protocol, metadata, self.table.label)
        change = Change(operation=operation, metadata=metadata, protocol=protocol)
        return commit_change(context, self.table, before, change)


def _check_mapping(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Refuse a change of the column mapping mode that files cannot follow."""
    old, new = COLUMN_MAPPING_MODE.of(before), COLUMN_MAPPING_MODE.of(after)
    if old != new and (old, new) != ("none", "name"):
        raise DeltaUnsupportedOperationError(
            "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", oldMode=old, newMode=new
        )
