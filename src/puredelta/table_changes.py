"""The methods of `DeltaTable` that change what a table is: columns, constraints, properties.

delta-spark has them in SQL alone. Each can be asked what it would do, with `dryRun=True`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.alter_table.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.alter_table.properties import SetProperties, UnsetProperties
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.frontend.changing import PlannedCommand, change, constraint_rows
from puredelta.frontend.dry_run import DryRun
from puredelta.table.constraints import constraints_of

__all__ = ["TableChanges"]


class TableChanges:
    """What can be changed of a table."""

    _spark: SparkSession
    _table: TableRef

    def constraints(self) -> DataFrame:
        """Return the CHECK constraints, a row each: name, expression, state.

        The state is `validated`, or `not validated` where nobody has looked yet at the rows that
        were there before the constraint.
        """
        with shown():
            return constraint_rows(self._spark, self._table)

    def addConstraint(
        self, name: str, expr: str, notValid: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Add a CHECK constraint, which each row must meet from now on.

        Args:
            name: its name, in any case of letters.
            expr: the condition, in SQL over the table's columns; null does not meet it.
            notValid: leave out the rows that are there; `validateConstraint` looks at them later.
            dryRun: change nothing, and read no rows.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_NEW_CHECK_CONSTRAINT_VIOLATION when rows do not meet it,
                DELTA_CONSTRAINT_ALREADY_EXISTS, DELTA_INVALID_CONSTRAINT_NAME,
                DELTA_NON_BOOLEAN_CHECK_CONSTRAINT, and others for a condition that cannot be one.
        """
        command = AlterTableAddConstraintDeltaCommand(
            table=self._table, name=name, expr_text=expr, not_valid=notValid
        )
        return self._change(command, dry_run=dryRun, condition=None if notValid else expr)

    def dropConstraint(
        self, name: str, ifExists: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Drop a CHECK constraint.

        Args:
            name: its name, in any case of letters.
            ifExists: pass over one that is not there.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_CONSTRAINT_DOES_NOT_EXIST.
        """
        command = AlterTableDropConstraintDeltaCommand(
            table=self._table, name=name, if_exists=ifExists
        )
        return self._change(command, dry_run=dryRun)

    def validateConstraint(self, name: str, dryRun: bool = False) -> DryRun | None:
        """Check the rows that were there before a constraint was added as not valid.

        Args:
            name: its name, in any case of letters.
            dryRun: change nothing, and read no rows.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_CONSTRAINT_DOES_NOT_EXIST,
                DELTA_NEW_CHECK_CONSTRAINT_VIOLATION when rows do not meet it.
        """
        command = AlterTableValidateConstraintDeltaCommand(table=self._table, name=name)
        known = constraints_of(self._table.log().latest().configuration) if dryRun else ()
        texts = (one.expression for one in known if one.name == name.lower())
        return self._change(command, dry_run=dryRun, condition=next(texts, None))

    def setProperties(self, properties: Mapping[str, str], dryRun: bool = False) -> DryRun | None:
        """Set table properties; the key `comment` sets the table's description.

        Args:
            properties: values by key.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_UNKNOWN_CONFIGURATION and others, as SET TBLPROPERTIES.
        """
        return self._change(SetProperties(table=self._table, properties=properties), dry_run=dryRun)

    def unsetProperties(self, *keys: str, dryRun: bool = False) -> DryRun | None:
        """Remove table properties; keys that are not set are passed over.

        Args:
            keys: the properties.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.
        """
        return self._change(UnsetProperties(table=self._table, keys=keys), dry_run=dryRun)

    def _change(
        self, command: PlannedCommand, *, dry_run: bool, condition: str | None = None
    ) -> DryRun | None:
        with shown():
            return change(self._spark, self._table, command, dry_run=dry_run, condition=condition)
