"""Parquet files of the log, written row group by row group."""

from collections.abc import Iterable
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

# Values that hardly ever repeat: a dictionary of them costs time and saves nothing.
_DISTINCT = ("add.path", "remove.path", "add.stats", "add.stats_parsed")


def parquet_bytes(tables: Iterable[pa.Table], schema: pa.Schema) -> bytes:
    """Write tables into one file, each as a row group.

    Args:
        tables: Rows with some of the columns; the others become null.
        schema: All columns.
    """
    sink = pa.BufferOutputStream()
    write_parquet(sink, tables, schema)
    return bytes(sink.getvalue())


def write_parquet(sink: IO[bytes] | Any, tables: Iterable[pa.Table], schema: pa.Schema) -> None:
    """Write tables into an open file; see `parquet_bytes`."""
    with pq.ParquetWriter(
        sink, schema, compression="snappy", use_dictionary=_repeating(schema)
    ) as writer:
        for table in tables:
            if table.num_rows:
                # Joined with all columns, the missing ones become null and the order is that of the
                # schema.
                whole = pa.concat_tables([schema.empty_table(), table], promote_options="default")
                writer.write_table(whole.combine_chunks(), row_group_size=table.num_rows)


def _repeating(schema: pa.Schema) -> list[str]:
    # Dictionaries are chosen by Parquet's paths, such as those within a map, which Arrow's schema
    # does not have: an empty file shows them.
    leaves = pq.ParquetFile(_empty(schema)).schema
    paths = [leaves.column(index).path for index in range(len(leaves.names))]
    return [path for path in paths if not path.startswith(_DISTINCT)]


def _empty(schema: pa.Schema) -> pa.BufferReader:
    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    return pa.BufferReader(sink.getvalue())
