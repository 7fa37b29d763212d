"""Giving columns the ids and physical names by which column mapping knows them.

Protocol: Column Mapping, Writer Requirements for Column Mapping. A field that has an id or a name
keeps it for good; ids count up and are never assigned twice, so that a column that comes back under
an old name does not find the old column's values.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from puredelta.schema.changes import alike
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import (
    ID_KEY,
    NESTED_IDS_KEY,
    MappingMode,
    mapping_mode,
    unmapped_schema,
)
from puredelta.table.protocol.feature_activation import all_fields

MAX_ID_KEY = "delta.columnMapping.maxColumnId"

_ASSIGNED_KEYS = (ID_KEY, PHYSICAL_NAME_KEY, NESTED_IDS_KEY)

NameOf = Callable[[StructField], str]


def random_name(field: StructField) -> str:
    """Return a physical name that no column ever had: `col-` and a UUID."""
    del field
    return f"col-{uuid.uuid4()}"


def present_name(field: StructField) -> str:
    """Return the name that a column has in files that were written before the mapping."""
    return field.name


def with_mapping(
    schema: StructType, configuration: Mapping[str, str], name_of: NameOf = random_name
) -> tuple[StructType, dict[str, str]]:
    """Assign an id and a physical name to each field that has none, at every depth.

    Protocol: Column Mapping.

    Args:
        schema: All columns of a table; existing ones with their ids and physical names.
        configuration: The table's properties; nothing is done unless they turn mapping on.
        name_of: What names a field that has no physical name: `random_name`, or `present_name` for
            a table with files that were written before it was mapped.

    Returns:
        The schema, and the properties with the highest id that was ever assigned.
    """
    if mapping_mode(configuration) is MappingMode.NONE:
        return schema, dict(configuration)
    # Both count: the property includes the ids of dropped columns, and the schema may have ids that
    # its writer did not record in the property.
    highest = max(_highest_assigned(configuration), highest_id(schema))
    ids = count(highest + 1)
    done = _struct(schema, ids, name_of)
    highest = max(highest, highest_id(done))
    return done, {**configuration, MAX_ID_KEY: str(highest)}


def keep_ids_of(
    old_table: tuple[StructType, Mapping[str, str]],
    schema: StructType,
    configuration: Mapping[str, str],
) -> tuple[StructType, dict[str, str]]:
    """Return a new schema with the ids and physical names of old columns of the same path and type.

    Ids go on counting, so that other columns are new ones. All columns are new where the mode
    changes, so that files are matched by id instead of by name, or the other way round.

    Args:
        old_table: The schema and the properties of the table that is replaced.
        schema: The new columns.
        configuration: The new properties.
    """
    old, before = old_table
    modes = mapping_mode(before), mapping_mode(configuration)
    # Without mapping on both sides there are no ids to keep, or none to give.
    if MappingMode.NONE in modes:
        return schema, dict(configuration)
    highest = max(_highest_assigned(before), highest_id(old))
    kept = _kept(old, schema) if modes[0] is modes[1] else schema
    return kept, {**configuration, MAX_ID_KEY: str(highest)}


def with_ids_from(configuration: Mapping[str, str], highest: int) -> dict[str, str]:
    """Reserve the ids that columns have or had in existing files.

    Args:
        configuration: The properties of the table.
        highest: The highest of these ids; 0 when the files have none.
    """
    if not highest:
        return dict(configuration)
    return {**configuration, MAX_ID_KEY: str(max(highest, _highest_assigned(configuration)))}


def highest_id(schema: StructType) -> int:
    """Return the highest id of a field, or of what is in its arrays and maps; 0 if none has any."""
    return max((number for field in all_fields(schema) for number in _ids(field)), default=0)


def without_ids(
    schema: StructType, configuration: Mapping[str, str]
) -> tuple[StructType, dict[str, str]]:
    """Return a schema and properties without column mapping."""
    kept = {
        key: value
        for key, value in configuration.items()
        if not key.startswith("delta.columnMapping.")
    }
    return unmapped_schema(schema), kept


def _highest_assigned(configuration: Mapping[str, str]) -> int:
    return int(configuration.get(MAX_ID_KEY, "0"))


def _ids(field: StructField) -> Iterator[int]:
    own = field.metadata.get(ID_KEY)
    if isinstance(own, int):
        yield own
    nested = field.metadata.get(NESTED_IDS_KEY)
    if isinstance(nested, Mapping):
        yield from (value for value in nested.values() if isinstance(value, int))


def _kept(old: StructType, new: StructType) -> StructType:
    return StructType(tuple(_kept_field(old.field(field.name), field) for field in new))


def _kept_field(old: StructField | None, new: StructField) -> StructField:
    if old is None:
        return new
    inner = _kept_inside(old.data_type, new.data_type)
    # With another type the old files cannot be read as the column, so that it is a new one.
    if not alike(old.data_type, new.data_type):
        return replace(new, data_type=inner)
    known = {key: old.metadata[key] for key in _ASSIGNED_KEYS if key in old.metadata}
    return replace(new, data_type=inner, metadata={**new.metadata, **known})


def _kept_inside(old: DataType, new: DataType) -> DataType:
    match old, new:
        case StructType(), StructType():
            return _kept(old, new)
        case ArrayType(old_element), ArrayType(element):
            return replace(new, element_type=_kept_inside(old_element, element))
        case MapType(old_key, old_value), MapType(key, value):
            keys, values = _kept_inside(old_key, key), _kept_inside(old_value, value)
            return replace(new, key_type=keys, value_type=values)
        case _:
            return new


def _struct(schema: StructType, ids: Iterator[int], name_of: NameOf) -> StructType:
    return StructType(tuple(_field(field, ids, name_of) for field in schema))


def _field(field: StructField, ids: Iterator[int], name_of: NameOf) -> StructField:
    """Return a field with id and physical name; outer fields get lower ids than inner ones."""
    metadata = dict(field.metadata)
    if ID_KEY not in metadata:
        metadata[ID_KEY] = next(ids)
    if PHYSICAL_NAME_KEY not in metadata:
        metadata[PHYSICAL_NAME_KEY] = name_of(field)
    return replace(field, data_type=_type(field.data_type, ids, name_of), metadata=metadata)


def _type(data_type: DataType, ids: Iterator[int], name_of: NameOf) -> DataType:
    match data_type:
        case StructType():
            return _struct(data_type, ids, name_of)
        case ArrayType(element):
            return replace(data_type, element_type=_type(element, ids, name_of))
        case MapType(key, value):
            keys = _type(key, ids, name_of)
            return replace(data_type, key_type=keys, value_type=_type(value, ids, name_of))
        case _:
            return data_type
