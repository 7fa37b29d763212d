"""The methods of `DeltaTable` that change what a table is: its columns, rules and properties.

delta-spark has most of them in SQL alone. Those with `dry_run` can return what they would do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from puredelta.api.dry_run import DryRun, dry_run_of
from puredelta.commands.alter.add_columns import AddColumns, NewColumn
from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand, ColumnChange
from puredelta.commands.alter.commit import Alteration
from puredelta.commands.alter.constraint_proof import prove_condition
from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.alter.drop_columns import DropColumns
from puredelta.commands.alter.drop_feature import DropFeature
from puredelta.commands.alter.preview import preview
from puredelta.commands.alter.properties import SetProperties, UnsetProperties
from puredelta.commands.alter.replace_columns import ReplaceColumns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import Context, context_of
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.frontend.column_arguments import (
    Columns,
    RequestedColumn,
    renamed_column,
    requested_column,
    requested_columns,
)
from puredelta.log.snapshot import Snapshot
from puredelta.schema import datatypes
from puredelta.schema.column_path import parse_path
from puredelta.table.expressions.constraints import constraints_of, find_constraint

VALIDATED, NOT_VALIDATED = "validated", "not validated"
"""Whether the rows that are older than a constraint are known to meet it."""

_CONSTRAINTS = StructType(
    [StructField(name, StringType(), nullable=False) for name in ("name", "expression", "state")]
)
_KINDS = {int: "an integer", str: "a string", bool: "a boolean"}


class PlannedCommand(Alteration, Protocol):
    """A statement of ALTER TABLE."""

    def run(self, context: Context) -> Snapshot:
        """Commit it."""


# ------------------------------------------------------------------------------------ constraints


def constraint_rows(session: SparkSession, table: TableRef) -> DataFrame:
    """Return the CHECK constraints, a row each; see `DeltaTable.constraints`."""
    with shown():
        rows = [
            {
                "name": constraint.name,
                "expression": constraint.expression,
                "state": VALIDATED if constraint.is_validated else NOT_VALIDATED,
            }
            for constraint in constraints_of(table.log().latest().configuration)
        ]
        return frame_of_rows(session, rows, _CONSTRAINTS)


def add_constraint(
    session: SparkSession,
    table: TableRef,
    name: str,
    expression: str,
    *,
    not_valid: bool,
    dry_run: bool,
) -> DryRun | None:
    """Add a CHECK constraint; see `DeltaTable.addConstraint`."""
    command = AlterTableAddConstraintDeltaCommand(
        table=table, name=name, expr_text=expression, not_valid=not_valid
    )
    # NOT VALID checks later rows only, so a dry run has no existing rows to report on.
    condition = None if not_valid else expression
    return run_or_preview(session, table, command, dry_run=dry_run, condition=lambda _: condition)


def drop_constraint(
    session: SparkSession, table: TableRef, name: str, *, if_exists: bool, dry_run: bool
) -> DryRun | None:
    """Drop a CHECK constraint; see `DeltaTable.dropConstraint`."""
    command = AlterTableDropConstraintDeltaCommand(table=table, name=name, if_exists=if_exists)
    return run_or_preview(session, table, command, dry_run=dry_run)


def validate_constraint(
    session: SparkSession, table: TableRef, name: str, *, dry_run: bool
) -> DryRun | None:
    """Check rows against a constraint; see `DeltaTable.validateConstraint`."""
    command = AlterTableValidateConstraintDeltaCommand(table=table, name=name)

    def condition(before: Snapshot) -> str | None:
        # The command itself refuses a name that no constraint has.
        found = find_constraint(before.configuration, name)
        return None if found is None else found.expression

    return run_or_preview(session, table, command, dry_run=dry_run, condition=condition)


# ---------------------------------------------------------------------------------------- columns


def add_columns(
    session: SparkSession, table: TableRef, columns: Columns, *, dry_run: bool
) -> DryRun | None:
    """Add columns at the end; see `DeltaTable.addColumns`."""
    with shown():
        new = tuple(NewColumn(field=field) for field in requested_columns(columns))
        command = AddColumns(table=table, columns=new)
        return run_or_preview(session, table, command, dry_run=dry_run)


def drop_columns(
    session: SparkSession, table: TableRef, names: Sequence[str], *, if_exists: bool, dry_run: bool
) -> DryRun | None:
    """Drop columns or fields of structs; see `DeltaTable.dropColumns`."""
    with shown():
        paths = [parse_path(name) for name in names]
        command = DropColumns(table=table, columns=paths, if_exists=if_exists)
        return run_or_preview(session, table, command, dry_run=dry_run)


def rename_column(
    session: SparkSession, table: TableRef, name: str, new_name: str, *, dry_run: bool
) -> DryRun | None:
    """Rename a column or a field of a struct; see `DeltaTable.renameColumn`."""
    return _change_column(
        session, table, lambda schema: renamed_column(schema, name, new_name), dry_run=dry_run
    )


def alter_column(
    session: SparkSession, table: TableRef, name: str, wanted: RequestedColumn, *, dry_run: bool
) -> DryRun | None:
    """Change a column or what is inside one; see `DeltaTable.alterColumn`."""
    return _change_column(
        session, table, lambda schema: requested_column(schema, name, wanted), dry_run=dry_run
    )


def replace_columns(
    session: SparkSession, table: TableRef, columns: Columns, *, dry_run: bool
) -> DryRun | None:
    """Give a table another list of columns; see `DeltaTable.replaceColumns`."""
    with shown():
        command = ReplaceColumns(table=table, columns=requested_columns(columns))
        return run_or_preview(session, table, command, dry_run=dry_run)


def _change_column(
    session: SparkSession,
    table: TableRef,
    wanted: Callable[[datatypes.StructType], ColumnChange],
    *,
    dry_run: bool,
) -> DryRun | None:
    with shown():
        command = AlterTableChangeColumnsDeltaCommand(
            table=table, changes=lambda schema: (wanted(schema),)
        )
        return run_or_preview(session, table, command, dry_run=dry_run)


# ----------------------------------------------------------------------------- properties, features


def set_properties(
    session: SparkSession, table: TableRef, properties: Mapping[str, str], *, dry_run: bool
) -> DryRun | None:
    """Set table properties; see `DeltaTable.setProperties`."""
    command = SetProperties(table=table, properties=properties)
    return run_or_preview(session, table, command, dry_run=dry_run)


def unset_properties(
    session: SparkSession, table: TableRef, keys: Sequence[str], *, dry_run: bool
) -> DryRun | None:
    """Remove table properties; see `DeltaTable.unsetProperties`."""
    command = UnsetProperties(table=table, keys=keys)
    return run_or_preview(session, table, command, dry_run=dry_run)


def upgrade_protocol(
    session: SparkSession, table: TableRef, reader_version: int, writer_version: int
) -> None:
    """Raise the protocol to at least these versions; see `DeltaTable.upgradeTableProtocol`."""
    versions = {
        "delta.minReaderVersion": _exactly(int, reader_version, "The readerVersion"),
        "delta.minWriterVersion": _exactly(int, writer_version, "The writerVersion"),
    }
    properties = {key: str(version) for key, version in versions.items()}
    set_properties(session, table, properties, dry_run=False)


def add_feature(session: SparkSession, table: TableRef, feature: str) -> None:
    """Add a table feature to the protocol; see `DeltaTable.addFeatureSupport`."""
    name = _exactly(str, feature, "featureName")
    set_properties(session, table, {f"delta.feature.{name}": "supported"}, dry_run=False)


def drop_feature(
    session: SparkSession, table: TableRef, feature: str, truncate_history: bool | None
) -> None:
    """Remove a table feature and what uses it; see `DeltaTable.dropFeatureSupport`."""
    name = _exactly(str, feature, "featureName")
    truncates = truncate_history is not None and _exactly(bool, truncate_history, "truncateHistory")
    command = DropFeature(table=table, feature=name, truncates_history=truncates)
    with shown():
        command.run(context_of(session))


def _exactly(kind: type, value: Any, name: str) -> Any:
    """Return an argument as the methods about features check theirs."""
    # isinstance would accept True as an int.
    if type(value) is not kind:
        # A ValueError and these words, as delta-spark has them.
        raise ValueError(f"{name} needs to be {_KINDS[kind]} but got '{type(value)}'.")
    return value


# ------------------------------------------------------------------------------ what all of them do


def run_or_preview(
    session: SparkSession,
    table: TableRef,
    command: PlannedCommand,
    *,
    dry_run: bool,
    condition: Callable[[Snapshot], str | None] = lambda _: None,
) -> DryRun | None:
    """Make a change, or return what it would do.

    Args:
        session: where it runs.
        table: what it changes.
        command: the change.
        dry_run: whether it is only previewed.
        condition: says of a version the condition that its rows must meet, in SQL, if any; a dry
            run judges them by statistics and does not read them.
    """
    with shown():
        context = context_of(session)
        if not dry_run:
            command.run(context)
            return None
        # The preview and the proof read the same version, whatever other writers commit meanwhile.
        before = table.log().latest()
        found = preview(before, command.plan(context, before))
        asked = condition(before)
        rows = asked and prove_condition(context, table, before, asked, scan=False)
        return dry_run_of(table.label, found, rows or None)
