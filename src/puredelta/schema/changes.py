"""Changing a schema: finding, adding, dropping, moving and rewriting columns at any depth.

A path names fields of structs; `element` leads into an array, `key` and `value` into a map. Names
are found in any case of letters, an exact match first. Schemas are values: each function
returns another one, in which only the struct, array or map that holds the column differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from puredelta._util.similar_names import like_it
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)

Path = tuple[str, ...]

ELEMENT = "element"
KEY = "key"
VALUE = "value"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a column is put in its struct.

    Attributes:
        after: the name of the column before it; None for the first position.
    """

    after: str | None = None

    def __str__(self) -> str:
        return "FIRST" if self.after is None else f"AFTER {self.after}"


FIRST = Position()


@dataclass(frozen=True, slots=True)
class ColumnAt:
    """A column that was found in a schema.

    Attributes:
        path: its names, as the schema spells them.
        field: the column; for what is in an array or a map, a field under that name.
        in_struct: is it a field of a struct?
    """

    path: Path
    field: StructField
    in_struct: bool = True


def find_column_position(schema: StructType, path: Path) -> ColumnAt:
    """Find a column.

    Args:
        schema: Where it is looked for.
        path: Its names, in any case.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, with the names that are like it.
    """
    found = ColumnAt((), StructField("", schema))
    for name in path:
        below = part_of(found.field.data_type, name)
        if below is None:
            raise not_found(path, schema)
        in_struct = isinstance(found.field.data_type, StructType)
        found = ColumnAt((*found.path, below.name), below, in_struct)
    return found


def part_of(data_type: DataType, name: str) -> StructField | None:
    """Return the part of a type that has a name: a field, an element, a key or a value."""
    match data_type, name.lower():
        case StructType(), _:
            return data_type.field(name, case_sensitive=True) or data_type.field(name)
        case ArrayType(element, contains_null), "element":
            return StructField(ELEMENT, element, contains_null)
        case MapType(key, _, _), "key":
            return StructField(KEY, key, nullable=False)
        case MapType(_, value, contains_null), "value":
            return StructField(VALUE, value, contains_null)
        case _:
            return None


def with_column(
    schema: StructType, path: Path, change: Callable[[StructField], StructField]
) -> StructType:
    """Return a schema with a column replaced.

    Args:
        schema: The schema.
        path: The column, in any case.
        change: Makes the new column of the old one; of what is in an array or a map it may change
            the type, and whether it may be null.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
    """
    parent, name = path[:-1], path[-1]

    def rewritten(holder: DataType) -> DataType:
        part = part_of(holder, name)
        if part is None:
            raise not_found(path, schema)
        return _with_part(holder, part, change(part))

    return _with_type(schema, parent, rewritten)


def transform_columns_structs(
    schema: StructType, path: Path, change: Callable[[StructType], StructType]
) -> StructType:
    """Return a schema with a struct replaced.

    Args:
        schema: The schema.
        path: The column whose type the struct is; nothing for the schema itself.
        change: Makes the new struct of the old one.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, DELTA_ADD_COLUMN_PARENT_NOT_STRUCT.
    """

    def rewritten(holder: DataType) -> DataType:
        if not isinstance(holder, StructType):
            raise DeltaAnalysisError(
                "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT",
                columnName=quote_path(path),
                other=simple_string(holder),
            )
        return change(holder)

    return _with_type(schema, path, rewritten)


def added(
    schema: StructType, parent: Path, field: StructField, position: Position | None = None
) -> StructType:
    """Return a schema with one more column.

    Args:
        schema: The schema.
        parent: The struct that gets it; nothing for the top.
        field: The column.
        position: Where; None for the end.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA for the struct or the column before it,
            DELTA_ADD_COLUMN_PARENT_NOT_STRUCT.
    """
    return transform_columns_structs(
        schema, parent, lambda struct: _put(struct, field, position, parent)
    )


