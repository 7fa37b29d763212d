"""Files that are on the driver's machine: which they are, and what reads them by Arrow."""

import os
from collections.abc import Callable, Iterator
from typing import TypeVar

import pyarrow as pa

from puredelta._util.parallel import run_in_parallel
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.errors.classes import DeltaError
from puredelta.log.actions import AddFile
from puredelta.log.files import each_file
from puredelta.rows.data_files import RowReader
from puredelta.storage.location import absolute, local_path
from puredelta.table.columns.column_mapping import mapping_mode

UNREADABLE = (DeltaError, pa.ArrowException, OSError)
"""What stops Arrow. Spark reads more forms of files, and says better what is wrong with one."""

ROWS_AT_ONCE = 1 << 20
"""So many rows of a file are in memory at a time."""

_Read = TypeVar("_Read")


def are_on_driver(table: TableRef, files: pa.Table) -> bool:
    """Say whether files of a table are on this machine, and nothing is needed to get in."""
    if table.options or local_path(table.url) is None:
        return False
    paths = files["path"].to_pylist()
    return all(local_path(absolute(table.url, path)) is not None for path in paths)


def reader_of(target: WriteTarget) -> RowReader:
    """Return what reads files of a table in the driver."""
    return RowReader(
        target.table.log().store,
        mapping_mode(target.before.configuration),
        frozenset(target.before.partition_columns),
    )


def read_side_by_side(files: pa.Table, read: Callable[[int, AddFile], _Read]) -> Iterator[_Read]:
    """Read files in threads, one for each processor.

    Args:
        files: Files, as `log.files.FILES`.
        read: Reads one; gets its number, too.

    Yields:
        What `read` returns, in the order of the files.
    """
    numbered = enumerate(each_file(files))
    return run_in_parallel(lambda one: read(*one), numbered, threads=os.cpu_count() or 1)
