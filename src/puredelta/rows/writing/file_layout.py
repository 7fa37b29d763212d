"""How rows of a table lie in its files: names, ids and types of columns, and partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from puredelta.log.actions import Metadata
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType
from puredelta.table.columns.column_mapping import (
    PARQUET_ID_KEY,
    mapping_mode,
    physical_names,
    written_schema,
)
from puredelta.table.protocol.protocol import schema_of
from puredelta.table.statistics.indexed_columns import Indexing, as_in_files, indexing_of

_ID_IN_FILES = b"PARQUET:field_id"


@dataclass(frozen=True)
class FileLayout:
    """How rows of a table lie in its files.

    Attributes:
        metadata: the table's.
    """

    metadata: Metadata

    @cached_property
    def table(self) -> StructType:
        """The columns, as users name them."""
        return schema_of(self.metadata)

    @cached_property
    def written(self) -> StructType:
        """The same columns, as files name them, with their ids where the table maps columns."""
        mode = mapping_mode(self.metadata.configuration)
        return written_schema(self.table, self.table, mode)

    @cached_property
    def arrow(self) -> pa.Schema:
        """The same columns, in types of Arrow."""
        return pa.schema([_arrow_field(field) for field in self.written])

    @cached_property
    def partition_columns(self) -> list[str]:
        """The partition columns, as files name them."""
        mode = mapping_mode(self.metadata.configuration)
        return physical_names(self.table, self.metadata.partition_columns, mode)

    @cached_property
    def data_columns(self) -> StructType:
        """The columns that lie in files."""
        partitions = set(self.partition_columns)
        return StructType(tuple(f for f in self.written if f.name not in partitions))

    @cached_property
    def indexing(self) -> Indexing:
        """The columns that get statistics, as files name them."""
        return as_in_files(indexing_of(self.metadata.configuration), self.table)


def _arrow_field(field: StructField) -> pa.Field:
    # Files may have nulls wherever they like; the rows are checked against the table.
    number = field.metadata.get(PARQUET_ID_KEY)
    metadata = None if number is None else {_ID_IN_FILES: str(number).encode()}
    return pa.field(field.name, _arrow_type(field.data_type), metadata=metadata)


def _arrow_type(data_type: DataType) -> pa.DataType:
    match data_type:
        case StructType():
            return pa.struct([_arrow_field(field) for field in data_type])
        case ArrayType(element):
            return pa.list_(pa.field("element", _arrow_type(element)))
        case MapType(key, value):
            return pa.map_(
                pa.field("key", _arrow_type(key), nullable=False),
                pa.field("value", _arrow_type(value)),
            )
    return type_to_arrow(data_type)