def dropped(schema: StructType, path: Path) -> StructType:
    """Return a schema without a column.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA,
            DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE,
            DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA.
    """
    column = find_column_position(schema, path)
    if not column.in_struct:
        holder = find_column_position(schema, path[:-1]).field.data_type
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
            struct=simple_string(holder),
        )

    def without(struct: StructType) -> StructType:
        # Parquet has no groups without fields, so the last field of a struct stays.
        if len(struct) == 1:
            raise DeltaAnalysisError(
                "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA", schema=simple_string(struct)
            )
        return StructType(tuple(field for field in struct if field.name != column.field.name))

    return transform_columns_structs(schema, path[:-1], without)


def moved(schema: StructType, path: Path, position: Position) -> StructType:
    """Return a schema with a column in another position of its struct.

    Parts of an array or a map have no position and stay; so does a column after itself.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
    """
    column = find_column_position(schema, path)
    after = position.after
    # `AFTER` itself asks for no change; without the column there would be nothing to follow.
    if not column.in_struct or (after or "").lower() == column.field.name.lower() != "":
        return schema

    def reordered(struct: StructType) -> StructType:
        rest = StructType(tuple(field for field in struct if field.name != column.field.name))
        return _put(rest, column.field, position, path[:-1])

    return transform_columns_structs(schema, path[:-1], reordered)


def alike(left: DataType, right: DataType) -> bool:
    """Return whether two types differ at most in nullability, comments and case of letters."""
    match left, right:
        case StructType(), StructType():
            return len(left) == len(right) and all(
                a.name.lower() == b.name.lower() and alike(a.data_type, b.data_type)
                for a, b in zip(left, right, strict=True)
            )
        case ArrayType(first), ArrayType(second):
            return alike(first, second)
        case MapType(key, value), MapType(other_key, other_value):
            return alike(key, other_key) and alike(value, other_value)
        case _:
            return left == right


def not_found(path: Path, schema: StructType) -> DeltaAnalysisError:
    """Return the error for a column that does not exist; it names similar ones."""
    hint = like_it(quote_path(path), map(quote_path, _paths(schema)))
    return DeltaAnalysisError(
        "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
        columnName=quote_path(path),
        tableSchema=simple_string(schema) + hint,
    )


def _put(
    struct: StructType, field: StructField, position: Position | None, parent: Path
) -> StructType:
    fields = list(struct)
    if position is None:
        return StructType((*fields, field))
    at = 0
    if position.after is not None:
        before = part_of(struct, position.after)
        if before is None:
            raise not_found((*parent, position.after), struct)
        at = struct.names.index(before.name) + 1
    fields.insert(at, field)
    return StructType(tuple(fields))


def _with_type(
    schema: StructType, path: Path, change: Callable[[DataType], DataType]
) -> StructType:
    done = _inside(schema, path, change, schema, path)
    assert isinstance(done, StructType)  # noqa: S101  # the top of a schema stays a struct
    return done


def _inside(
    holder: DataType,
    below: Sequence[str],
    change: Callable[[DataType], DataType],
    schema: StructType,
    path: Path,
) -> DataType:
    if not below:
        return change(holder)
    part = part_of(holder, below[0])
    if part is None:
        raise not_found(path, schema)
    inner = _inside(part.data_type, below[1:], change, schema, path)
    return _with_part(holder, part, replace(part, data_type=inner))


def _with_part(holder: DataType, before: StructField, after: StructField) -> DataType:
    """Return a type with another field, or other things in it."""
    match holder:
        case StructType(fields):
            # By object: two fields may have names that differ in case alone.
            return StructType(tuple(after if field is before else field for field in fields))
        case ArrayType():
            return ArrayType(after.data_type, after.nullable)
        case MapType() if before.name == KEY:
            return replace(holder, key_type=after.data_type)
        case MapType():
            return replace(holder, value_type=after.data_type, value_contains_null=after.nullable)
        case _:
            return holder


def _paths(data_type: DataType, above: Path = ()) -> list[Path]:
    match data_type:
        case StructType(fields):
            parts = list(fields)
        case ArrayType() | MapType():
            parts = [part for name in (ELEMENT, KEY, VALUE) if (part := part_of(data_type, name))]
        case _:
            parts = []
    found = []
    for part in parts:
        path = (*above, part.name)
        found += [path, *_paths(part.data_type, path)]
    return found
