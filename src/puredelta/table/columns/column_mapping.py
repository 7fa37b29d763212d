"""Column mapping: the names and ids under which data files and the log know the columns.

Protocol: Column Mapping. Users see the name of a field; Parquet files, partition values and
statistics have its physical name, and in mode `id` columns of files are found by their ids alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.schema.walk import each_field

MODE_KEY = "delta.columnMapping.mode"
ID_KEY = "delta.columnMapping.id"
NESTED_IDS_KEY = "delta.columnMapping.nested.ids"
PARQUET_ID_KEY = "parquet.field.id"
"""Where Spark's Parquet reader looks for the number of a column."""

# Metadata that column mapping adds to a field.
_INTERNAL_KEYS = frozenset({ID_KEY, PHYSICAL_NAME_KEY, NESTED_IDS_KEY, PARQUET_ID_KEY})

Path = tuple[str, ...]


class MappingMode(Enum):
    """How the columns of a table are found in its files."""

    NONE = "none"
    NAME = "name"
    ID = "id"


def mapping_mode(configuration: Mapping[str, str]) -> MappingMode:
    """Return the mode of a table.

    Raises:
        DeltaUnsupportedOperationError: The protocol does not define the mode.
    """
    text = configuration.get(MODE_KEY, "none").strip().lower()
    try:
        return MappingMode(text)
    except ValueError:
        raise DeltaUnsupportedOperationError(
            "DELTA_COLUMN_MAPPING_MODE_UNKNOWN", mode=text
        ) from None


def identity(field: StructField) -> Hashable:
    """Return what identifies a field across renames: its id, or its name where it has none."""
    return field.metadata.get(ID_KEY, field.name.lower())


def physical_name(field: StructField, mode: MappingMode) -> str:
    """Return the name of a field in files and in the log.

    Raises:
        DeltaIllegalStateError: The table maps columns, and the field has no physical name.
    """
    if mode is MappingMode.NONE:
        return field.name
    name = field.metadata.get(PHYSICAL_NAME_KEY)
    if not isinstance(name, str):
        raise DeltaIllegalStateError("DELTA_COLUMN_MAPPING_NAME_MISSING", columnName=field.name)
    return name


def physical_names(schema: StructType, names: Sequence[str], mode: MappingMode) -> list[str]:
    """Return the physical names of top-level columns, partition columns for example.

    A name that is no column stays as it is.
    """
    if mode is MappingMode.NONE:
        return list(names)
    fields = (schema.field(name) for name in names)
    return [
        name if field is None else physical_name(field, mode)
        for name, field in zip(names, fields, strict=True)
    ]


def physical_paths(schema: StructType, mode: MappingMode) -> Iterator[tuple[Path, Path]]:
    """Yield the path of each field that structs alone lead to, as users and as files have it."""
    for field in schema:
        inside = physical_name(field, mode)
        yield (field.name,), (inside,)
        if isinstance(field.data_type, StructType):
            for outer, inner in physical_paths(field.data_type, mode):
                yield (field.name, *outer), (inside, *inner)


def physical_schema(
    wanted: StructType, table: StructType, mode: MappingMode, *, with_ids: bool | None = None
) -> StructType:
    """Give the part of a table that a query asks for the names, and ids, of the files.

    Args:
        wanted: Columns of the table, whole or with some of their inner fields, in any order;
            columns that the table does not have are left as they are.
        table: The table's schema.
        mode: How its columns are mapped.
        with_ids: Whether fields carry their ids; by default those that are found by them alone.
    """
    # In mode `name` files of before the mapping have no ids, so a reader must not ask for them.
    ids = mode is MappingMode.ID if with_ids is None else with_ids
    return StructType(tuple(_physical_field(field, table, mode, ids=ids) for field in wanted))


def written_schema(columns: StructType, table: StructType, mode: MappingMode) -> StructType:
    """Give columns that are to be written the names and the ids that they have in files.

    Protocol: Column Mapping, Writer Requirements; files carry ids in mode `name` too.

    Args:
        columns: Columns of the table as users name them, in any order.
        table: The table's schema.
        mode: How its columns are mapped.
    """
    return physical_schema(columns, table, mode, with_ids=mode is not MappingMode.NONE)


def unmapped_schema(schema: StructType) -> StructType:
    """Leave out of a schema what column mapping keeps in it, its names and ids."""
    return each_field(schema, _unmapped)


def without_mapping(metadata: Mapping[str, object]) -> Mapping[str, object]:
    """Leave out of a field's metadata what column mapping keeps in it."""
    if not _INTERNAL_KEYS & metadata.keys():
        return metadata
    return {key: value for key, value in metadata.items() if key not in _INTERNAL_KEYS}


def _unmapped(field: StructField) -> StructField:
    kept = without_mapping(field.metadata)
    return field if kept is field.metadata else replace(field, metadata=kept)


def _physical_field(
    field: StructField, table: StructType, mode: MappingMode, *, ids: bool
) -> StructField:
    # Other engines may have made columns that differ in case alone; the exact name comes first.
    known = table.field(field.name, case_sensitive=True) or table.field(field.name)
    if known is None:
        return field
    metadata = {PARQUET_ID_KEY: known.metadata[ID_KEY]} if ids and ID_KEY in known.metadata else {}
    return StructField(
        physical_name(known, mode),
        _physical_type(field.data_type, known.data_type, mode, ids=ids),
        field.nullable,
        metadata,
    )


def _physical_type(wanted: DataType, known: DataType, mode: MappingMode, *, ids: bool) -> DataType:
    match wanted, known:
        case StructType(), StructType():
            return physical_schema(wanted, known, mode, with_ids=ids)
        case ArrayType(element), ArrayType(known_element):
            return replace(
                wanted, element_type=_physical_type(element, known_element, mode, ids=ids)
            )
        case MapType(key, value), MapType(known_key, known_value):
            return replace(
                wanted,
                key_type=_physical_type(key, known_key, mode, ids=ids),
                value_type=_physical_type(value, known_value, mode, ids=ids),
            )
        case _:
            return wanted
