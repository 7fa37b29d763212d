"""The files of a table as a dataset of Arrow, where they alone give the rows of the table."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pafs

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.reader import TableReader
from puredelta.schema.arrow import to_arrow
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, VARIANT, VOID
from puredelta.schema.walk import types_in
from puredelta.storage.location import local_path
from puredelta.table.columns.char_lengths import char_length
from puredelta.table.partition_values import typed_partitions
from puredelta.table.protocol.feature_activation import all_fields


def dataset_of(table: TableReader, filesystem: pafs.FileSystem | None) -> ds.Dataset:
    """Return the files of a table as a dataset; see `OpenTable.to_dataset`."""
    uris = table.file_uris()
    reason = next(_reasons(table, filesystem), None)
    if reason is not None:
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_NO_DATASET", table=table.log.store.url, reason=reason
        )
    # Spark's default for points in time, INT96, would be read as nanoseconds, which end in 2262.
    reading = ds.ParquetReadOptions(coerce_int96_timestamp_unit="us")
    parquet = ds.ParquetFileFormat(read_options=reading)
    store = filesystem or pafs.LocalFileSystem()
    values = typed_partitions(table.snapshot.files, table.schema, table.snapshot.partition_columns)
    fragments = [
        parquet.make_fragment(_path(uri), store, partition_expression=_condition(values, row))
        for row, uri in enumerate(uris)
    ]
    return ds.FileSystemDataset(fragments, to_arrow(table.schema), parquet, store)


def _reasons(table: TableReader, filesystem: pafs.FileSystem | None) -> Iterator[str]:
    for field in all_fields(table.schema):
        if char_length(str(field.metadata.get(DECLARED_TYPE_KEY, ""))):
            yield f"values of the column {field.name} are padded when they are read"
        if {VARIANT, VOID} & set(types_in(field.data_type)):
            yield f"Arrow does not read the type of the column {field.name} from files"
    if filesystem is None:
        root = table.log.store.url
        if any(local_path(uri) is None for uri in [root, *table.file_uris()]):
            yield "it has files elsewhere than on this machine, so that it needs `filesystem`"


def _path(uri: str) -> str:
    """Return what a filesystem of Arrow calls a file: the bucket and the key in a store."""
    path = local_path(uri)
    return uri.partition("://")[2] if path is None else path


def _condition(values: pa.Table, row: int) -> pc.Expression:
    """Return what is true of all rows of a file; Arrow reads values of partition columns in it."""
    parts = [_equal(name, values[name][row]) for name in values.column_names]
    return reduce(operator.and_, parts, pc.scalar(value=True))


def _equal(name: str, value: pa.Scalar) -> pc.Expression:
    column = pc.field(name)
    if not value.is_valid:
        return column.is_null()
    plain = value.as_py() if pa.types.is_floating(value.type) else 0.0
    if math.isnan(plain):
        raise DeltaUnsupportedOperationError(
            "PUREDELTA_NO_DATASET", table=name, reason=f"{name} has the partition value NaN"
        )
    return column == value
