"""Whether files that were written for one schema of a table are right for a later one.

A rewrite writes files for the schema that it read, as ALTER TABLE may change it meanwhile. Most
changes leave older files of the table in place, and the new files are as good as those.
"""

from __future__ import annotations

from puredelta.log.actions import Metadata
from puredelta.schema.datatypes import VOID, ArrayType, DataType, MapType, StructType
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode, physical_schema
from puredelta.table.columns.type_widening import widens
from puredelta.table.protocol.protocol import schema_of


def are_files_valid(before: Metadata, after: Metadata) -> bool:
    """Return whether files written for one metadata of a table can be read under another.

    Columns that came are null in them. A column that went may stay in them where files have names
    of their own for columns; without such names a new column of that name would show its values.

    Args:
        before: The metadata for which files were written.
        after: The metadata of a later version.
    """
    old, new = mapping_mode(before.configuration), mapping_mode(after.configuration)
    # Names in files equal the names of columns when mapping begins; it never ends in this way.
    if old is not new and (old, new) != (MappingMode.NONE, MappingMode.NAME):
        return False
    return _fit(_in_files(before, old), _in_files(after, new), old)


def _in_files(metadata: Metadata, mode: MappingMode) -> StructType:
    schema = schema_of(metadata)
    return physical_schema(schema, schema, mode)


def _fit(before: DataType, after: DataType, mode: MappingMode) -> bool:
    """Return whether values of one type, as files have them, can be read as another."""
    match before, after:
        case StructType(), StructType():
            return _fields_fit(before, after, mode)
        case ArrayType(old), ArrayType(new):
            return _fit(old, new, mode)
        case MapType(old_key, old_value), MapType(key, value):
            return _fit(old_key, key, mode) and _fit(old_value, value, mode)
        # Files have no column of the type void.
        case _:
            return before in (after, VOID) or widens(before, after)


def _fields_fit(before: StructType, after: StructType, mode: MappingMode) -> bool:
    for field in before:
        later = after.field(field.name)
        if later is None and mode is MappingMode.NONE:
            return False
        if later is not None and not _fit(field.data_type, later.data_type, mode):
            return False
    return True
