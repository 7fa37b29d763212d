"""ALTER TABLE ... ALTER, CHANGE and RENAME COLUMN: name, type, comment, nullability, position."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from puredelta.commands.alter.column_change import (
    changed_field,
    check_change,
    check_name,
    kept_field,
)
from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.alter.constraint_proof import prove_condition
from puredelta.commands.alter.history_columns import column_json, path_in_history
from puredelta.commands.alter.schema_change import altered_schema
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.changes import (
    ColumnAt,
    Path,
    Position,
    find_column_position,
    moved,
    with_column,
)
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, STRING, StructField, StructType
from puredelta.table.columns.char_lengths import (
    declared_column,
    with_declared_length,
    with_declared_lengths,
)
from puredelta.table.columns.schema_check import check_nullability
from puredelta.table.columns.type_widening import with_type_changes
from puredelta.table.dependents import renamed
from puredelta.table.protocol.properties import TYPE_WIDENING
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnChange:
    """What becomes of one column.

    Attributes:
        column_path: what leads to it: structs, and `element`, `key` or `value`; nothing at the top.
        column_name: its name as it is.
        new_column: the column as it is to be. What the log keeps with it for itself stays.
        col_position: where it is put; None to leave it where it is.
    """

    column_path: Path = ()
    column_name: str
    new_column: StructField
    col_position: Position | None = None

    @property
    def path(self) -> Path:
        """All its names."""
        return (*self.column_path, self.column_name)


ColumnChanges = Callable[[StructType], Sequence[ColumnChange]]
"""What becomes of columns, given the columns of the version that is changed.

A `ColumnChange` has the whole new column. Made of an earlier version, it would undo what another
writer has changed of the column since.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTableChangeColumnDeltaCommand:
    """ALTER TABLE ... CHANGE COLUMN and RENAME COLUMN: metadata alone, no file is touched.

    Attributes:
        table: the table.
        column_path: what leads to the column; nothing at the top.
        column_name: its name as it is.
        new_column: the column as it is to be.
        col_position: where it is put; None to leave it where it is.
    """

    table: TableRef
    column_path: Path = ()
    column_name: str
    new_column: StructField
    col_position: Position | None = None

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; see `AlterTableChangeColumnsDeltaCommand.plan`."""
        change = ColumnChange(
            column_path=self.column_path,
            column_name=self.column_name,
            new_column=self.new_column,
            col_position=self.col_position,
        )
        command = AlterTableChangeColumnsDeltaCommand(table=self.table, changes=lambda _: (change,))
        return command.plan(context, before)

    def run(self, context: Context) -> Snapshot:
        """Change the column in one commit; raises what `plan` raises."""
        return run_planned(context, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlterTableChangeColumnsDeltaCommand:
    """ALTER TABLE ... ALTER COLUMN with one or several columns, in one commit.

    Attributes:
        table: the table.
        changes: what becomes of each column, in the order of the statement.
    """

    table: TableRef
    changes: ColumnChanges

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; nothing is written.

        Raises:
            DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_UNSUPPORTED_RENAME_COLUMN
                without column mapping, DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY,
                DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP and what else `check_retyped` raises,
                DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE and
                DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE where an expression names the
                column, DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE, and what `check_no_nulls`
                raises for NOT NULL.
        """
        steps = _Steps(before.metadata, before.schema)
        for change in self.changes(before.schema):
            steps = steps.after(self.table, before, change)
        schema = steps.schema
        # Before the scan of the rows, which can take long.
        if steps.filled:
            check_nullability(schema)
            check_no_nulls(context, self.table, before, list(steps.filled))
        if TYPE_WIDENING.of(before.configuration):
            schema = with_type_changes(before.schema, schema)
        return altered_schema(
            self.table,
            before,
            schema,
            _operation(steps.done),
            metadata=steps.metadata,
            # A null that another writer adds meanwhile would break NOT NULL.
            reads_table=bool(steps.filled),
        )

    def run(self, context: Context) -> Snapshot:
        """Change the columns in one commit; raises what `plan` raises."""
        return run_planned(context, self)


