"""SHALLOW CLONE: checks the target, and makes one commit that names the files of the source.

No data file and no deletion vector is read or written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from puredelta.errors import DeltaIllegalStateError
from puredelta.maintenance.clone.definition import CloneDefinition, define_clone
from puredelta.maintenance.clone.foreign_files import ForeignFiles
from puredelta.maintenance.clone.report import (
    CloneMetrics,
    ClonePreview,
    version_shown,
    versions_of,
)
from puredelta.maintenance.clone.source import CloneSource
from puredelta.table.new_table import NewTableRules
from puredelta.table.protocol.protocol import check_writable, features_of
from puredelta.table.protocol.row_tracking import gives_ids
from puredelta.txn.commit_info import Operation
from puredelta.txn.streamed.change import stream_change
from puredelta.txn.streamed.first_version import stream_write
from puredelta.txn.transaction import Transaction

OPERATION = "CLONE"


@dataclass(frozen=True)
class Clone:
    """A clone that is to be made.

    Attributes:
        transaction: That of the target; its snapshot is the table that is replaced, None for a new
            one.
        source: What is cloned.
        properties: Table properties that the user gives.
        rules: What the session says of new tables.
        user_metadata: A text of the user's for history.

    >>> clone = Clone(transaction, source)  # doctest: +SKIP
    >>> print(clone.preview())  # doctest: +SKIP
    >>> clone.run().source_num_of_files  # doctest: +SKIP
    2
    """

    transaction: Transaction
    source: CloneSource
    properties: Mapping[str, str] = field(default_factory=dict)
    rules: NewTableRules = field(default_factory=lambda: NewTableRules(defaults={}))
    user_metadata: str | None = None

    def run(self) -> CloneMetrics:
        """Make the commit.

        Returns:
            What was done.

        Raises:
            DeltaIllegalStateError: DELTA_UNSUPPORTED_NON_EMPTY_CLONE.
            DeltaUnsupportedOperationError: DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS.
            ConcurrentWriteError: Another commit came first.
            DeltaError: What `define_clone` raises, or a rule that the clone would break; nothing
                was written.
        """
        self._check()
        if self.transaction.snapshot is None:
            self._create()
        else:
            self._replace()
        return self._metrics

    def preview(self) -> ClonePreview:
        """Check all that `run` checks, and report what it would do.

        Raises:
            DeltaError: As `run`.
        """
        self._check()
        definition = self._definition
        if self._gives_ids:
            for _ in self._files:  # which refuses files whose rows nobody counted
                pass
        return ClonePreview(
            table=self.transaction.table,
            replaces=self.transaction.snapshot is not None,
            source=self.source.label,
            source_version=version_shown(self.source.version),
            files=self.source.num_files,
            bytes=self.source.size,
            properties=dict(definition.metadata.configuration),
            protocol=versions_of(definition.protocol),
        )

    @cached_property
    def _definition(self) -> CloneDefinition:
        before = self.transaction.snapshot
        return define_clone(self.source, before, self.properties, self.rules)

    @cached_property
    def _files(self) -> ForeignFiles:
        return ForeignFiles(
            self.source.files,
            self.source.url,
            self.transaction.log.store.url,
            needs_row_counts=self._gives_ids,
            count=self.source.num_files,
        )

    @property
    def _gives_ids(self) -> bool:
        definition = self._definition
        features = features_of(definition.protocol)
        return gives_ids(features, definition.metadata.configuration)

    @property
    def _metrics(self) -> CloneMetrics:
        return CloneMetrics(
            source_table_size=self.source.size, source_num_of_files=self.source.num_files
        )

    @property
    def _operation(self) -> Operation:
        parameters = {"source": self.source.label, "sourceVersion": self.source.version}
        return Operation(OPERATION, parameters, self._metrics.for_history())

    def _check(self) -> None:
        before = self.transaction.snapshot
        if before is not None:
            check_writable(before.protocol, before.metadata, self.transaction.table)
            if before.num_files:
                raise DeltaIllegalStateError(
                    "DELTA_UNSUPPORTED_NON_EMPTY_CLONE",
                    tableName=self.transaction.table,
                    numFiles=before.num_files,
                )
        definition = self._definition
        check_writable(definition.protocol, definition.metadata, self.transaction.table)

    def _create(self) -> None:
        definition = self._definition
        stream_write(
            self.transaction,
            self._files,
            self._operation,
            metadata=definition.metadata,
            protocol=definition.protocol,
            actions=definition.domains,
            user_metadata=self.user_metadata,
        )

    def _replace(self) -> None:
        """Give an empty table the files of the source.

        There is one attempt, and it depends on the whole table: rows that another writer puts into
        the empty table must not be mixed with those of the source.
        """
        definition = self._definition
        stream_change(
            self.transaction,
            self._files,
            self._operation,
            metadata=definition.metadata,
            protocol=definition.protocol,
            actions=definition.domains,
            user_metadata=self.user_metadata,
        )
