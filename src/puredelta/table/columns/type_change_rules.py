"""May this column become that type? The one rule for ALTER TABLE, wherever the column lies.

Protocol: Type Widening. Without the feature a type may change where no file would show it: strings
may become longer, and a void column may get a type. Nothing is ever narrowed.
"""

from __future__ import annotations

import re

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.column_path import quote_name, quote_path
from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    STRING,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.type_widening import widens

Path = tuple[str, ...]

_NESTED = {
    StructType: "DELTA_CANNOT_UPDATE_STRUCT_FIELD",
    MapType: "DELTA_CANNOT_UPDATE_MAP_FIELD",
    ArrayType: "DELTA_CANNOT_UPDATE_ARRAY_FIELD",
}
_SIZED_TEXT = re.compile(r"(char|varchar)\((\d+)\)")


def check_retyped(
    path: Path, before: StructField, after: StructField, *, table: str, widening: bool
) -> None:
    """Refuse a type that a column must not become.

    Args:
        path: The column; inside an array or a map, with `element`, `key` or `value`.
        before: The column as it is. Its metadata has the declared length of its strings.
        after: The column as it is to be.
        table: The table, for errors.
        widening: Does the table have `delta.enableTypeWidening`?

    Raises:
        DeltaAnalysisError: DELTA_CANNOT_UPDATE_STRUCT_FIELD, DELTA_CANNOT_UPDATE_MAP_FIELD and
            DELTA_CANNOT_UPDATE_ARRAY_FIELD where the parts are to be changed one by one,
            DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP for any other.
    """
    old, new = before.data_type, after.data_type
    if may_become(before, after, widening=widening):
        return
    condition = _NESTED.get(type(old))
    if condition is not None and type(old) is type(new):
        raise DeltaAnalysisError(condition, tableName=table, fieldName=quote_path(path))
    raise DeltaAnalysisError(
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        fieldPath=quote_path(path),
        oldField=type_text(before),
        newField=type_text(after),
        advice=_advice(before, after, widening=widening),
    )


def _advice(before: StructField, after: StructField, *, widening: bool) -> str:
    """Say what leads to a type that a column cannot have by itself."""
    old, new = before.data_type, after.data_type
    if old == STRING == new:
        return "A text can become VARCHAR(n) of at least its length, or STRING."
    if not widening and widens(old, new):
        return (
            "A wider type needs the table property 'delta.enableTypeWidening' = 'true': set it with"
            " ALTER TABLE ... SET TBLPROPERTIES."
        )
    return "Rewrite the table with the column cast to that type."


def may_become(before: StructField, after: StructField, *, widening: bool) -> bool:
    """Say whether a column may have another type: see `check_retyped`."""
    old, new = before.data_type, after.data_type
    if old == STRING == new:
        return _has_all_strings(_declared(after), _declared(before))
    # A void column has no values in files, so that any type may take its place.
    return old in (new, VOID) or (widening and widens(old, new))


def type_text(field: StructField) -> str:
    """Return the type of a column in SQL, strings with their declared length."""
    declared = _declared(field)
    return sql_type(field.data_type) if declared is None else declared.upper()


def sql_type(data_type: DataType) -> str:
    """Return a type in SQL: its words in capitals, names of fields as they are.

    >>> sql_type(ArrayType(StructType((StructField("aB", STRING),))))
    'ARRAY<STRUCT<aB: STRING>>'
    """
    match data_type:
        case StructType():
            fields = (f"{quote_name(field.name)}: {type_text(field)}" for field in data_type)
            return f"STRUCT<{', '.join(fields)}>"
        case ArrayType(element):
            return f"ARRAY<{sql_type(element)}>"
        case MapType(key, value):
            return f"MAP<{sql_type(key)}, {sql_type(value)}>"
        case _:
            return simple_string(data_type).upper()


def _declared(field: StructField) -> str | None:
    found = field.metadata.get(DECLARED_TYPE_KEY)
    return found if isinstance(found, str) and field.data_type == STRING else None


def _has_all_strings(after: str | None, before: str | None) -> bool:
    """Return whether a type has all strings of another; None stands for STRING."""
    if after is None or after == before:
        return True
    new, old = _SIZED_TEXT.fullmatch(after), before and _SIZED_TEXT.fullmatch(before)
    # CHAR pads its values, which existing shorter ones are not.
    if new is None or not old or new[1] != "varchar":
        return False
    return int(new[2]) >= int(old[2])
