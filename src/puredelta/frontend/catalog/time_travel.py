"""Which version a query asks for: VERSION AS OF, TIMESTAMP AS OF, options, `path@v1`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo

from pyspark.sql import SparkSession

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import context_of
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.session.spark_objects import timestamp_micros
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.restore_target import check_not_expired
from puredelta.table.statistics.datetime_text import zone_rules

# 18 digits fit a long, whatever they are.
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_AT = re.compile(r"(.*)@(?:[vV](\d+)|(\d{17}))", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTravel:
    """A version, or a time whose latest version is wanted; neither means the newest.

    Attributes:
        version: the version.
        micros: microseconds since 1970.
    """

    version: int | None = None
    micros: int | None = None

    def __bool__(self) -> bool:
        return self.version is not None or self.micros is not None

    def of(self, table: TableRef, session: SparkSession) -> Snapshot:
        """Return the version of a table that is meant.

        Raises:
            DeltaAnalysisError: DELTA_VERSION_NOT_FOUND,
                DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION, DELTA_TIMESTAMP_GREATER_THAN_COMMIT,
                DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
        """
        log = table.log()
        if self.version is not None:
            found = log.at_version(self.version)
        elif self.micros is not None:
            zone = zone_rules(time_zone(session))
            found = log.at_timestamp(self.micros // 1000, show=lambda ms: in_zone(ms, zone))
        else:
            return log.latest()
        check_retention(found, log.latest(), session)
        return found


NEWEST = TimeTravel()


def from_options(options: Mapping[str, str], session: SparkSession) -> TimeTravel:
    """Read `versionAsOf` and `timestampAsOf`.

    Args:
        options: with lower-case keys.
        session: whose time zone a timestamp is in.

    Raises:
        DeltaIllegalArgumentError: DELTA_ONEOF_IN_TIMETRAVEL, DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE.
        DeltaAnalysisError: DELTA_TIMESTAMP_INVALID.
    """
    version, timestamp = options.get("versionasof"), options.get("timestampasof")
    if version is not None and timestamp is not None:
        raise DeltaIllegalArgumentError("DELTA_ONEOF_IN_TIMETRAVEL")
    if version is not None:
        return TimeTravel(version=version_number(version))
    if timestamp is not None:
        micros = timestamp_micros(session, timestamp)
        if micros is None:
            raise DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=timestamp)
        return TimeTravel(micros=micros)
    return NEWEST


def from_path(path: str, session: SparkSession) -> tuple[str, TimeTravel]:
    """Split `path@v12` or `path@yyyyMMddHHmmssSSS` into the path and the version or time."""
    found = _AT.fullmatch(path)
    if found is None or not context_of(session).settings.versions_in_names:
        return path, NEWEST
    if found[2] is not None:
        return found[1], TimeTravel(version=int(found[2]))
    text = found[3]
    # strptime has no directive for milliseconds, so the last three digits are added below.
    try:
        moment = datetime.strptime(text[:14], "%Y%m%d%H%M%S")  # noqa: DTZ007  # the zone follows
    except ValueError as error:
        raise DeltaAnalysisError(
            "DELTA_INVALID_TIMESTAMP_FORMAT", timestamp=text, format="yyyyMMddHHmmssSSS"
        ) from error
    zone = zone_rules(time_zone(session))
    seconds = int(moment.replace(tzinfo=zone).timestamp())
    return found[1], TimeTravel(micros=(seconds * 1000 + int(text[14:])) * 1000)


def version_number(text: str) -> int:
    """Read a version.

    Raises:
        DeltaIllegalArgumentError: DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE when it is no number.
    """
    if not _NUMBER.fullmatch(text):
        raise DeltaIllegalArgumentError(
            "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE", timeTravelKey="versionAsOf"
        )
    return int(text)


def check_retention(found: Snapshot, latest: Snapshot, session: SparkSession) -> None:
    """Refuse a version whose files VACUUM may have deleted; the newest is never refused.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION.
    """
    try:
        check_not_expired(found, latest)
    except DeltaAnalysisError:
        # The settings of a session cost a round trip, which most reads of old versions save.
        if context_of(session).settings.enforce_retention:
            raise


def in_zone(milliseconds: int, zone: tzinfo) -> str:
    """Write a time as errors show it."""
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
