"""Which rows that stay, and which that come, go into which new file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from puredelta.log.actions import AddFile
from puredelta.log.files import each_file
from puredelta.rows.writing.data_files import split_by_partition
from puredelta.rows.writing.file_layout import FileLayout

# Files of a partition go into one new file up to this size: small ones become fewer, and rows of
# large ones keep their neighbours, by which statistics find them.
_BYTES_OF_NEW_FILE = 8 << 20

_PartitionValues = tuple[tuple[str, str | None], ...]


@dataclass(slots=True)
class NewFile:
    """A file that is going to be written.

    Attributes:
        values: of the partition columns.
        kept: the files whose rows it gets, with their numbers.
        new: rows that it gets besides.
        bytes: how large it is going to be, about.
    """

    values: Mapping[str, str | None]
    kept: list[tuple[int, AddFile]] = field(default_factory=list)
    new: list[pa.Table] = field(default_factory=list)
    bytes: int = 0


def plan_new_files(
    files: pa.Table, new: Iterable[tuple[int | None, pa.Table]], layout: FileLayout
) -> list[NewFile]:
    """Return the files to be written.

    Args:
        files: whose rows stay, as `log.files.FILES`.
        new: the rows that come, with the number of the file that they were in, None for no file.
        layout: how rows lie in the table's files.
    """
    planned: list[NewFile] = []
    # The last file of each partition gets more rows until it is large enough.
    last: dict[_PartitionValues, NewFile] = {}
    of_file: list[NewFile] = []
    for number, file in enumerate(each_file(files)):
        made = _with_room(last, planned, file.partition_values or {}, file.size)
        made.kept.append((number, file))
        of_file.append(made)
    for place, rows in new:
        for partition in split_by_partition(rows, layout):
            # Parquet holds rows in about a quarter of what they take in memory.
            size = partition.rows.nbytes // 4
            if place is not None and of_file[place].values == partition.values:
                of_file[place].new.append(partition.rows)
            else:
                made = _with_room(last, planned, partition.values, size)
                made.new.append(partition.rows)
    return planned


def _with_room(
    last: dict[_PartitionValues, NewFile],
    planned: list[NewFile],
    values: Mapping[str, str | None],
    size: int,
) -> NewFile:
    """Return the file of a partition that rows go to, a new one where the last one is full."""
    key = tuple(sorted(values.items()))
    found = last.get(key)
    if found is None or found.bytes + size > _BYTES_OF_NEW_FILE:
        found = last[key] = NewFile(values)
        planned.append(found)
    found.bytes += size
    return found
