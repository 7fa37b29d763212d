"""What a VACUUM is asked to do, and from which time on a file is kept."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.store import ObjectInfo
from puredelta.table.protocol.properties import DELETED_FILE_RETENTION

_log = logging.getLogger(__name__)

FULL, LITE, INVENTORY = "FULL", "LITE", "INVENTORY"
"""Where the candidates come from: a listing of the folder, the log, or a list of the user's."""

_MILLISECOND = timedelta(milliseconds=1)
_HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class InventoryEntry:
    """A row of an inventory: a file or folder that the user has listed.

    Attributes:
        url: Its URL, in which nothing is escaped: `file:/t/a.parquet`.
        info: Size and time of a file, under a name that is not used.
        is_folder: Whether it is a folder.
    """

    url: str
    info: ObjectInfo
    is_folder: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumRequest:
    """What a VACUUM is asked to do.

    Attributes:
        lite: True to take the candidates from the log, False to list the folder; None as the
            settings say.
        retain_hours: For how long files stay that are in no newer version; None as the table says.
        inventory: The files of the folder, in place of a listing.
    """

    lite: bool | None = None
    retain_hours: float | None = None
    inventory: Iterable[InventoryEntry] | None = None

    def kind(self, settings: VacuumSettings) -> str:
        """Return where the candidates come from: `FULL`, `LITE` or `INVENTORY`."""
        if self.inventory is not None:
            return INVENTORY
        is_lite = settings.vacuum_lite if self.lite is None else self.lite
        return LITE if is_lite else FULL


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """For how long files are kept.

    Attributes:
        since_ms: Versions that were the latest at this time or later stay readable, in
            milliseconds since 1970.
        of_table_ms: The table's retention.
        specified_ms: The retention that the user named, where it has an effect.
    """

    since_ms: int
    of_table_ms: int
    specified_ms: int | None

    @property
    def since(self) -> datetime:
        """The time from which on versions stay readable."""
        # Retentions of thousands of years are accepted, and the calendar begins in the year 1.
        since_ms = max(self.since_ms, -62_135_596_800_000)
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + since_ms * _MILLISECOND


def retention_of(
    request: VacuumRequest,
    configuration: Mapping[str, str],
    settings: VacuumSettings,
    now_ms: int,
) -> Retention:
    """Return for how long files are kept.

    A part of an hour counts as a whole one: that keeps more, never less, than the user asked.

    Args:
        request: The VACUUM.
        configuration: The table's properties.
        settings: What the session says.
        now_ms: The time, in milliseconds since 1970.

    Raises:
        DeltaIllegalArgumentError: DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE, or
            DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT: shorter than the table's, and the check is on.
        ValueError: The number of hours is not finite.

    >>> retention_of(VacuumRequest(retain_hours=167.5), {}, VacuumSettings(), 0).specified_ms
    604800000
    """
    of_table = DELETED_FILE_RETENTION.of(configuration) // _MILLISECOND
    specified = _specified(request.retain_hours, settings)
    if specified is None:
        return Retention(since_ms=now_ms - of_table, of_table_ms=of_table, specified_ms=None)
    if specified < 0:
        raise DeltaIllegalArgumentError("DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE")
    if specified < of_table and settings.retention_check:
        raise DeltaIllegalArgumentError(
            "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
            configuredRetentionHours=math.ceil(of_table / _HOUR_MS),
        )
    return Retention(since_ms=now_ms - specified, of_table_ms=of_table, specified_ms=specified)


def _specified(hours: float | None, settings: VacuumSettings) -> int | None:
    if hours is None:
        return None
    if not math.isfinite(hours):
        raise ValueError(f"The hours of a retention need to be a number but got {hours}.")
    # Rounding -0.5 up would make a valid 0 of it, under which everything may go.
    whole = math.ceil(hours) if hours >= 0 else math.floor(hours)
    if settings.other_retentions_ignored and whole:
        _log.warning(
            "RETAIN %s HOURS has no effect: spark.databricks.delta.vacuum.retentionWindowIgnore"
            ".enabled is true, so delta.deletedFileRetentionDuration decides",
            hours,
        )
        return None
    return whole * _HOUR_MS
