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
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import encode_path
from puredelta.table.indexing import Indexing
from puredelta.table.partitions import values_from_folder
from puredelta.table.stats import stats_from_footer

_MAGIC = b"PAR1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How rows of a table lie in its files.

    Attributes:
        schema: all columns, partition columns too.
        partition_columns: their names, in order.
        indexing: which columns get statistics.
    """

    schema: StructType
    partition_columns: tuple[str, ...]
    indexing: Indexing

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
    data_columns = layout.data_columns
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
                    told["partition"], layout.schema, layout.partition_columns
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
