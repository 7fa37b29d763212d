"""Columns as arguments in Python: DDL text, PySpark's types, positions in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.sql.types import DataType
from pyspark.sql.types import StructField as SparkField
from pyspark.sql.types import StructType as SparkStruct

from puredelta.commands.alter.change_column import ColumnChange
from puredelta.engine.bridge.classes import static_method
from puredelta.schema.changes import FIRST, Position
from puredelta.schema.codec import schema_from_json
from puredelta.schema.column_path import parse_path
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, StructField, StructType
from puredelta.table.columns.char_lengths import declared_column
from puredelta.table.protocol.defaults import with_default

_TYPES = "org.apache.spark.sql.types.DataType"
_LENGTHS = "org.apache.spark.sql.catalyst.util.CharVarcharUtils"
_COMMENT_KEY = "comment"
_AFTER = re.compile(r"AFTER\s+(.+)", re.IGNORECASE | re.DOTALL)

Columns = str | SparkStruct | Sequence[SparkField]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedColumn:
    """The wanted definition of a column; None for what stays as it is.

    Attributes:
        kind: its type, as DDL text or PySpark's.
        comment: its comment; an empty string removes it.
        nullable: whether it may be null.
        position: FIRST, or AFTER another column.
        default: its default, in SQL; an empty string removes it.
    """

    kind: str | DataType | None = None
    comment: str | None = None
    nullable: bool | None = None
    position: str | None = None
    default: str | None = None


def requested_columns(columns: Columns) -> StructType:
    """Return columns as the log has them: CHAR and VARCHAR are strings with a declared length.

    Args:
        columns: DDL text, `a INT, b STRING COMMENT 'x'` say, a PySpark schema, or its fields.

    Raises:
        ParseException: Spark's, for a text that is no DDL.
        TypeError: it is something else.
    """
    if isinstance(columns, str):
        declared = static_method(_TYPES, "fromDDL")(columns)
    else:
        fields = list(columns)
        if not all(isinstance(field, SparkField) for field in fields):
            raise TypeError("columns must be DDL text, a StructType or a list of StructField")
        declared = static_method(_TYPES, "fromJson")(SparkStruct(fields).json())
    stored = static_method(_LENGTHS, "replaceCharVarcharWithStringInSchema")(declared)
    return schema_from_json(str(stored.json()))


def requested_column(schema: StructType, name: str, wanted: RequestedColumn) -> ColumnChange:
    """Return the change that gives a column the wanted definition.

    Args:
        schema: the table's.
        name: the column's path, with back quotes where a name needs them.
        wanted: the definition.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        ValueError: a position in other words.
    """
    path = parse_path(name)
    field = declared_column(schema, path).field
    if wanted.kind is not None:
        field = _typed(field, wanted.kind)
    if wanted.comment is not None:
        field = _with(field, _COMMENT_KEY, wanted.comment)
    if wanted.default is not None:
        field = with_default(field, wanted.default or None)
    if wanted.nullable is not None:
        field = replace(field, nullable=wanted.nullable)
    return ColumnChange(
        column_path=path[:-1],
        column_name=path[-1],
        new_column=field,
        col_position=None if wanted.position is None else _position(wanted.position),
    )


def renamed_column(schema: StructType, name: str, new_name: str) -> ColumnChange:
    """Return the change that gives a column another name.

    Args:
        schema: the table's.
        name: the column's path, with back quotes where a name needs them.
        new_name: its new name alone; back quotes are part of it.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
    """
    path = parse_path(name)
    field = declared_column(schema, path).field
    return ColumnChange(
        column_path=path[:-1], column_name=path[-1], new_column=replace(field, name=new_name)
    )


def _typed(field: StructField, kind: str | DataType) -> StructField:
    # DDL text can only be parsed as a list of columns, so the type belongs to a column `c`.
    given = f"c {kind}" if isinstance(kind, str) else [SparkField("c", kind)]
    [declared] = requested_columns(given)
    # The old declared length goes with the old type: VARCHAR(5) that becomes STRING has none.
    length = declared.metadata.get(DECLARED_TYPE_KEY)
    typed = replace(field, data_type=declared.data_type)
    return _with(typed, DECLARED_TYPE_KEY, length)


def _with(field: StructField, key: str, value: object) -> StructField:
    """Return a field with a value in its metadata; an empty value is left out."""
    others = {name: other for name, other in field.metadata.items() if name != key}
    return replace(field, metadata={**others, key: value} if value else others)


def _position(text: str) -> Position:
    if text.strip().upper() == "FIRST":
        return FIRST
    found = _AFTER.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"position must be FIRST or AFTER a column, not {text!r}")
    [name] = parse_path(found[1])
    return Position(name)
