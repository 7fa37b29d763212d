"""What is to be converted: what a statement says of it, and what reading it finds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from puredelta.conversion.file_list import FileList
from puredelta.conversion.source_file import SourceFile
from puredelta.log.actions import DeletionVector
from puredelta.schema.datatypes import StructType
from puredelta.storage.location import table_url
from puredelta.storage.store import ObjectNotFound
from puredelta.table.columns.column_mapping import MappingMode

PARQUET, DELTA, ICEBERG = "parquet", "delta", "iceberg"

ICEBERG_METADATA = r"metadata/[^/]+\.metadata\.json(?:\.gz)?"
"""How metadata files of Iceberg are called, below the folder of their table."""

_METADATA_FILE = re.compile(f"(.+)/({ICEBERG_METADATA})", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertTarget:
    """What a statement says of the table to be converted.

    Attributes:
        provider: the format of its files, in small letters: `parquet`, `iceberg`, `delta`.
        location: its folder: a path, a URL, or as Hadoop names it.
        label: what messages call it.
        options: what its store needs to get in.
        catalog_table: its name in the catalog, as history shows it; None for a path.
        schema: all its columns, where the catalog knows them.
        partition_schema: its partition columns, where the catalog knows them.
        properties: its properties in the catalog, which the Delta table gets.
        description: its comment in the catalog, which the Delta table gets.
        metadata_file: the metadata file of Iceberg that counts; None to find it.
    """

    provider: str
    location: str
    label: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    catalog_table: str | None = None
    schema: StructType | None = None
    partition_schema: StructType | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    description: str | None = None
    metadata_file: str | None = None

    @property
    def url(self) -> str:
        """The folder in the form of the log's stores."""
        return table_url(self.location)


def target_at(
    provider: str, location: str, *, label: str, options: Mapping[str, str] | None = None
) -> ConvertTarget:
    """Say what is at a path: a table in a folder, or the one of a metadata file of Iceberg.

    Args:
        provider: the format.
        location: the folder, or `FOLDER/metadata/00012-....metadata.json`.
        label: what messages call it.
        options: what its store needs to get in.
    """
    found = _METADATA_FILE.fullmatch(location) if provider == ICEBERG else None
    return ConvertTarget(
        provider=provider,
        location=location if found is None else found[1],
        label=label,
        options=options or {},
        metadata_file=None if found is None else found[2],
    )


class ConvertTargetTable(Protocol):
    """A table of another format as reading it found it: what it takes to make it a Delta table."""

    @property
    def source_format(self) -> str:
        """What history calls the format: `parquet`, `iceberg`."""
        ...

    @property
    def files(self) -> FileList:
        """The data files with their statistics, kept for as often as they are needed."""
        ...

    @property
    def rows(self) -> int | None:
        """How many rows there are; None when nobody counted them."""
        ...

    @property
    def table_schema(self) -> StructType:
        """All columns, partition columns among them, with the ids of a mapping that is needed."""
        ...

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The names of the columns that partition it, in order."""
        ...

    @property
    def properties(self) -> Mapping[str, str]:
        """Properties that the Delta table gets."""
        ...

    @property
    def required_mapping(self) -> MappingMode:
        """The way in which columns must be mapped for its files to be read."""
        ...

    @property
    def highest_id(self) -> int:
        """The highest id that a column of its files ever had; 0 where they have no ids."""
        ...

    def partition_values(self, file: SourceFile) -> Mapping[str, str | None]:
        """Return the partition of a file, as the log has it.

        Raises:
            DeltaError: The path has no value, or one that is none of the column.
        """
        ...

    def deletion_vector(self, file: SourceFile) -> DeletionVector | None:
        """Return what takes deleted rows away from a file; None when all of them are there."""
        ...

    def close(self) -> None:
        """Let go of what was kept."""
        ...


class Footers(Protocol):
    """Reads the ends of Parquet files, in the order in which they are asked for."""

    def tails(
        self, files: Iterable[SourceFile]
    ) -> Iterator[tuple[SourceFile, bytes | ObjectNotFound]]:
        """Yield each file with its footer, or that it is gone.

        The bytes are the footer, its length and the closing magic bytes; what comes before them
        in the file may stand before them.

        Raises:
            DeltaError: The store failed, which is no fault of a file.
        """
        ...
