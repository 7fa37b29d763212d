"""One column as it is and as it is to be: what it keeps, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from puredelta.commands.alter.schema_change import how_to_map, maps_columns
from puredelta.commands.table_ref import TableRef
from puredelta.engine.catalyst.expression_columns import columns_of
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Metadata
from puredelta.schema.changes import KEY, ColumnAt, alike
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import StructField
from puredelta.table.columns.type_change_rules import check_retyped, type_text
from puredelta.table.columns.visible_schema import internal_metadata
from puredelta.table.dependents import check_unused
from puredelta.table.expressions.dependent_types import check_generated_type
from puredelta.table.expressions.generated_columns import refuse_default
from puredelta.table.expressions.identity_columns import check_kept
from puredelta.table.protocol.defaults import default_of
from puredelta.table.protocol.properties import TYPE_WIDENING

COMMENT_KEY = "comment"
"""Where the comment of a column is kept in its metadata."""


def kept_field(column: ColumnAt, wanted: StructField) -> StructField:
    """Return a column as it is to be, with what the log keeps with it for itself.

    A type that says the same in other letters, or without the comments of its parts, is the type
    that the column has.

    Args:
        column: the column as it is.
        wanted: as users want it.
    """
    there = column.field
    internal = internal_metadata(there)
    given = {key: value for key, value in wanted.metadata.items() if key not in internal}
    return replace(
        wanted,
        data_type=there.data_type if alike(there.data_type, wanted.data_type) else wanted.data_type,
        metadata=there.metadata if wanted.metadata == there.metadata else {**internal, **given},
    )


def changed_field(new: StructField) -> Callable[[StructField], StructField]:
    """Return the function that replaces a column by another."""
    return lambda _: new


def check_change(column: ColumnAt, new: StructField, metadata: Metadata, table: str) -> None:
    """Refuse a type, a comment or a nullability that a column cannot get.

    Args:
        column: the column as it is.
        new: as it is to be.
        metadata: the table's, before the change.
        table: the table, for errors.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY,
            DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP, and what `check_kept`, `check_retyped`,
            `check_unused`, `check_generated_type` and `refuse_default` raise.
    """
    there, path = column.field, column.path
    if not column.in_struct and COMMENT_KEY in new.metadata:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY", fieldPath=quote_path(path))
    check_kept(there, new)
    widening = TYPE_WIDENING.of(metadata.configuration)
    check_retyped(path, there, new, table=table, widening=widening)
    # A constraint or a generated column was resolved against the old type.
    if new.data_type != there.data_type:
        check_unused(path, metadata, columns_of)
        check_generated_type(there, new.data_type)
    if default_of(new.metadata) != default_of(there.metadata):
        refuse_default(new)
    if not _may_be_null_as(column, new):
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
            fieldPath=quote_path(path),
            oldField=_type_string(there),
            newField=_type_string(new),
            advice="Keys of maps are never null, and writers do not check whether elements and "
            "values are: NOT NULL is for columns and fields of structs.",
        )


def check_name(column: ColumnAt, metadata: Metadata, table: TableRef) -> None:
    """Refuse to rename a column where columns are not mapped, or where an expression names it.

    Args:
        column: the column as it is.
        metadata: the table's, before the change.
        table: the table.

    Raises:
        DeltaAnalysisError: DELTA_UNSUPPORTED_RENAME_COLUMN, and what `check_unused` raises.
    """
    if not maps_columns(metadata.configuration):
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_RENAME_COLUMN", advice=how_to_map(table))
    check_unused(column.path, metadata, columns_of)


def _may_be_null_as(column: ColumnAt, new: StructField) -> bool:
    """Keys of maps are never null; whether elements and values are is not checked by writes."""
    if column.in_struct or new.nullable == column.field.nullable:
        return True
    return new.nullable and column.field.name != KEY


def _type_string(field: StructField) -> str:
    return type_text(field) if field.nullable else f"{type_text(field)} NOT NULL"
