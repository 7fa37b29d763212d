"""The method of `DeltaTable` that deletes files which no version needs any more."""

from __future__ import annotations

import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from puredelta.commands.table_ref import TableRef
from puredelta.commands.vacuum import VacuumTableCommand
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import context_of
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.maintenance.vacuum.preview import VacuumPreview


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
