"""Columns and change data feeds: can changes of a version be read with the schema of another?"""

from collections.abc import Sequence

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.actions import Metadata
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructType
from puredelta.table.change_columns import keeps_changes
from puredelta.table.columns.column_mapping import (
    MappingMode,
    mapping_mode,
    physical_name,
    physical_paths,
)
from puredelta.table.columns.type_widening import widens
from puredelta.table.protocol.protocol import schema_of

# The error names the setting by which delta-spark reads a range with another schema.
_MODE_SETTING = "spark.databricks.delta.changeDataFeed.defaultSchemaModeForColumnMappingTable"


def check_schema(
    read: Metadata, data: Metadata, span: tuple[int, int], version: int, *, at_start: bool
) -> None:
    """Refuse to read changes of a version whose columns are not in the schema they are read with.

    Args:
        read: the metadata whose schema is read with.
        data: the metadata of the version.
        span: the first and the last version whose changes are read.
        version: the version.
        at_start: whether it is the first version of the range.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA at the
            start, DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE behind it.
    """
    if _reads(read, data):
        return
    start, end = span
    if at_start:
        raise DeltaUnsupportedOperationError(
            "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA",
            start=start,
            end=end,
            readSchema=read.schema_string,
            readVersion=end,
            incompatibleVersion=version,
            config=_MODE_SETTING,
        )
    raise DeltaUnsupportedOperationError(
        "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE",
        start=start,
        end=end,
        readSchema=read.schema_string,
        readVersion=end,
        incompatibleVersion=version,
    )


def check_columns_stay(before: Metadata, after: Metadata, operation: str) -> None:
    """Refuse to drop or rename mapped columns by a commit with files, where changes are recorded.

    The files that it adds and removes would describe columns that are not the same.

    Args:
        before: the existing metadata.
        after: the metadata of the commit.
        operation: what the commit does.

    Raises:
        DeltaUnsupportedOperationError: DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION.
    """
    mode = mapping_mode(after.configuration)
    if mode is MappingMode.NONE or not keeps_changes(after.configuration):
        return
    old_mode = mapping_mode(before.configuration)
    old = {inner: outer for outer, inner in physical_paths(schema_of(before), old_mode)}
    new = {inner: outer for outer, inner in physical_paths(schema_of(after), mode)}
    # A commit that turns mapping on renames every column as far as files are concerned.
    if old_mode is MappingMode.NONE or any(new.get(path) != old[path] for path in old):
        raise DeltaUnsupportedOperationError(
            "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION", opName=operation
        )


def _reads(read: Metadata, data: Metadata) -> bool:
    # The common case, in which only properties changed: no schema has to be parsed.
    if read.schema_string == data.schema_string:
        return _lower(read.partition_columns) == _lower(data.partition_columns)
    modes = mapping_mode(read.configuration), mapping_mode(data.configuration)
    same_parts = _lower(read.partition_columns) == _lower(data.partition_columns)
    return same_parts and _holds(schema_of(read), schema_of(data), modes)


def _lower(names: Sequence[str]) -> list[str]:
    return [name.lower() for name in names]


def _holds(read: DataType, data: DataType, modes: tuple[MappingMode, MappingMode]) -> bool:
    """Say whether every field of the data is read, with a type that can represent its values."""
    match read, data:
        case StructType(), StructType():
            return all(
                (found := read.field(field.name)) is not None
                # A dropped column that came back by its name has another physical name, and the
                # files of the version do not contain it.
                and physical_name(found, modes[0]) == physical_name(field, modes[1])
                and _holds(found.data_type, field.data_type, modes)
                for field in data
            )
        case ArrayType(new), ArrayType(old):
            return _holds(new, old, modes)
        case MapType(new_key, new), MapType(old_key, old):
            return _holds(new_key, old_key, modes) and _holds(new, old, modes)
        case _:
            return read == data or widens(data, read)
