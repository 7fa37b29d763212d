"""Source files as the log has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.conversion.source_file import SourceFile
from puredelta.conversion.source_table import ConvertTargetTable
from puredelta.log.actions import AddFile
from puredelta.storage.location import encode_path, scheme_of


@dataclass(frozen=True, slots=True)
class DeltaActions:
    """The files of a commit; none of them is kept, and they can be gone through again.

    Attributes:
        table: What is converted.
        prefix: What stands before their paths, where they do not lie in the table's own folder.
    """

    table: ConvertTargetTable
    prefix: str = ""

    def __iter__(self) -> Iterator[AddFile]:
        for file, stats in self.table.files:
            yield create_add_file(file, self.table, stats, self.prefix)


def create_add_file(
    file: SourceFile, table: ConvertTargetTable, stats: str | None, prefix: str = ""
) -> AddFile:
    """Return a file as the log has it.

    Args:
        file: The file.
        table: The table it is part of; tells its partition.
        stats: Its statistics.
        prefix: What stands before its path, unless that is a whole one.

    Raises:
        DeltaError: The path does not tell the partition.
    """
    return AddFile(
        path=encode_path(file.path if scheme_of(file.path) else prefix + file.path),
        partition_values=dict(table.partition_values(file)),
        size=file.size,
        modification_time=file.modified_ms,
        data_change=True,
        stats=stats,
        deletion_vector=table.deletion_vector(file),
    )
