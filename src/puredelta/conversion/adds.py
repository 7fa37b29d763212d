"""Source files as the log has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.targets import ConvertTargetTable
from puredelta.log.actions import AddFile
from puredelta.storage.location import encode_path


@dataclass(frozen=True, slots=True)
class DeltaActions:
    """The files of a commit; none of them is kept, and they can be gone through again.

    Attributes:
        table: What is converted.
    """

    table: ConvertTargetTable

    def __iter__(self) -> Iterator[AddFile]:
        for file, stats in self.table.files:
            yield create_add_file(file, self.table, stats)


def create_add_file(file: SourceFile, table: ConvertTargetTable, stats: str | None) -> AddFile:
    """Return a file as the log has it.

    Args:
        file: The file.
        table: The table it is part of; tells its partition.
        stats: Its statistics.

    Raises:
        DeltaError: The path does not tell the partition.
    """
    return AddFile(
        path=encode_path(file.path),
        partition_values=dict(table.partition_values(file)),
        size=file.size,
        modification_time=file.modified_ms,
        data_change=True,
        stats=stats,
        deletion_vector=table.deletion_vector(file),
    )
