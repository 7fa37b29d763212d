"""ALTER TABLE ... DROP FEATURE: first what uses the feature goes, then the feature."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import msgspec
import pyarrow as pa

from puredelta._util.clock import now_ms
from puredelta.commands.alter.column_mapping import with_rewritten_files
from puredelta.commands.alter.commit import EMPTY, Change, commit_change
from puredelta.commands.alter.feature_cleanup import (
    PURGE,
    RETYPE,
    TRACES,
    check_feature_removable,
    files_of_older_types,
    is_clean,
)
from puredelta.commands.optimize.purge import Purge
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaError, DeltaTableFeatureError
from puredelta.log.actions import Action, DeletionVector, Protocol, RemoveFile
from puredelta.log.cleanup import MINUTE, clean_log, expiry
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import encode_path
from puredelta.table.deletion_vectors.vectors import vector_path
from puredelta.table.drop_feature import (
    PROTECTION,
    Removal,
    check_droppable,
    without_feature,
    without_traces,
)
from puredelta.table.protocol.properties import (
    LOG_RETENTION,
    PROTECTED_BEFORE,
    TRUNCATION_RETENTION,
)
from puredelta.table.protocol.protocol import check_writable
from puredelta.table.protocol.row_tracking import DOMAIN as ROW_TRACKING_DOMAIN
from puredelta.txn.commit_info import Operation
from puredelta.txn.feature_history import earliest_version, oldest_use
from puredelta.txn.post_commit import checkpoint_version

# So many versions with a checkpoint stand between the feature and readers that do not know it.
_BARRIERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFeature:
    """DROP FEATURE, with or without TRUNCATE HISTORY.

    Attributes:
        table: the table.
        feature: its name, spelled as the protocol spells it.
        truncates_history: delete the versions that use the feature, instead of keeping them behind
            a checkpoint.
    """

    table: TableRef
    feature: str
    truncates_history: bool = False

    def run(self, context: Context) -> Snapshot:
        """Drop the feature, in as many commits as it takes; return the last version.

        Raises:
            DeltaTableFeatureError: DELTA_FEATURE_DROP_*: it cannot be dropped, or not yet.
            DeltaAnalysisError: DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE.
            DeltaConcurrentModificationError: another writer changed the table at the same time.
        """
        before = self.table.log().latest()
        removal = check_droppable(before.protocol, self.feature, truncates=self.truncates_history)
        leaving = frozenset({self.feature})
        check_writable(before.protocol, before.metadata, self.table.label, leaving=leaving)
        check_feature_removable(self.feature, before)
        return _Dropping(self, context, removal).run(before)


@dataclass(frozen=True, slots=True)
class _Dropping:
    """One run of a DROP FEATURE that may be.

    Attributes:
        command: what was asked for.
        context: the world.
        removal: how the feature leaves.
    """

    command: DropFeature
    context: Context
    removal: Removal

    def run(self, version: Snapshot) -> Snapshot:
        # Traces go first: the protocol must list the feature as long as a live file or the metadata
        # uses it.
        version, leaves_history = self._clean(version)
        # Protocol: Table Features. A writer feature is no obstacle to reading older versions.
        if not self.removal.protects_history:
            return self._drop(version)
        if self._is_behind_checkpoints:
            version = self._kept_vectors(version)
            for _ in range(_BARRIERS):
                version = self._barrier(version)
            return self._checkpointed(self._drop(version, protect=True))
        if self.context.settings.fast_drop_feature:
            version = self._kept_vectors(version)
        version = self._barrier(version)
        # The versions up to now used the feature and have not expired; the statement is to be run
        # again after the retention. What was cleaned stays clean.
        if leaves_history:
            raise self._not_yet("DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD", version)
        self._truncate(version)
        return self._drop(self._unprotected(version))

    @property
    def _is_behind_checkpoints(self) -> bool:
        """Does the history stay, with a checkpoint in front of it?"""
        return not self.command.truncates_history and self.context.settings.fast_drop_feature

    def _clean(self, version: Snapshot) -> tuple[Snapshot, bool]:
        """Remove all traces of the feature; return whether older versions still have them."""
        leaves_history = False
        for trace in TRACES.get(self.command.feature, ()):
            change = trace(version)
            if change is not None:
                version = self._removed(version, change)
                leaves_history |= change.leaves_history
        return version, leaves_history

    def _removed(self, version: Snapshot, change: Change) -> Snapshot:
        # REORG makes commits of its own, so the new version is read from the log.
        if change is PURGE:
            Purge(table=self.command.table).run(self.context)
        elif change is RETYPE:
            Purge(table=self.command.table, choose=_of_older_types).run(self.context)
        else:
            return self._commit(version, self._with_files(version, change))
        return self.command.table.log().latest()

    def _with_files(self, version: Snapshot, change: Change) -> Change:
        if self.command.feature != "columnMapping":
            return change
        return with_rewritten_files(self.context, self.command.table, version, change)

    def _kept_vectors(self, version: Snapshot) -> Snapshot:
        if self.command.feature != "deletionVectors":
            return version
        return self._commit(version, _vector_tombstones(version))

    def _barrier(self, version: Snapshot) -> Snapshot:
        return self._checkpointed(self._commit(version, EMPTY))

    def _checkpointed(self, version: Snapshot) -> Snapshot:
        """Put a checkpoint on a version.

        Raises:
            DeltaTableFeatureError: DELTA_FEATURE_DROP_CHECKPOINT_FAILED.
        """
        try:
            checkpoint_version(version, now_ms(), self.context.settings.commit)
        # Without the checkpoint a reader would have to replay commits that use the feature, so it
        # is no failure to be logged only, as after other commits.
        except (DeltaError, OSError, ValueError, pa.ArrowException) as reason:
            raise DeltaTableFeatureError(
                "DELTA_FEATURE_DROP_CHECKPOINT_FAILED", featureName=self.command.feature
            ) from reason
        return self.command.table.log().latest()

    def _truncate(self, version: Snapshot) -> None:
        """Delete the history that has expired; what is left must not need the feature.

        Raises:
            DeltaTableFeatureError: DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST,
                DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD.
        """
        log, configuration = self.command.table.log(), version.configuration
        protected = PROTECTED_BEFORE.of(configuration)
        if self.command.truncates_history:
            retention = TRUNCATION_RETENTION.of(configuration)
            clean_log(log.store, expiry(now_ms(), retention, MINUTE), protected_before=protected)
        if self.command.feature == PROTECTION and earliest_version(log) < protected:
            raise DeltaTableFeatureError(
                "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
                truncateHistoryLogRetentionPeriod=_shown(TRUNCATION_RETENTION.of(configuration)),
            )
        if oldest_use(log, self.removal.uses) is not None:
            raise self._not_yet("DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST", version)

    def _unprotected(self, version: Snapshot) -> Snapshot:
        key = PROTECTED_BEFORE.key
        if self.command.feature != PROTECTION or key not in version.configuration:
            return version
        kept = {k: v for k, v in version.configuration.items() if k != key}
        metadata = msgspec.structs.replace(version.metadata, configuration=kept)
        operation = Operation("UNSET TBLPROPERTIES", {"properties": [key], "ifExists": True})
        return self._commit(version, Change(operation=operation, metadata=metadata))

    def _drop(self, version: Snapshot, *, protect: bool = False) -> Snapshot:
        """Take the feature out of the protocol.

        Raises:
            DeltaTableFeatureError: DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL.
        """
        name = self.command.feature
        parameters = {"featureName": name, "truncateHistory": self.command.truncates_history}
        return self._commit(
            version,
            Change(
                operation=Operation("DROP FEATURE", parameters),
                metadata=without_traces(
                    version.metadata, self.removal, version.version + 1 if protect else None
                ),
                protocol=self._smaller(version.protocol, protect=protect),
                actions=self._ended_domains(version),
            ),
        )

    def _smaller(self, protocol: Protocol, *, protect: bool) -> Protocol:
        return without_feature(protocol, self.command.feature, protect=protect)

    def _ended_domains(self, version: Snapshot) -> Sequence[Action]:
        if self.command.feature != "rowTracking":
            return ()
        found = version.domains.get(ROW_TRACKING_DOMAIN)
        if found is None or found.removed:
            return ()
        return [msgspec.structs.replace(found, removed=True)]

    def _commit(self, version: Snapshot, change: Change) -> Snapshot:
        # A writer that still knew the feature can have used it between the clean-up and the drop.
        drops = change.protocol is not None
        feature = self.command.feature
        return commit_change(
            self.context,
            self.command.table,
            version,
            replace(change, leaving=frozenset({feature})),
            recheck=(lambda newer: is_clean(feature, newer)) if drops else None,
        )

    def _not_yet(self, condition: str, version: Snapshot) -> DeltaTableFeatureError:
        configuration = version.configuration
        return DeltaTableFeatureError(
            condition,
            feature=self.command.feature,
            logRetentionPeriodKey=LOG_RETENTION.key,
            logRetentionPeriod=_shown(LOG_RETENTION.of(configuration)),
            truncateHistoryLogRetentionPeriod=_shown(TRUNCATION_RETENTION.of(configuration)),
        )


def _of_older_types(target: WriteTarget, files: pa.Table) -> pa.Table:
    return files_of_older_types(target.before, files, target.table.options)


def _shown(period: timedelta) -> str:
    """Write a period as users write it.

    >>> _shown(timedelta(hours=36))
    '36 hours'
    """
    seconds = int(period.total_seconds())
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds % length == 0 and (seconds >= 2 * length or unit == "hours"):
            return f"{seconds // length} {unit}"
    return f"{seconds} seconds"


# ------------------------------------------------------------------- tombstones of deletion vectors


def _vector_tombstones(before: Snapshot) -> Change:
    """Return the commit that keeps the vectors of all removed files, if there are any."""
    tombstones = before.tombstones()
    buried = set(tombstones["path"].to_pylist())
    vectors = tombstones["deletion_vector"].drop_null().to_pylist()
    root = before.store.url
    found = {_inside(root, msgspec.convert(vector, DeletionVector)) for vector in vectors}
    removes = [
        RemoveFile(path=encode_path(path), deletion_timestamp=now_ms(), data_change=False)
        for path in sorted(path for path in found if path is not None and path not in buried)
    ]
    operation = Operation("Deletion Vector Tombstones")
    return Change(operation=operation, actions=removes)


def _inside(root: str, vector: DeletionVector) -> str | None:
    """Return the path of a vector's file as the log has it; None for one that has no file."""
    url = vector_path(root, vector)
    return url if url is None else url.removeprefix(root + "/")
