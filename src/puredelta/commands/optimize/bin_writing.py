"""Rows of bins as new files: many bins in one job, or each by itself where its rows are moved."""

from collections.abc import Callable, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame

from puredelta.commands.rows.file_rewriting import rows_of
from puredelta.commands.rows.file_writing import write_rows
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.maintenance.bins import Bin, files_of, tasks_of

# Each task is a scan of its own in the plan of a job, and scans remember their files for a while.
_TASKS_A_JOB = 32

Arrange = Callable[[WriteTarget, DataFrame, int], DataFrame]
"""Puts the rows of a bin, of so many bytes, in the order and in as many tasks as they are to be
written; each task writes one file."""

Marked = Callable[[WrittenFiles], WrittenFiles]
"""Gives the files of one bin their tags."""


def write_bins(target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
    """Write the rows of files anew, one file for each bin, in the schema that the table gets.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
    """
    context = target.context.session.sparkContext
    tasks = [files_of(files, task) for task in tasks_of(bins, context.defaultParallelism)]
    jobs = (tasks[start : start + _TASKS_A_JOB] for start in range(0, len(tasks), _TASKS_A_JOB))
    parts = (write_rows(target, _of_tasks(target, some), in_place=True) for some in jobs)
    return reduce(joined, parts, NOTHING_WRITTEN)


def write_each_bin(
    target: WriteTarget, files: pa.Table, bins: Sequence[Bin], arrange: Arrange, marked: Marked
) -> WrittenFiles:
    """Write the rows of each bin by itself, moved as a layout wants them.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
        arrange: moves the rows of a bin.
        marked: gives the files of a bin their tags.
    """
    written = NOTHING_WRITTEN
    for group in bins:
        rows = arrange(target, rows_of(target, files_of(files, [group])), group.bytes)
        written = joined(written, marked(write_rows(target, rows, in_place=True)))
    return written


def joined(first: WrittenFiles, second: WrittenFiles) -> WrittenFiles:
    """Return the files of two writes as those of one."""
    return WrittenFiles(
        files=first.files + second.files,
        empty=first.empty + second.empty,
        rows=first.rows + second.rows,
    )


def _of_tasks(target: WriteTarget, tasks: Sequence[pa.Table]) -> DataFrame:
    """Return the rows of files, each table of them for a task of its own."""
    # From 4.1 on Spark joins tasks of a union whose parts are all in one partition, unless one part
    # is not; that one has no files here.
    nothing = rows_of(target, tasks[0].slice(0, 0))
    return reduce(
        DataFrame.unionAll, (rows_of(target, task).coalesce(1) for task in tasks), nothing
    )
