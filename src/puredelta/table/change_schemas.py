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

_MODE_SETTING = "spark.databricks.delta.changeDataFeed.defaultSchemaModeForColumnMappingTable"


def check_schema(
    read: Metadata, there: Metadata, span: tuple[int, int], version: int, *, at_start: bool
) -> None:
    """Refuse to read changes of a version whose columns are not in the schema they are read with.

    Args:
        read: the metadata whose schema is read with.
        there: that of the version.
        span: the first and the last version whose changes are read.
        version: the version.
        at_start: it is the first one.

    Raises:
        DeltaUnsupportedOperationError: DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA at the
            start, DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE behind it.
    """
    if _reads(read, there):
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
    """Refuse to drop or rename mapped columns by a commit with files, where changes are kept.

    The files that come and go would describe columns that are not the same.

    Args:
        before: the metadata that there is.
        after: that which there will be.
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
    if old_mode is MappingMode.NONE or any(new.get(path) != old[path] for path in old):
        raise DeltaUnsupportedOperationError(
            "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION", opName=operation
        )


def _reads(read: Metadata, there: Metadata) -> bool:
    if read.schema_string == there.schema_string:
        return _lower(read.partition_columns) == _lower(there.partition_columns)
    modes = mapping_mode(read.configuration), mapping_mode(there.configuration)
    same_parts = _lower(read.partition_columns) == _lower(there.partition_columns)
    return same_parts and _holds(schema_of(read), schema_of(there), modes)


def _lower(names: Sequence[str]) -> list[str]:
    return [name.lower() for name in names]


def _holds(read: DataType, there: DataType, modes: tuple[MappingMode, MappingMode]) -> bool:
    """Say whether all that is there has a place in what is read."""
    match read, there:
        case StructType(), StructType():
            return all(
                (found := read.field(field.name)) is not None
                and physical_name(found, modes[0]) == physical_name(field, modes[1])
                and _holds(found.data_type, field.data_type, modes)
                for field in there
            )
        case ArrayType(new), ArrayType(old):
            return _holds(new, old, modes)
        case MapType(new_key, new), MapType(old_key, old):
            return _holds(new_key, old_key, modes) and _holds(new, old, modes)
        case _:
            return read == there or widens(there, read)
