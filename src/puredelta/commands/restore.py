"""RESTORE as a value: a table and a version or time become a plan, and the plan a commit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.restore import (
    Restored,
    RestorePlan,
    check_files_exist,
    commit_restore,
    outcome_of,
    plan_restore,
)
from puredelta.maintenance.restore_preview import RestorePreview, restore_preview
from puredelta.maintenance.restore_target import (
    check_not_expired,
    version_to_restore,
    version_to_restore_at,
)
from puredelta.table.statistics.datetime_text import zone_rules

RESULT = StructType(
    [
        StructField(name, LongType())
        for name in (
            "table_size_after_restore",
            "num_of_files_after_restore",
            "num_removed_files",
            "num_restored_files",
            "removed_files_size",
            "restored_files_size",
        )
    ]
)
"""The columns of the result, as delta-spark has them."""

_IGNORE_MISSING = "spark.sql.files.ignoreMissingFiles"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """RESTORE TABLE: an older version becomes the newest.

    Attributes:
        table: the table.
        version: the version to go back to; None where a time is given.
        timestamp: the time whose latest version is meant, as the session writes times.
    """

    table: TableRef
    version: int | None = None
    timestamp: str | None = None

    def run(self, context: Context) -> Restored:
        """Restore the version, in one commit; none is made where the table is at it already.

        Raises:
            DeltaAnalysisError: DELTA_CANNOT_RESTORE_TABLE_VERSION,
                DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER, DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER,
                DELTA_TIMESTAMP_INVALID,
                DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
            DeltaIllegalArgumentError: PUREDELTA_RESTORE_FILES_MISSING.
            DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            ConcurrentWriteError: another commit came first.
        """
        micros = self._micros(context.session)
        plan = self._planned(context, micros)
        if not plan.has_effect:
            return outcome_of(plan)
        if not _ignores_missing(context.session):
            check_files_exist(plan, self.table.options)
        parameters = {"version": self.version, "timestamp": _history_time(context, micros)}
        transaction = begin(context, self.table, plan.before)
        restored = commit_restore(transaction, plan, parameters, context.settings.user_metadata)
        refresh_caches(context.session, self.table.root)
        return restored

    def preview(self, context: Context) -> RestorePreview:
        """Return what a run would do; see `run` for what it raises, but for missing files."""
        plan = self._planned(context, self._micros(context.session))
        return restore_preview(plan, self.table.options)

    def _planned(self, context: Context, micros: int | None) -> RestorePlan:
        before = self.table.log().latest()
        target = self._target(context, before, micros)
        if context.settings.enforce_retention:
            check_not_expired(target, before)
        lowers = context.settings.restore_lowers_protocol
        return plan_restore(self.table.label, before, target, lowers_protocol=lowers)

    def _target(self, context: Context, before: Snapshot, micros: int | None) -> Snapshot:
        log = self.table.log()
        if self.version is not None:
            return version_to_restore(log, self.version)
        if micros is None:
            return before
        return version_to_restore_at(
            log, micros // 1000, lambda ms: _time_text(context.session, ms * 1000)
        )

    def _micros(self, session: SparkSession) -> int | None:
        if self.timestamp is None:
            return None
        micros = timestamp_micros(session, self.timestamp)
        if micros is None:
            raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=self.timestamp)
        return micros


def _ignores_missing(session: SparkSession) -> bool:
    return session.conf.get(_IGNORE_MISSING, "false") == "true"


def _history_time(context: Context, micros: int | None) -> str | None:
    return None if micros is None else _time_text(context.session, micros)


def _time_text(session: SparkSession, micros: int) -> str:
    """Write a time in the session's zone as history shows it: at least one digit of a second."""
    moment = (_EPOCH + timedelta(microseconds=micros)).astimezone(zone_rules(time_zone(session)))
    seconds, _, fraction = moment.strftime("%Y-%m-%d %H:%M:%S.%f").partition(".")
    return f"{seconds}.{fraction.rstrip('0') or '0'}"
