"""The columns of an Iceberg table as those of a Delta table, found in its files by their ids.

Iceberg numbers columns as column mapping does, elements of lists and maps included; so its ids are
taken over, and columns that were renamed, dropped or moved are read right from older files.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyiceberg import types as iceberg

from puredelta.conversion.iceberg.file_column_names import NamesInFiles
from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import ID_KEY
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY

_PRIMITIVES: Mapping[type, DataType] = {
    iceberg.BooleanType: BOOLEAN,
    iceberg.IntegerType: INTEGER,
    iceberg.LongType: LONG,
    iceberg.FloatType: FLOAT,
    iceberg.DoubleType: DOUBLE,
    iceberg.DateType: DATE,
    iceberg.TimestampType: TIMESTAMP_NTZ,
    iceberg.TimestamptzType: TIMESTAMP,
    iceberg.StringType: STRING,
    iceberg.BinaryType: BINARY,
    iceberg.FixedType: BINARY,
}
_COMMENT = "comment"


def delta_schema(
    schema: Any,
    history: Sequence[Any],
    changes: Mapping[int, list[object]] | None = None,
    names: NamesInFiles | None = None,
    *,
    time_as_long: bool = False,
) -> StructType:
    """Return the columns of a Delta table that has the files of an Iceberg table.

    Args:
        schema: The current `pyiceberg.schema.Schema`.
        history: All schemas that the table had, the oldest first, by which columns get the names
            that most of the files have.
        changes: Which types columns had before, by their ids; see `type_changes`.
        names: The names of columns in files, where they are found by them.
        time_as_long: Read times of day as microseconds since midnight.

    Raises:
        DeltaUnsupportedOperationError: A column has a type that Delta tables don't know
            (DELTA_ICEBERG_COLUMN_TYPE), or a default that older files lack
            (DELTA_ICEBERG_COLUMN_DEFAULT).
    """
    schemas = [*history, schema]
    shared = frozenset() if names else _shared_names(schemas)
    chosen = _first_names(schemas, names or NamesInFiles(), shared)
    required = _always_required([*history, schema])
    reading = _ColumnReading(chosen, changes or {}, required, time_as_long)
    return reading.struct(schema.fields, ())


@dataclass(frozen=True, slots=True)
class _ColumnReading:
    names: Mapping[int, str]
    changes: Mapping[int, list[object]]
    required: frozenset[int]
    time_as_long: bool

    def struct(self, fields: Iterable[Any], above: tuple[str, ...]) -> StructType:
        return StructType(tuple(self._field(field, above) for field in fields))

    def _field(self, field: Any, above: tuple[str, ...]) -> StructField:
        path = (*above, field.name)
        if field.initial_default is not None:
            raise DeltaUnsupportedOperationError(
                "DELTA_ICEBERG_COLUMN_DEFAULT", column=".".join(path), value=field.initial_default
            )
        metadata: dict[str, object] = {
            ID_KEY: field.field_id,
            PHYSICAL_NAME_KEY: self.names[field.field_id],
        }
        if field.field_id in self.changes:
            metadata[TYPE_CHANGES_KEY] = self.changes[field.field_id]
        if field.doc is not None:
            metadata[_COMMENT] = field.doc
        nullable = field.field_id not in self.required
        return StructField(field.name, self._type(field.field_type, path), nullable, metadata)

    def _type(self, found: Any, path: tuple[str, ...]) -> DataType:
        match found:
            case iceberg.StructType():
                return self.struct(found.fields, path)
            case iceberg.ListType():
                element = self._type(found.element_type, (*path, "element"))
                return ArrayType(_all_nullable(element), not found.element_required)
            case iceberg.MapType():
                key = self._type(found.key_type, (*path, "key"))
                value = self._type(found.value_type, (*path, "value"))
                required = found.value_required
                return MapType(_all_nullable(key), _all_nullable(value), not required)
            case iceberg.TimeType() if self.time_as_long:
                return LONG
        known = primitive(found)
        if known is None:
            raise DeltaUnsupportedOperationError(
                "DELTA_ICEBERG_COLUMN_TYPE", column=".".join(path), type=str(found)
            )
        return known


def primitive(found: Any) -> DataType | None:
    """Return the type for one of Iceberg that has no parts; None when Delta tables have none."""
    if isinstance(found, iceberg.DecimalType):
        return DecimalType(found.precision, found.scale)
    return _PRIMITIVES.get(type(found))


def _all_nullable(data_type: DataType) -> DataType:
    """Leave NOT NULL out inside arrays and maps, where Delta tables don't have it."""
    match data_type:
        case StructType(fields):
            return StructType(
                tuple(
                    replace(field, nullable=True, data_type=_all_nullable(field.data_type))
                    for field in fields
                )
            )
        case _:
            return data_type


def _shared_names(schemas: Sequence[Any]) -> frozenset[tuple[int, str]]:
    """Return the names that several columns of one struct had, one after the other.

    Spark finds columns by their ids, but takes the type of a file's column from the column of the
    same name, if there is one. So no column may have such a name in the log.
    """
    owners: dict[tuple[int, str], set[int]] = {}
    for schema in schemas:
        for above, field in each_field(schema):
            owners.setdefault((above, field.name.lower()), set()).add(field.field_id)
    return frozenset(name for name, ids in owners.items() if len(ids) > 1)


def _first_names(
    schemas: Sequence[Any], known: NamesInFiles, shared: frozenset[tuple[int, str]]
) -> dict[int, str]:
    """Choose the names that columns have in the log, no two alike in one struct.

    Nor is one like that of a column in files which the table does not have.
    The first name of a column is the one in the files that were there before it was renamed.

    Args:
        schemas: All schemas that the table had, the oldest first.
        known: The names in files, where columns are found by them.
        shared: The names that no column may have, each with the id of what it is a part of.
    """
    columns = {
        field.field_id: (above, field.name)
        for schema in reversed(schemas)
        for above, field in each_field(schema)
    }
    names = {number: name for number, name in known.names.items() if number in columns}
    taken = {(columns[number][0], name.lower()) for number, name in names.items()}
    taken |= known.others | shared
    for number, (above, first) in sorted(columns.items()):
        if number not in names:
            is_free = (above, first.lower()) not in taken
            names[number] = first if is_free else f"col-{uuid.uuid4()}"
            taken.add((above, names[number].lower()))
    return names


def _always_required(schemas: Sequence[Any]) -> frozenset[int]:
    """Return the columns that no file can lack: a change may make one required that some do."""
    required = (
        {field.field_id for _, field in each_field(schema) if field.required} for schema in schemas
    )
    return frozenset.intersection(*map(frozenset, required))


def each_field(schema: Any) -> Iterable[tuple[int, Any]]:
    """Yield the fields of a schema at every depth, each with the id of what it is a part of."""
    return _each_field(schema.fields, -1)


def _each_field(fields: Iterable[Any], above: int) -> Iterable[tuple[int, Any]]:
    for field in fields:
        yield above, field
        yield from _inside(field.field_type, field.field_id)


def _inside(found: Any, above: int) -> Iterable[tuple[int, Any]]:
    match found:
        case iceberg.StructType():
            yield from _each_field(found.fields, above)
        case iceberg.ListType():
            yield from _inside(found.element_type, found.element_id)
        case iceberg.MapType():
            yield from _inside(found.key_type, found.key_id)
            yield from _inside(found.value_type, found.value_id)
