"""ALTER TABLE ... SET and UNSET TBLPROPERTIES, and COMMENT ON TABLE."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from puredelta.commands.table_ref import TableRef
from puredelta.engine.context import Context
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import Metadata, Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.table.properties import canonical_key, check_retentions, validate
from puredelta.table.protocol import check_writable, requested_protocol, upgraded
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

_CONSTRAINTS = "delta.constraints."
_COMMENT = "comment"


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
        )
        request, stored = requested_protocol(given)
        merged = {**before.configuration, **stored}
        check_retentions(merged)
        metadata = msgspec.structs.replace(
            before.metadata, configuration=merged, description=self._description(before.metadata)
        )
        protocol = upgraded(before.protocol, metadata, request)
        shown = given | {k: v for k, v in self.properties.items() if k.lower() == _COMMENT}
        operation = Operation("SET TBLPROPERTIES", {"properties": shown})
        return _commit(context, self.table, before, metadata, protocol, operation)

    def _refuse(self) -> None:
        for key in self.properties:
            lowered = key.lower()
            if lowered.startswith(_CONSTRAINTS):
                raise DeltaUnsupportedOperationError("DELTA_ADD_CONSTRAINTS")
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
        parameters = {"properties": list(self.keys), "ifExists": True}
        operation = Operation("UNSET TBLPROPERTIES", parameters)
        return _commit(context, self.table, before, metadata, protocol, operation)


def _commit(
    context: Context,
    table: TableRef,
    before: Snapshot,
    metadata: Metadata,
    protocol: Protocol,
    operation: Operation,
) -> Snapshot:
    check_writable(protocol, metadata, table.label)
    transaction = Transaction(table.log(), before, engine=context.engine, table=table.label)
    return transaction.commit(
        [],
        operation,
        metadata=metadata,
        protocol=protocol if protocol != before.protocol else None,
        user_metadata=context.settings.user_metadata,
    ).snapshot
