"""One schema for many files: all columns of all of them, in the types that they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from puredelta.errors import DeltaAnalysisError, DeltaError, DeltaRuntimeError
from puredelta.schema.changes import Path
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    VOID,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.schema.walk import each_field
from puredelta.table.columns.schema_check import check_duplicates
from puredelta.table.evolution.type_merging import (
    SMALL_INTEGERS,
    merge_types,
    wider_small_integer,
)

# Arrow stores columns without a type as INT32, and Spark reads that as no other type, all null
# though they are.
_READ_FROM_INT = (*SMALL_INTEGERS, LONG, DOUBLE, DATE)

_MAX_KEPT = 1_000


class TypeClash(Exception):  # noqa: N818  # becomes an error once the files are known
    """A column that has two types without one in common.

    Attributes:
        column: The names on the way to it.
        left: Its type on one side.
        right: Its type on the other.
    """

    def __init__(self, column: Path, left: DataType, right: DataType) -> None:
        super().__init__(column, left, right)
        self.column = column
        self.left = left
        self.right = right


def merge_schemas(
    left: StructType, right: StructType, *, case_sensitive: bool = False
) -> StructType:
    """Return the columns of both schemas: those of `left`, then what only `right` has.

    Args:
        left: Its names, and what it says of columns besides their types, hold for both.
        right: Another schema.
        case_sensitive: Whether names that differ only in case name two columns.

    Raises:
        DeltaAnalysisError: A column has types that have none in common
            (DELTA_MERGE_INCOMPATIBLE_DATATYPE).
    """
    try:
        return _Union(case_sensitive).merge_structs(left, right, ())
    except TypeClash as clash:
        raise DeltaAnalysisError(
            "DELTA_MERGE_INCOMPATIBLE_DATATYPE",
            currentDataType=f"{quote_path(clash.column)} {simple_string(clash.left)}",
            updateDataType=simple_string(clash.right),
        ) from None


class MergedSchema:
    """Merges the schemas of files one by one; those that were seen before cost nothing.

    Attributes:
        schema: That of all files added; without columns when there is none. It is the same object
            until a file changes it.
    """

    def __init__(self, *, case_sensitive: bool = False) -> None:
        self.schema = StructType()
        # As files have it, where a column may be void: it becomes what the others say.
        self._merged = StructType()
        self._union = _Union(case_sensitive)
        # Each distinct schema with the first file that has it; by identity first, which is free.
        self._seen: dict[StructType, str] = {}
        self._known: dict[int, StructType] = {}

    def add(self, path: str, schema: StructType) -> None:
        """Merge the schema of a file; one that does not fit leaves all as it was.

        Args:
            path: The file.
            schema: Its columns.

        Raises:
            DeltaError: A column has another type than in the files before
                (DELTA_FAILED_MERGE_SCHEMA_FILE), or two columns have the same name
                (DELTA_DUPLICATE_COLUMNS_FOUND.CONVERT_TO_DELTA).
        """
        if id(schema) in self._known:
            return
        if schema not in self._seen:
            self._take(path, schema)
        if len(self._known) < _MAX_KEPT:
            # Kept alive, so that no other schema can have its identity.
            self._known[id(schema)] = schema

    def _take(self, path: str, schema: StructType) -> None:
        _check_distinct(path, schema)
        try:
            merged = self._union.merge_structs(self._merged, schema, ())
        except TypeClash as clash:
            raise self._error(path, clash) from None
        changed = merged != self._merged
        if changed:
            self._merged = merged
            settled = without_void(merged)
            self.schema = self.schema if settled == self.schema else settled
        # A schema that changed the result stays beyond the limit: errors name the file it came
        # from.
        if changed or len(self._seen) < _MAX_KEPT:
            self._seen[schema] = path

    def _error(self, path: str, clash: TypeClash) -> DeltaError:
        return DeltaRuntimeError(
            "DELTA_FAILED_MERGE_SCHEMA_FILE",
            file=path,
            column=quote_path(clash.column),
            schema=_type_string(clash.right),
            otherSchema=_type_string(clash.left),
            otherFile=self._file_with(clash),
        )

    def _file_with(self, clash: TypeClash) -> str:
        """Name the first file that has a column in the other type, or in a part of it."""
        having = [
            (path, found)
            for schema, path in self._seen.items()
            for found in _types_at(schema, clash.column)
        ]
        return next((path for path, found in having if found == clash.left), having[0][0])


def without_void(schema: StructType) -> StructType:
    """Return a schema in which columns without a type, all of whose values are null, have one.

    It is the one that Spark gives them.
    """
    return each_field(schema, lambda field: replace(field, data_type=_not_void(field.data_type)))


def _not_void(data_type: DataType) -> DataType:
    match data_type:
        case ArrayType(element):
            return replace(data_type, element_type=_not_void(element))
        case MapType(key, value):
            return replace(data_type, key_type=_not_void(key), value_type=_not_void(value))
    return INTEGER if data_type == VOID else data_type


def _type_string(data_type: DataType) -> str:
    if data_type == VOID:
        return "void (only nulls, stored as int)"
    return simple_string(data_type)


def _check_distinct(path: str, schema: StructType) -> None:
    condition = "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"
    try:
        check_duplicates(schema, condition)
    except DeltaAnalysisError as error:
        raise DeltaAnalysisError(
            "DELTA_DUPLICATE_COLUMNS_FOUND.CONVERT_TO_DELTA",
            duplicateCols=error.parameters["duplicateCols"],
            file=path,
        ) from None


@dataclass(frozen=True, slots=True)
class _Union:
    """The merge that takes all columns of both sides: what is null on one side may be null."""

    case_sensitive: bool

    def merge_structs(self, left: StructType, right: StructType, path: Path) -> StructType:
        others = {self._key(field): field for field in right}
        merged: list[StructField] = []
        for field in left:
            other = others.pop(self._key(field), None)
            merged.append(field if other is None else self._merge_field(field, other, path))
        return StructType((*merged, *others.values()))

    def merge_leaves(self, left: DataType, right: DataType, path: Path) -> DataType:
        if left == VOID and (right == VOID or right in _READ_FROM_INT):
            return right
        if right == VOID and left in _READ_FROM_INT:
            return left
        wider = wider_small_integer(left, right)
        if wider is not None:
            return wider
        if left != right:
            raise TypeClash(path, left, right)
        return left

    def merge_nullability(self, left: bool, right: bool) -> bool:  # noqa: FBT001  # a pair of values
        return left or right

    def _merge_field(self, left: StructField, right: StructField, above: Path) -> StructField:
        data_type = merge_types(left.data_type, right.data_type, (*above, left.name), self)
        nullable = self.merge_nullability(left.nullable, right.nullable)
        return replace(left, data_type=data_type, nullable=nullable)

    def _key(self, field: StructField) -> str:
        return field.name if self.case_sensitive else field.name.lower()


def _types_at(data_type: DataType, column: Path) -> Iterator[DataType]:
    """Find what is at a path, in any spelling of its names."""
    if not column:
        yield data_type
        return
    name, rest = column[0], column[1:]
    match data_type:
        case StructType(fields):
            inner = [field.data_type for field in fields if field.name.lower() == name.lower()]
        case ArrayType(element):
            inner = [element]
        case MapType(key, value):
            inner = [key if name == "key" else value]
        case _:
            inner = []
    for part in inner:
        yield from _types_at(part, rest)
