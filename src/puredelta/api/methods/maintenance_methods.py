"""The methods of `DeltaTable` for a table's versions and health, which change no row."""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from puredelta.commands.describe import DescribeHistory
from puredelta.commands.generate import Generate
from puredelta.commands.restore import RESULT, Restore
from puredelta.commands.table_ref import TableRef
from puredelta.commands.vacuum import VacuumTableCommand
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.maintenance.health.examination import examine_table
from puredelta.maintenance.health.report import TableHealth
from puredelta.maintenance.restore_preview import RestorePreview
from puredelta.maintenance.vacuum.preview import VacuumPreview


def restore_to_version(
    session: SparkSession, table: TableRef, version: int, *, dry_run: bool
) -> DataFrame | RestorePreview:
    """Restore a version; see `DeltaTable.restoreToVersion`."""
    _check(int, version, "version", "an int")
    return _restore(session, Restore(table=table, version=version), dry_run=dry_run)


def restore_to_timestamp(
    session: SparkSession, table: TableRef, timestamp: str, *, dry_run: bool
) -> DataFrame | RestorePreview:
    """Restore the version of a time; see `DeltaTable.restoreToTimestamp`."""
    _check(str, timestamp, "timestamp", "a str")
    return _restore(session, Restore(table=table, timestamp=timestamp), dry_run=dry_run)


def _restore(
    session: SparkSession, command: Restore, *, dry_run: bool
) -> DataFrame | RestorePreview:
    with shown():
        context = context_of(session)
        if dry_run:
            return command.preview(context)
        restored = command.run(context)
        rows = [] if restored.version is None else [restored.as_row()]
        return frame_of_rows(session, rows, RESULT)


def generate(session: SparkSession, table: TableRef, mode: str) -> None:
    """Write manifests; see `DeltaTable.generate`."""
    _check(str, mode, "mode", "a str")
    with shown():
        Generate(table=table, mode=mode).run(context_of(session))


def health(table: TableRef) -> TableHealth:
    """Report what can be better about a table; see `DeltaTable.health`."""
    with shown():
        return examine_table(table.log().latest(), table.label)


def vacuum(
    session: SparkSession, table: TableRef, retention_hours: object, *, dry_run: bool
) -> DataFrame | VacuumPreview:
    """Delete files that no version needs any more; see `DeltaTable.vacuum`."""
    if isinstance(retention_hours, bool) or not isinstance(retention_hours, int | float | None):
        raise TypeError(f"retentionHours needs to be a number but got '{type(retention_hours)}'.")
    with shown():
        context = context_of(session)
        command = VacuumTableCommand(table=table, retain_hours=retention_hours)
        if dry_run:
            return command.preview(context)
        done = command.run(context)
    sys.stdout.write(f"{done}\n")
    return frame_of_rows(session, [], StructType([]))


def _check(kind: type, value: Any, name: str, expected: str) -> None:
    if type(value) is not kind:
        # A ValueError, as delta-spark raises it.
        raise ValueError(f"{name} needs to be {expected} but got '{type(value)}'.")


def history(session: SparkSession, table: TableRef, limit: int | None) -> DataFrame:
    """Return the versions and their commits; see `DeltaTable.history`.

    Raises:
        TypeError: `limit` is no int.
    """
    if limit is not None and type(limit) is not int:
        raise TypeError(f"limit needs to be an int but got '{type(limit)}'.")
    return DescribeHistory(table=table, limit=limit).run(context_of(session))
