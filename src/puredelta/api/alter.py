"""A change of a table, asked for in Python: made, or only shown."""

from __future__ import annotations

from typing import Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from puredelta.api.dry_run import DryRun, dry_run_of
from puredelta.commands.alter.commit import Alteration
from puredelta.commands.alter.constraint_proof import prove_condition
from puredelta.commands.alter.preview import preview
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context, context_of
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.log.snapshot import Snapshot
from puredelta.table.expressions.constraints import constraints_of

_CONSTRAINTS = StructType(
    [StructField(name, StringType(), nullable=False) for name in ("name", "expression", "state")]
)

VALIDATED, NOT_VALIDATED = "validated", "not validated"
"""Do the rows that were there before a constraint meet it?"""


class PlannedCommand(Alteration, Protocol):
    """A statement of ALTER TABLE."""

    def run(self, context: Context) -> Snapshot:
        """Commit it."""


def change(
    session: SparkSession,
    table: TableRef,
    command: PlannedCommand,
    *,
    dry_run: bool,
    condition: str | None = None,
) -> DryRun | None:
    """Make a change, or tell what it would do.

    Args:
        session: where it runs.
        table: what it changes.
        command: the change.
        dry_run: only tell.
        condition: what the rows that are there must meet, in SQL; for a dry run they are not read.
    """
    context = context_of(session)
    if not dry_run:
        command.run(context)
        return None
    before = table.log().latest()
    found = preview(before, command.plan(context, before))
    rows = condition and prove_condition(context, table, before, condition, scan=False)
    return dry_run_of(table.label, found, rows or None)


def constraint_rows(session: SparkSession, table: TableRef) -> DataFrame:
    """Return the CHECK constraints of a table, a row each: name, expression, state."""
    rows = [
        {
            "name": constraint.name,
            "expression": constraint.expression,
            "state": VALIDATED if constraint.is_validated else NOT_VALIDATED,
        }
        for constraint in constraints_of(table.log().latest().configuration)
    ]
    return frame_of_rows(session, rows, _CONSTRAINTS)
