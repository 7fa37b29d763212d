"""ALTER TABLE ... ADD COLUMNS: rows that are there have null in them, and files stay."""

from collections.abc import Sequence
from dataclasses import dataclass

from puredelta.commands.alter.commit import Change, run_planned
from puredelta.commands.alter.history_columns import declared_column_json
from puredelta.commands.alter.schema_change import altered_schema
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.expression_columns import columns_of
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.changes import Path, Position, added
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.expressions.dependent_types import check_added
from puredelta.table.protocol.feature_activation import DEFAULT_KEY, all_fields
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class NewColumn:
    """A column that is to be added.

    Attributes:
        parent: the struct that gets it, through `element`, `key` or `value`; nothing for the top.
        field: the column.
        position: where it is put; None for the end.
    """

    parent: Path = ()
    field: StructField
    position: Position | None = None

    @property
    def path(self) -> Path:
        """All its names."""
        return (*self.parent, self.field.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddColumns:
    """ALTER TABLE ... ADD COLUMNS.

    Attributes:
        table: the table.
        columns: the new columns; later ones may stand after or below earlier ones.
    """

    table: TableRef
    columns: Sequence[NewColumn]

    def plan(self, context: Context, before: Snapshot) -> Change | None:
        """Return the commit; nothing is written.

        Raises:
            DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for NOT NULL,
                WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED,
                DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_ADD_COLUMN_PARENT_NOT_STRUCT,
                DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS, what `check_added` raises, and what a
                new table would refuse.
        """
        del context
        schema = before.schema
        for column in self.columns:
            _check(column.field)
            schema = added(schema, column.parent, column.field, column.position)
        check_added(before.schema, schema, columns_of)
        return altered_schema(
            self.table,
            before,
            schema,
            Operation("ADD COLUMNS", {"columns": [_in_history(column) for column in self.columns]}),
            duplicates="DELTA_DUPLICATE_COLUMNS_FOUND.ADDING_COLUMNS",
        )

    def run(self, context: Context) -> Snapshot:
        """Add the columns in one commit; raises what `plan` raises."""
        return run_planned(context, self)


def _check(field: StructField) -> None:
    parts = list(all_fields(StructType((field,))))
    if not all(part.nullable for part in parts):
        raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation="ADD COLUMN ... NOT NULL")
    if any(DEFAULT_KEY in part.metadata for part in parts):
        raise DeltaAnalysisError(
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED"
        )


def _in_history(column: NewColumn) -> dict[str, object]:
    entry: dict[str, object] = {"column": declared_column_json(column.field, column.path)}
    return entry if column.position is None else {**entry, "position": str(column.position)}
