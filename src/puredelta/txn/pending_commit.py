"""A commit before it lands: what was read, what is to be written, and under which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from puredelta.errors import DeltaIllegalArgumentError, DeltaIllegalStateError
from puredelta.log.actions import (
    Action,
    AddCdcFile,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
)
from puredelta.table.expressions.identity_columns import differs_in_high_water_marks_only
from puredelta.table.protocol.properties import ISOLATION_LEVEL
from puredelta.table.protocol.protocol import features_of
from puredelta.table.protocol.row_tracking import DOMAIN as ROW_TRACKING_DOMAIN
from puredelta.txn.commit_info import (
    BACKFILLS,
    SERIALIZABLE,
    SNAPSHOT_ISOLATION,
    WRITE_SERIALIZABLE,
)
from puredelta.txn.read_set import ReadSet

_LEVELS: Mapping[str, str] = {
    level.lower(): level for level in (SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION)
}


@dataclass(frozen=True)
class PendingCommit:
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
        domains: The metadata domains that were read.
        leaving: Features that are being dropped.
        loses_row_ids: Were rows rewritten without their ids in a table that now tracks them?
    """

    table: str
    operation: str
    reads: ReadSet
    actions: tuple[Action, ...]
    base_metadata: Metadata | None
    base_protocol: Protocol | None
    new_metadata: Metadata | None = None
    new_protocol: Protocol | None = None
    domains: Mapping[str, DomainMetadata] = field(default_factory=dict)
    leaving: frozenset[str] = frozenset()
    loses_row_ids: bool = False

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
        return [action for action in self.actions if isinstance(action, AddFile)]

    @cached_property
    def removes(self) -> list[RemoveFile]:
        """The files that it removes."""
        return [action for action in self.actions if isinstance(action, RemoveFile)]

    @property
    def is_blind_append(self) -> bool:
        """Does it only add files, and depend on none?"""
        others = any(isinstance(action, (RemoveFile, AddCdcFile)) for action in self.actions)
        return not others and not self.reads.depends_on_files

    @property
    def isolation(self) -> str:
        """What the table asks for; commits that only move rows may overlook files of others.

        Raises:
            DeltaIllegalArgumentError: The table asks for a level that there is not.
        """
        # A commit without a data change yields the same rows whatever others add, so it runs under
        # SnapshotIsolation whatever the table asks for, as in delta-spark.
        changes_table = self.new_metadata is not None or self.new_protocol is not None
        if not changes_table and all(_only_moves_rows(action) for action in self.actions):
            return SNAPSHOT_ISOLATION
        asked = self.metadata.configuration.get(ISOLATION_LEVEL.key, SERIALIZABLE)
        level = _LEVELS.get(asked.strip().lower())
        if level is None:
            raise DeltaIllegalArgumentError("DELTA_INVALID_ISOLATION_LEVEL", isolationLevel=asked)
        return level

    @property
    def is_backfill(self) -> bool:
        """Does it only give or take the row ids of files that are there?"""
        return self.operation in BACKFILLS

    @property
    def replaces_table(self) -> bool:
        """Does it put another table in the place of the one there?"""
        old, new = self.base_metadata, self.new_metadata
        return old is not None and new is not None and old.id != new.id

    @property
    def numbers_rows(self) -> bool:
        """Is its metadata only about the values that its own rows got in identity columns?"""
        old, new = self.base_metadata, self.new_metadata
        # Without new rows, as in SYNC IDENTITY, the high-water marks are what the user asked for.
        if old is None or new is None or not self.adds:
            return False
        return differs_in_high_water_marks_only(old, new)

    @property
    def features(self) -> frozenset[str]:
        """The table features after the commit."""
        return features_of(self.protocol)

    @cached_property
    def domains_after(self) -> dict[str, DomainMetadata]:
        """The metadata domains after the commit."""
        return {**self.domains, **{domain.domain: domain for domain in self.own_domains}}

    @property
    def own_domains(self) -> list[DomainMetadata]:
        """The metadata domains that it sets or ends."""
        return [action for action in self.actions if isinstance(action, DomainMetadata)]


def _only_moves_rows(action: Action) -> bool:
    if isinstance(action, (AddFile, RemoveFile, AddCdcFile)):
        return not action.data_change
    # The high-water mark of row ids follows the base at each attempt, so it conflicts with no one.
    return isinstance(action, DomainMetadata) and action.domain == ROW_TRACKING_DOMAIN