@dataclass(frozen=True, slots=True)
class _Done:
    """One change that was planned: the column as it was, as it is to be, and where it goes."""

    column: ColumnAt
    new: StructField
    position: Position | None

    @property
    def is_rename(self) -> bool:
        return self.new.name != self.column.field.name

    def column_in_history(self) -> dict[str, object]:
        return column_json(self.new, self.column.path)

    def position_in_history(self) -> dict[str, object]:
        return {} if self.position is None else {"position": str(self.position)}


@dataclass(frozen=True, slots=True)
class _Steps:
    """What some of the changes made of a table.

    Attributes:
        metadata: with what follows renamed columns.
        schema: the columns.
        done: the changes.
        filled: columns that may not be null any longer.
    """

    metadata: Metadata
    schema: StructType
    done: tuple[_Done, ...] = ()
    filled: tuple[Path, ...] = ()

    def after(self, table: TableRef, before: Snapshot, change: ColumnChange) -> _Steps:
        column = declared_column(self.schema, change.path)
        # What the log stores in a column for itself, such as its id, no statement can change.
        new = kept_field(column, change.new_column)
        check_change(column, new, before.metadata, table.label)
        metadata, schema, position = self.metadata, self.schema, change.col_position
        if new.name != column.field.name:
            check_name(column, before.metadata, table)
            metadata = renamed(metadata, column.path, new.name)
        if position is not None:
            position = _spelled(position, column, schema)
            # Lengths of nested texts are read by the order of the fields, so they move along now.
            schema = with_declared_lengths(schema, moved(schema, column.path, position))
        if len(column.path) > 1 and _length(new) != _length(column.field):
            schema = with_declared_length(schema, column, _length(new))
        schema = with_column(schema, column.path, changed_field(new))
        filled = (column.path,) if column.field.nullable and not new.nullable else ()
        done = _Done(column, new, position)
        return replace(
            self,
            metadata=metadata,
            schema=schema,
            done=(*self.done, done),
            filled=(*self.filled, *filled),
        )


def _length(field: StructField) -> str | None:
    """Return the length that a text declares, `varchar(3)` say."""
    found = field.metadata.get(DECLARED_TYPE_KEY)
    return found if isinstance(found, str) and field.data_type == STRING else None


def _spelled(position: Position, column: ColumnAt, schema: StructType) -> Position:
    """Return a position with the name of the sibling as the schema spells it."""
    if position.after is None or not column.in_struct:
        return position
    return Position(find_column_position(schema, (*column.path[:-1], position.after)).path[-1])


def _operation(done: Sequence[_Done]) -> Operation:
    if len(done) > 1:
        columns = [
            {**change.column_in_history(), **change.position_in_history()} for change in done
        ]
        return Operation("CHANGE COLUMNS", {"columns": columns})
    [change] = done
    path = change.column.path
    if change.is_rename:
        new = (*path[:-1], change.new.name)
        parameters = {"oldColumnPath": path_in_history(path), "newColumnPath": path_in_history(new)}
        return Operation("RENAME COLUMN", parameters)
    return Operation(
        "CHANGE COLUMN", {"column": change.column_in_history(), **change.position_in_history()}
    )


# ------------------------------------------------------------------------------------- SET NOT NULL


_logger = logging.getLogger(__name__)


def check_no_nulls(
    context: Context, table: TableRef, before: Snapshot, columns: Iterable[Path]
) -> None:
    """Refuse columns that are null in a row. A field of a struct that is null is null too.

    Args:
        context: the session.
        table: the table.
        before: the version whose rows count.
        columns: paths that structs alone lead to.

    Raises:
        DeltaAnalysisError: DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION.
    """
    for path in columns:
        name = quote_path(path)
        found = prove_condition(context, table, before, f"{name} IS NOT NULL")
        _logger.info(
            "Checking that %s has no null in existing data: "
            "%d files proven by statistics, %d files scanned.",
            *(name, found.proven_files, found.scanned_files),
        )
        if found.violations:
            raise DeltaAnalysisError(
                "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION",
                numRows=found.violations,
                tableName=table.label,
                columnName=name,
                examples="\n".join(f" - {example}" for example in found.examples),
            )
