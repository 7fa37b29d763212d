"""Reports on written files -> AddFiles, with statistics from the Parquet footers.

Executors ship the footers as raw bytes with what they commit; they are read here, so no file is
opened twice and no Delta rule runs in Java.
"""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow.parquet as pq

from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.actions import AddFile
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import encode_path
from puredelta.table.columns.column_mapping import MappingMode, physical_schema, written_schema
from puredelta.table.columns.visible_schema import visible_schema
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.table.partition_values import values_from_folder
from puredelta.table.statistics.file_stats import stats_from_footer
from puredelta.table.statistics.footer_parsing import UnreadableFooterError, read_tail
from puredelta.table.statistics.footer_stats import read_footer_stats
from puredelta.table.statistics.indexed_columns import Indexing, Leaf

_INTERNAL = '"delta.'

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How rows of a table lie in its files.

    Attributes:
        table: the table's schema.
        mode: how files name its columns.
        partition_columns: as files name them, in order.
        indexing: which columns get statistics, as files name them.
        shreds_variants: whether files may have parts of variants as columns of their own.
    """

    table: StructType
    mode: MappingMode
    partition_columns: tuple[str, ...]
    indexing: Indexing
    shreds_variants: bool = False

    def in_files(self, schema: str) -> str:
        """Give columns of the table the names that they have in files, and their ids.

        Args:
            schema: the columns to be written, in the JSON of Spark.
        """
        if self.mode is MappingMode.NONE:
            # Metadata such as generation expressions is the table's, not that of a single file.
            # Most schemas have no metadata of Delta, and a search in the text is cheaper than to
            # decode it.
            if _INTERNAL not in schema:
                return schema
            return schema_to_json(visible_schema(schema_from_json(schema)))
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

    @property
    def numbered(self) -> dict[str, Leaf]:
        """The identity columns, as files have them, by the names that users have."""
        names = {column.name for column in identity_columns(self.table)}
        pairs = zip(self.table, self.schema, strict=True)
        return {
            known.name: Leaf((stored.name,), stored.data_type)
            for known, stored in pairs
            if known.name in names
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFiles:
    """Files of one write.

    Attributes:
        files: those with rows.
        empty: the names of those without any.
        rows: the number of their rows.
        bounds: the minimum and the maximum of each identity column; None where a file has no
            statistics of it.
    """

    files: tuple[AddFile, ...]
    empty: tuple[str, ...]
    rows: int
    bounds: Mapping[str, Bounds | None] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Total size in bytes."""
        return sum(file.size for file in self.files)


NOTHING_WRITTEN = WrittenFiles(files=(), empty=(), rows=0)


def read_written_files(described: Iterable[Mapping[str, Any]], layout: Layout) -> WrittenFiles:
    """Turn the committer's reports on a write into AddFiles.

    Args:
        described: {name, partition, size, modified, footer} of each file, the footer in base64.
        layout: how the table's rows lie in files.
    """
    schema, data_columns, numbered = layout.schema, layout.data_columns, layout.numbered
    files: list[AddFile] = []
    empty: list[str] = []
    bounds: dict[str, list[Bounds | None]] = {name: [] for name in numbered}
    rows = 0
    for report in described:
        footer = _footer(report)
        if footer.num_rows == 0:
            empty.append(report["name"])
            continue
        rows += footer.num_rows
        for name, leaf in numbered.items():
            bounds[name].append(_bounds(footer, leaf))
        files.append(
            AddFile(
                path=encode_path(report["name"]),
                partition_values=values_from_folder(
                    report["partition"], schema, layout.partition_columns
                ),
                size=report["size"],
                modification_time=report["modified"],
                data_change=True,
                stats=stats_from_footer(footer, data_columns, layout.indexing),
            )
        )
    return WrittenFiles(
        files=tuple(files),
        empty=tuple(empty),
        rows=rows,
        bounds={name: _joined(found) for name, found in bounds.items() if found},
    )


def _footer(report: Mapping[str, Any]) -> pq.FileMetaData:
    try:
        return read_tail(base64.b64decode(report["footer"]))
    except UnreadableFooterError as error:
        raise DeltaRuntimeError(
            "DELTA_FAILED_READ_FILE_FOOTER", currentFile=report["name"], reason=error
        ) from error


def _bounds(footer: pq.FileMetaData, leaf: Leaf) -> Bounds | None:
    facts = read_footer_stats(footer, [leaf])[leaf.path]
    return (
        None if facts.minimum is None or facts.maximum is None else (facts.minimum, facts.maximum)
    )


def _joined(bounds: Iterable[Bounds | None]) -> Bounds | None:
    """Return the bounds of all files together; None if those of a file are not known."""
    of_files = list(bounds)
    known = [pair for pair in of_files if pair is not None]
    if len(known) < len(of_files):
        return None
    return min(minimum for minimum, _ in known), max(maximum for _, maximum in known)
