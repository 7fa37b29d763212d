"""What a write left in storage -> AddFiles, with statistics from the Parquet footers.

Executors ship the footers as raw bytes with what they commit; they are read here, so no file is
opened twice and no Delta rule runs in Java.
"""

import base64
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

from puredelta.log.actions import AddFile
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import encode_path
from puredelta.table.column_mapping import MappingMode, physical_schema, written_schema
from puredelta.table.indexing import Indexing
from puredelta.table.partitions import values_from_folder
from puredelta.table.stats import stats_from_footer

_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How rows of a table lie in its files.

    Attributes:
        table: the table's schema.
        mode: how files name its columns.
        partition_columns: as files name them, in order.
        indexing: which columns get statistics, as files name them.
    """

    table: StructType
    mode: MappingMode
    partition_columns: tuple[str, ...]
    indexing: Indexing

    def in_files(self, schema: str) -> str:
        """Give columns of the table the names that they have in files, and their ids.

        Args:
            schema: the columns to be written, in the JSON of Spark.
        """
        if self.mode is MappingMode.NONE:
            return schema
        return schema_to_json(written_schema(schema_from_json(schema), self.table, self.mode))

    @property
    def schema(self) -> StructType:
        """All columns as files name them, partition columns too."""
        return physical_schema(self.table, self.table, self.mode)

    @property
    def data_columns(self) -> StructType:
        """The columns that lie in the files."""
        lowered = {name.lower() for name in self.partition_columns}
        return StructType(tuple(f for f in self.schema if f.name.lower() not in lowered))


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Files of one write: those with rows as AddFiles, the names of those without any."""

    files: tuple[AddFile, ...]
    empty: tuple[str, ...]
    rows: int

    @property
    def bytes(self) -> int:
        """Total size in bytes."""
        return sum(file.size for file in self.files)


NOTHING_WRITTEN = Written(files=(), empty=(), rows=0)


def written(described: Iterable[Mapping[str, Any]], layout: Layout) -> Written:
    """Turn what the committer tells of a write into AddFiles.

    Args:
        described: {name, partition, size, modified, footer} of each file, the footer in base64.
        layout: how the table's rows lie in files.
    """
    schema, data_columns = layout.schema, layout.data_columns
    files: list[AddFile] = []
    empty: list[str] = []
    rows = 0
    for told in described:
        footer = read_footer(base64.b64decode(told["footer"]))
        if footer.num_rows == 0:
            empty.append(told["name"])
            continue
        rows += footer.num_rows
        files.append(
            AddFile(
                path=encode_path(told["name"]),
                partition_values=values_from_folder(
                    told["partition"], schema, layout.partition_columns
                ),
                size=told["size"],
                modification_time=told["modified"],
                data_change=True,
                stats=stats_from_footer(footer, data_columns, layout.indexing),
            )
        )
    return Written(files=tuple(files), empty=tuple(empty), rows=rows)


def read_footer(tail: bytes) -> pq.FileMetaData:
    """Parse the end of a Parquet file: the footer, its length and the closing magic bytes."""
    return pq.read_metadata(io.BytesIO(_MAGIC + tail))
