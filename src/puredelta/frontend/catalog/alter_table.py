"""ALTER TABLE as Spark hands it over, a list of changes, turned into our statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from puredelta.commands.alter.add_columns import AddColumns, NewColumn
from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand, ColumnChange
from puredelta.commands.alter.cluster_by import ClusterBy
from puredelta.commands.alter.drop_columns import DropColumns
from puredelta.commands.alter.properties import SetProperties, UnsetProperties
from puredelta.commands.alter.replace_columns import ReplaceColumns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.classes import kind_of
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.spark_objects import declared_field
from puredelta.schema.changes import Path, Position
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, StructField, StructType
from puredelta.table.columns.char_lengths import declared_column
from puredelta.table.protocol.defaults import with_default

_COMMENT = "comment"
_SET, _UNSET = "SetProperty", "RemoveProperty"
_ADD, _DROP, _CLUSTER_BY = "AddColumn", "DeleteColumn", "ClusterBy"
_COLUMN_CHANGES = {
    "RenameColumn",
    "UpdateColumnType",
    "UpdateColumnComment",
    "UpdateColumnNullability",
    "UpdateColumnPosition",
    "UpdateColumnDefaultValue",
}
_KNOWN = {_SET, _UNSET, _ADD, _DROP, _CLUSTER_BY, *_COLUMN_CHANGES}

Changes = Sequence[tuple[str, Any]]


def alter(context: Context, table: TableRef, changes: Iterable[Any]) -> None:
    """Run the changes of one ALTER TABLE, which are Spark's TableChange objects.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for a kind of change that is not offered,
            WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED, and what the
            statements raise.
    """
    kinds = [(kind_of(change), change) for change in changes]
    # Each statement below makes a commit of its own: a refusal halfway would leave a part of the
    # ALTER TABLE done.
    unknown = {kind for kind, _ in kinds} - _KNOWN
    if unknown:
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED", operation=f"ALTER TABLE ({', '.join(sorted(unknown))})"
        )
    properties = {change.property(): change.value() for change in _of(kinds, _SET)}
    if properties:
        SetProperties(table=table, properties=properties).run(context)
    unset_keys = [change.property() for change in _of(kinds, _UNSET)]
    if unset_keys:
        UnsetProperties(table=table, keys=unset_keys).run(context)
    _alter_columns(context, table, kinds)
    for change in _of(kinds, _CLUSTER_BY):
        columns = [path_of(column) for column in change.clusteringColumns()]
        ClusterBy(table=table, columns=columns).run(context)


def path_of(change: Any) -> Path:
    """Return the path of the column that a change, or a reference, is about."""
    return tuple(str(part) for part in change.fieldNames())


def _alter_columns(context: Context, table: TableRef, kinds: Changes) -> None:
    added = [_new_column(change) for change in _of(kinds, _ADD)]
    dropped = _of(kinds, _DROP)
    if added and dropped:
        # Spark expresses REPLACE COLUMNS as dropping all columns and adding others. Two statements
        # would be two commits, the first of which leaves a table without columns.
        fields = StructType(tuple(column.field for column in added))
        ReplaceColumns(table=table, columns=fields).run(context)
        return
    if added:
        AddColumns(table=table, columns=added).run(context)
    if dropped:
        if_exists = all(change.ifExists() for change in dropped)
        paths = [path_of(change) for change in dropped]
        DropColumns(table=table, columns=paths, if_exists=if_exists).run(context)
    changed = [(kind, change) for kind, change in kinds if kind in _COLUMN_CHANGES]
    if changed:
        folded = partial(_folded, changes=changed)
        AlterTableChangeColumnsDeltaCommand(table=table, changes=folded).run(context)


def _of(kinds: Changes, wanted: str) -> list[Any]:
    return [change for kind, change in kinds if kind == wanted]


def _new_column(change: Any) -> NewColumn:
    *parent, name = path_of(change)
    # The existing rows would need the default too, and their files do not contain it.
    if change.defaultValue() is not None:
        raise DeltaAnalysisError(
            "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED"
        )
    field = declared_field(name, change.dataType(), nullable=bool(change.isNullable()))
    return NewColumn(
        parent=tuple(parent),
        field=_commented(field, change.comment()),
        position=_position(change.position()),
    )


@dataclass(frozen=True, slots=True)
class _Folded:
    """The outcome of several changes of one column."""

    field: StructField
    position: Position | None = None


def _folded(schema: StructType, changes: Changes) -> list[ColumnChange]:
    """Combine the changes of each column into one, in the order of its first mention."""
    columns: dict[Path, _Folded] = {}
    for kind, change in changes:
        # A ColumnChange names the whole new column: a second one for the same column would start
        # from the old schema and undo the first.
        column = declared_column(schema, path_of(change))
        folded = columns.get(column.path, _Folded(column.field))
        columns[column.path] = _after(folded, kind, change)
    return [
        ColumnChange(
            column_path=path[:-1],
            column_name=path[-1],
            new_column=folded.field,
            col_position=folded.position,
        )
        for path, folded in columns.items()
    ]


def _after(folded: _Folded, kind: str, change: Any) -> _Folded:
    field = folded.field
    match kind:
        case "RenameColumn":
            field = replace(field, name=str(change.newName()))
        case "UpdateColumnType":
            field = _retyped(field, change.newDataType())
        case "UpdateColumnComment":
            field = _commented(field, change.newComment())
        case "UpdateColumnNullability":
            field = replace(field, nullable=bool(change.nullable()))
        case "UpdateColumnDefaultValue":
            # DROP DEFAULT arrives as an empty string.
            field = with_default(field, change.newDefaultValue() or None)
        case _:
            return replace(folded, position=_position(change.position()))
    return replace(folded, field=field)


def _retyped(field: StructField, data_type: Any) -> StructField:
    typed = declared_field(field.name, data_type, nullable=field.nullable)
    # The declared length belongs to the old type: VARCHAR(5) that becomes STRING has none.
    kept = {key: value for key, value in field.metadata.items() if key != DECLARED_TYPE_KEY}
    return replace(field, data_type=typed.data_type, metadata={**kept, **typed.metadata})


def _commented(field: StructField, comment: Any) -> StructField:
    if comment is None:
        return field
    return replace(field, metadata={**field.metadata, _COMMENT: str(comment)})


def _position(position: Any) -> Position | None:
    if position is None:
        return None
    is_after = kind_of(position) == "After"
    return Position(str(position.column()) if is_after else None)
