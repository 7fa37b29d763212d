"""What a change of a table would do, reported without doing it: the dry run of ALTER TABLE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from puredelta.commands.alter.commit import Change
from puredelta.log.actions import Protocol
from puredelta.log.snapshot import Snapshot
from puredelta.table.columns.schema_diff import SchemaDifference, schema_differences
from puredelta.table.protocol.known_readers import KnownReader, readers_lost
from puredelta.table.protocol.protocol import features_of, schema_of, upgrade


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """What would become of one table property.

    Attributes:
        key: the property.
        before: its value; None where it is not set.
        after: its value; None where it is taken away.
    """

    key: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.key}: set to {self.after}"
        if self.after is None:
            return f"{self.key}: removed, it was {self.before}"
        return f"{self.key}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a change would do.

    Attributes:
        version: the version that it would be made on.
        operation: what history would show; None where nothing would be committed.
        columns: what would become of columns.
        properties: what would become of table properties.
        before: the protocol.
        after: the protocol that the table would have.
        losing: readers that could no longer read it.
    """

    version: int
    operation: str | None
    columns: tuple[SchemaDifference, ...]
    properties: tuple[PropertyChange, ...]
    before: Protocol
    after: Protocol
    losing: tuple[KnownReader, ...]

    @property
    def features_added(self) -> tuple[str, ...]:
        """The features that the protocol would get."""
        return tuple(sorted(features_of(self.after) - features_of(self.before)))

    @property
    def features_removed(self) -> tuple[str, ...]:
        """The features that the protocol would lose."""
        return tuple(sorted(features_of(self.before) - features_of(self.after)))


def preview(before: Snapshot, change: Change | None) -> Preview:
    """Return what a change would do.

    Args:
        before: the version that it was planned on.
        change: what would be committed; None for nothing.
    """
    metadata = (change and change.metadata) or before.metadata
    protocol = (change and change.protocol) or upgrade(before.protocol, metadata)
    return Preview(
        version=before.version,
        operation=None if change is None else change.operation.name,
        columns=schema_differences(before.schema, schema_of(metadata)),
        properties=_properties(before.configuration, metadata.configuration),
        before=before.protocol,
        after=protocol,
        losing=readers_lost(before.protocol, protocol),
    )


def _properties(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[PropertyChange, ...]:
    keys = sorted(before.keys() | after.keys())
    both = ((key, before.get(key), after.get(key)) for key in keys)
    return tuple(PropertyChange(key, old, new) for key, old, new in both if old != new)
