"""The methods of `DeltaTable` that change what a table is: columns, constraints, properties.

delta-spark has them in SQL alone. Each can be asked what it would do, with `dryRun=True`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DataType

from puredelta.api.alter import PlannedCommand, change, constraint_rows
from puredelta.api.dry_run import DryRun
from puredelta.commands.alter.add_columns import AddColumns, NewColumn
from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand, ColumnChange
from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.alter.drop_columns import DropColumns
from puredelta.commands.alter.properties import SetProperties, UnsetProperties
from puredelta.commands.alter.replace_columns import ReplaceColumns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.frontend.column_arguments import (
    Columns,
    RequestedColumn,
    renamed_column,
    requested_column,
    requested_columns,
)
from puredelta.schema.column_path import parse_path
from puredelta.schema.datatypes import StructType
from puredelta.table.expressions.constraints import constraints_of

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
        texts = (constraint.expression for constraint in known if constraint.name == name.lower())
        return self._change(command, dry_run=dryRun, condition=next(texts, None))

    def addColumns(self, columns: Columns, dryRun: bool = False) -> DryRun | None:
        """Add columns at the end; rows that are there have null in them.

        Args:
            columns: DDL text such as `n INT COMMENT 'x', s STRUCT<a: INT>`, a PySpark schema, or a
                list of its fields.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS, and others for
                columns that a table cannot have.
            ParseException: a text that is no DDL.
        """
        with shown():
            new = tuple(NewColumn(field=field) for field in requested_columns(columns))
            return self._change(AddColumns(table=self._table, columns=new), dry_run=dryRun)

    def dropColumns(
        self, *names: str, ifExists: bool = False, dryRun: bool = False
    ) -> DryRun | None:
        """Drop columns, or fields of structs; data files stay as they are.

        Args:
            names: their paths, `a` or `s.x`, with back quotes where a name needs them.
            ifExists: pass over those that are not there.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_DROP_COLUMN without column mapping,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, and what names what depends on a column.
        """
        with shown():
            paths = [parse_path(name) for name in names]
            command = DropColumns(table=self._table, columns=paths, if_exists=ifExists)
            return self._change(command, dry_run=dryRun)

    def renameColumn(self, name: str, newName: str, dryRun: bool = False) -> DryRun | None:
        """Rename a column, or a field of a struct; data files stay as they are.

        Args:
            name: its path, `a` or `s.x`, with back quotes where a name needs them.
            newName: its new name alone, without quotes.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_RENAME_COLUMN without column mapping,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE and
                DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE.
        """
        return self._change_column(
            lambda schema: renamed_column(schema, name, newName), dry_run=dryRun
        )

    def alterColumn(
        self,
        name: str,
        type: str | DataType | None = None,
        comment: str | None = None,
        nullable: bool | None = None,
        position: str | None = None,
        default: str | None = None,
        dryRun: bool = False,
    ) -> DryRun | None:
        """Change a column, or what is inside one, in one version; what is None stays as it is.

        Args:
            name: its path, `a`, `s.x` or `l.element`, with back quotes where a name needs them.
            type: a wider type, as DDL text or PySpark's; needs `delta.enableTypeWidening`.
            comment: what it is about; an empty text takes the comment away.
            nullable: False for NOT NULL, which statistics or a scan must show to hold already;
                they are asked in a dry run too.
            position: `FIRST`, or `AFTER` another column.
            default: what new rows get that leave it out, in SQL; an empty text for nothing.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA,
                DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP for another type,
                DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION for rows that are null, and what names
                what depends on the column.
        """
        wanted = RequestedColumn(
            kind=type, comment=comment, nullable=nullable, position=position, default=default
        )
        return self._change_column(
            lambda schema: requested_column(schema, name, wanted), dry_run=dryRun
        )

    def replaceColumns(self, columns: Columns, dryRun: bool = False) -> DryRun | None:
        """Give the table another list of columns; those that keep their names are kept.

        Args:
            columns: DDL text, a PySpark schema, or a list of its fields.
            dryRun: change nothing.

        Returns:
            What it would do, for a dry run.

        Raises:
            DeltaAnalysisException: DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP for columns that
                files cannot follow, and what names what depends on a column.
        """
        with shown():
            command = ReplaceColumns(table=self._table, columns=requested_columns(columns))
            return self._change(command, dry_run=dryRun)

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

    def _change_column(
        self, wanted: Callable[[StructType], ColumnChange], *, dry_run: bool
    ) -> DryRun | None:
        with shown():
            changes = (wanted(self._table.log().latest().schema),)
            command = AlterTableChangeColumnsDeltaCommand(table=self._table, changes=changes)
            return self._change(command, dry_run=dry_run)

    def _change(
        self, command: PlannedCommand, *, dry_run: bool, condition: str | None = None
    ) -> DryRun | None:
        with shown():
            return change(self._spark, self._table, command, dry_run=dry_run, condition=condition)
