"""Which changes of a table are asked for: by versions or times, as options or as arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.scan.change_feed import ChangeRange
from puredelta.engine.session.context import context_of
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.frontend.catalog.time_travel import check_retention, in_zone
from puredelta.log.listing import list_log
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode
from puredelta.table.statistics.datetime_text import zone_rules

_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_TIME_TRAVEL = ("versionasof", "timestampasof")
_END_VERSION = "endversion"
_FLAGS = ("readChangeFeed", "readChangeData")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One end of a range, itself a part of it: a version, or microseconds since 1970."""

    version: int | None = None
    micros: int | None = None


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """A range as a user writes it; without an end it is open."""

    start: Bound
    end: Bound | None = None

    def of(self, table: TableRef, session: SparkSession) -> tuple[Snapshot, ChangeRange]:
        """Return the range of a table's versions that is meant, and the schema to read them with.

        Raises:
            DeltaAnalysisError: DELTA_VERSION_INVALID, DELTA_VERSION_NOT_FOUND,
                DELTA_TIMESTAMP_GREATER_THAN_COMMIT, DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION,
                DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
            DeltaIllegalArgumentError: DELTA_CDC_START_VERSION_AFTER_LATEST,
                DELTA_INVALID_CDC_RANGE.
        """
        return _Resolving(table.log(), session).range(self)


def asks_for_changes(options: Mapping[str, str]) -> bool:
    """Say whether a reader asks for the changes of the table instead of its rows.

    Args:
        options: with lower-case keys.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION.
    """
    found = False
    for name in _FLAGS:
        asked = options.get(name.lower(), "false").lower()
        if asked not in {"true", "false"}:
            raise DeltaIllegalArgumentError(
                "DELTA_ILLEGAL_OPTION", input=asked, name=name, explain="must be 'true' or 'false'"
            )
        found = found or asked == "true"
    return found


def from_reader(options: Mapping[str, str], session: SparkSession) -> RequestedRange:
    """Read the range out of a reader's options.

    Args:
        options: with lower-case keys.
        session: whose time zone timestamps are in.

    Raises:
        DeltaAnalysisError: DELTA_NO_START_FOR_CDC_READ, DELTA_MULTIPLE_CDC_BOUNDARY,
            DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS, DELTA_VERSION_INVALID, DELTA_TIMESTAMP_INVALID.
    """
    if any(key in options for key in _TIME_TRAVEL):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS")
    start = _bound(options, "starting", session)
    if start is None:
        raise DeltaAnalysisError("DELTA_NO_START_FOR_CDC_READ")
    return RequestedRange(start, _bound(options, "ending", session))


def _bound(options: Mapping[str, str], which: str, session: SparkSession) -> Bound | None:
    version, time = options.get(f"{which}version"), options.get(f"{which}timestamp")
    if version is not None and time is not None:
        raise DeltaAnalysisError("DELTA_MULTIPLE_CDC_BOUNDARY", bound=which)
    if version is not None:
        if not _NUMBER.fullmatch(version):
            raise DeltaAnalysisError("DELTA_VERSION_INVALID", version=version)
        return Bound(version=int(version))
    return None if time is None else time_bound(time, session)


def time_bound(text: str, session: SparkSession) -> Bound:
    """Return the bound that a text names as a time.

    Raises:
        DeltaAnalysisError: DELTA_TIMESTAMP_INVALID.
    """
    micros = timestamp_micros(session, text)
    if micros is None:
        raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=text)
    return Bound(micros=micros)


class _Resolving:
    """Finds versions by times, under the session's rules for what lies beyond the newest."""

    def __init__(self, log: TableLog, session: SparkSession) -> None:
        self._log = log
        self._session = session
        self._zone = zone_rules(time_zone(session))
        settings = context_of(session).settings
        self._lenient = settings.changes_out_of_range
        self._mode = settings.change_schema_mode

    def range(self, asked: RequestedRange) -> tuple[Snapshot, ChangeRange]:
        latest = self._log.latest()
        start = self._start(asked.start)
        if start > latest.version:
            if not self._lenient:
                raise DeltaIllegalArgumentError(
                    "DELTA_CDC_START_VERSION_AFTER_LATEST", start=start, latest=latest.version
                )
            # A range that ends before it starts contains no version, so the read has no rows.
            return latest, ChangeRange(start=start, end=start - 1)
        end = None if asked.end is None else self._end(asked.end)
        if end is not None and end < start:
            self._check_empty(asked, start, end)
            return latest, ChangeRange(start=start, end=end)
        # The oldest version of the range is the first whose files VACUUM deletes.
        check_retention(self._log.at_version(start), latest, self._session)
        if end is None or not self._reads_by_end(latest):
            return latest, ChangeRange(start=start, end=end)
        # Later versions may have renamed or dropped columns: where columns are mapped, the columns
        # of the range's last version are the default.
        end = min(end, latest.version)
        return self._log.at_version(end), ChangeRange(start=start, end=end, schema_version=end)

    def _reads_by_end(self, latest: Snapshot) -> bool:
        """Say whether the columns are those of the last version that is read."""
        is_mapped = mapping_mode(latest.configuration) is not MappingMode.NONE
        return is_mapped and self._mode == _END_VERSION

    def _check_empty(self, asked: RequestedRange, start: int, end: int) -> None:
        """Between two commits there may be times, but a version does not end before it starts."""
        by_times = asked.start.version is None or (asked.end and asked.end.version is None)
        if not by_times or start != end + 1:
            raise DeltaIllegalArgumentError("DELTA_INVALID_CDC_RANGE", start=start, end=end)

    def _start(self, bound: Bound) -> int:
        """Return the first version at or after a bound."""
        if bound.version is not None:
            if bound.version < 0:
                raise DeltaAnalysisError("DELTA_VERSION_INVALID", version=bound.version)
            return bound.version
        # Commit times are whole milliseconds: a start is rounded up to the next of them, and an
        # end down, so that no version outside of the bounds is included.
        milliseconds = -(-(bound.micros or 0) // 1000)
        # Unless the session is lenient, this lookup raises for a time after the newest version.
        if not self._lenient and self._version_at(milliseconds) is None:
            return self._earliest
        # A version made exactly at the bound belongs to the range, so the version before the bound
        # is looked up and the range starts behind it.
        before = self._version_at(milliseconds - 1, can_be_after=True)
        return self._earliest if before is None else before + 1

    def _end(self, bound: Bound) -> int:
        """Return the last version at or before a bound."""
        if bound.version is not None:
            return bound.version
        milliseconds = (bound.micros or 0) // 1000
        return self._log.version_at(milliseconds, can_be_after=self._lenient, show=self._show)

    def _version_at(self, milliseconds: int, *, can_be_after: bool = False) -> int | None:
        """Return the newest version made up to a time; None where the first one was made later."""
        try:
            return self._log.version_at(milliseconds, can_be_after=can_be_after, show=self._show)
        except DeltaAnalysisError as error:
            # A time before the first version is a valid start: the range begins with that version.
            if error.condition != "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION":
                raise
            return None

    @property
    def _earliest(self) -> int:
        return list_log(self._log.store).earliest_readable() or 0

    def _show(self, milliseconds: int) -> str:
        return in_zone(milliseconds, self._zone)
