"""Columns of data that become columns of a table."""

from collections.abc import Iterable

from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.table.columns.column_mapping import without_mapping
from puredelta.table.protocol.feature_activation import DEFAULT_KEY, GENERATION_KEY, IDENTITY_PREFIX


def make_column(field: StructField) -> StructField:
    """Return a data column as it is added to a table: it may be null, at every depth."""
    # Ids and physical names are those of the table that the data came from.
    metadata = without_mapping(field.metadata)
    # Existing rows have null in a new column, so it cannot be NOT NULL.
    data_type = make_nullable(field.data_type)
    return StructField(field.name, data_type, nullable=True, metadata=dict(metadata))


def make_columns(fields: Iterable[StructField]) -> StructType:
    """Return all data columns as they are added to a table."""
    return StructType(tuple(make_column(field) for field in fields))


def make_nullable(data_type: DataType) -> DataType:
    """Return a type whose parts may all be null."""
    match data_type:
        case StructType(fields):
            return make_columns(fields)
        case ArrayType(element):
            return ArrayType(make_nullable(element), contains_null=True)
        case MapType(key, value):
            return MapType(make_nullable(key), make_nullable(value), value_contains_null=True)
    return data_type


def drop_definitions(field: StructField, *, defaults: bool) -> StructField:
    """Return a field without the definitions that it may have from another table.

    A column that rows do not have yet is not generated: their nulls would break its rule.

    Args:
        field: the column.
        defaults: keep the default that it comes with.
    """
    dropped = (GENERATION_KEY, IDENTITY_PREFIX, *(() if defaults else (DEFAULT_KEY,)))
    kept = {key: value for key, value in field.metadata.items() if not key.startswith(dropped)}
    if len(kept) == len(field.metadata):
        return field
    return StructField(field.name, field.data_type, field.nullable, kept)
