"""Columns that files still have and their table does not: DROP COLUMN leaves them in the files.

Protocol: Column Mapping. A column is dropped in the metadata alone; its values stay in the files.
"""

from collections.abc import Collection, Iterable, Mapping

import pyarrow as pa
import pyarrow.types as pt

from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.table.columns.column_mapping import PARQUET_ID_KEY, MappingMode, mapping_mode
from puredelta.table.protocol.feature_activation import all_fields
from puredelta.table.protocol.properties import MAX_COLUMN_ID

_ID_IN_FILES = b"PARQUET:field_id"


def may_have_dropped(schema: StructType, configuration: Mapping[str, str]) -> bool:
    """Return whether files of a table can have columns that it does not have.

    Every field has taken an id of its own, so the ids of a table that maps its columns show whether
    a field is gone. Nothing is known of other tables: their files may be older than they are.
    """
    if mapping_mode(configuration) is MappingMode.NONE:
        return True
    # A rewrite of the schema may leave gaps as well; a wrong yes only costs a look at the files.
    return MAX_COLUMN_ID.of(configuration) != sum(1 for _ in all_fields(schema))


def has_other_columns(file: pa.Schema, table: StructType, hidden: Collection[str] = ()) -> bool:
    """Return whether a file has a column, at any depth, that its table does not have.

    Args:
        file: The file's schema.
        table: The table's, with the names of the files; with ids where those find columns.
        hidden: Columns of files that are not the table's, but are needed.
    """
    return _has_others((field for field in file if field.name not in hidden), table)


def _has_others(fields: Iterable[pa.Field], table: StructType) -> bool:
    by_id = {
        column.metadata[PARQUET_ID_KEY]: column
        for column in table
        if PARQUET_ID_KEY in column.metadata
    }
    by_name = {column.name.lower(): column for column in table}
    return any(_is_other(field, by_id, by_name) for field in fields)


def _is_other(
    field: pa.Field, by_id: Mapping[object, StructField], by_name: Mapping[str, StructField]
) -> bool:
    number = (field.metadata or {}).get(_ID_IN_FILES)
    # Names decide for files without ids, such as those written before the mapping.
    if by_id and number is not None:
        known = by_id.get(int(number))
    else:
        known = by_name.get(field.name.lower())
    return known is None or _has_others_inside(field.type, known.data_type)


def _has_others_inside(file: pa.DataType, table: DataType) -> bool:
    match table:
        case StructType() if pt.is_struct(file):
            return _has_others(file, table)
        case ArrayType(element) if pt.is_list(file):
            return _has_others_inside(file.value_type, element)
        case MapType(key, value) if pt.is_map(file):
            return _has_others_inside(file.key_type, key) or _has_others_inside(
                file.item_type, value
            )
        case _:
            return False
