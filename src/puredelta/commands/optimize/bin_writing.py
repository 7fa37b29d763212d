"""Rows of bins as new files: many bins in one job, or each by itself where its rows are moved."""

from collections.abc import Callable, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame

from puredelta.commands.optimize.curve import FILES_OF_ONE_TASK, arranged
from puredelta.commands.rows.file_rewriting import in_new_schema, rows_of
from puredelta.commands.rows.file_writing import write_rows
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.curves.layout import Curve
from puredelta.engine.session.side_by_side import run_side_by_side
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.maintenance.bins import Bin, files_of, tasks_of
from puredelta.maintenance.small_files import read_small_files

# Each task is a scan of its own in the plan of a job, and scans remember their files for a while.
_TASKS_A_JOB = 32

Marked = Callable[[WrittenFiles], WrittenFiles]
"""Gives the files of one bin their tags."""


def write_bins(target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
    """Write the rows of files anew, one file for each bin, in the schema that the table gets.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
    """
    at_once = target.context.session.sparkContext.defaultParallelism
    tasks = [files_of(files, task) for task in tasks_of(bins, at_once)]
    jobs = (tasks[start : start + _TASKS_A_JOB] for start in range(0, len(tasks), _TASKS_A_JOB))
    shuffles = target.context.settings.optimize.repartition or _reads_too_slowly(tasks, at_once)
    readers = max(1, at_once // len(tasks)) if shuffles else None
    parts = (write_rows(target, _of_tasks(target, some, readers), in_place=True) for some in jobs)
    return reduce(joined, parts, NOTHING_WRITTEN)


def _reads_too_slowly(tasks: Sequence[pa.Table], at_once: int) -> bool:
    """Say whether files are to be read by more tasks than write the bins.

    To open a small file takes longer than to shuffle its rows: while one task opened thousands of
    them, the others would have nothing to do. Of two tasks the shuffle takes what the second saves.
    """
    return 4 * len(tasks) <= at_once and any(task.num_rows > FILES_OF_ONE_TASK for task in tasks)


def write_each_bin(
    target: WriteTarget,
    files: pa.Table,
    bins: Sequence[Bin],
    curve: Curve,
    max_file_size: int,
    marked: Marked | None = None,
) -> WrittenFiles:
    """Write the rows of each bin by itself, along a curve; each may become several files.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
        curve: how their rows are ordered.
        max_file_size: how many bytes a new file has, about.
        marked: gives the files of a bin their tags.
    """

    def write(group: Bin) -> WrittenFiles:
        of_bin = files_of(files, [group])
        rows = arranged(rows_of(target, of_bin), of_bin, curve, max_file_size)
        new = write_rows(target, rows, in_place=True)
        return new if marked is None else marked(new)

    context = target.context
    most = context.settings.optimize.max_threads
    written = run_side_by_side(context.session, write, bins, threads=most)
    return reduce(joined, written, NOTHING_WRITTEN)


def joined(first: WrittenFiles, second: WrittenFiles) -> WrittenFiles:
    """Return the files of two writes as those of one."""
    return WrittenFiles(
        files=first.files + second.files,
        empty=first.empty + second.empty,
        rows=first.rows + second.rows,
    )


def _of_tasks(target: WriteTarget, tasks: Sequence[pa.Table], readers: int | None) -> DataFrame:
    """Return the rows of files, each table of them for a task of its own.

    Args:
        target: the table.
        tasks: rows of `target.before.files` for each task.
        readers: so many other tasks read the files of each, and hand the rows over; None: it reads
            them itself.
    """
    # From 4.1 on Spark joins tasks of a union whose parts are all in one partition, unless one part
    # is not; that one has no files here.
    nothing = rows_of(target, tasks[0].slice(0, 0))
    parts = (_of_task(target, task, readers) for task in tasks)
    return reduce(DataFrame.unionAll, parts, nothing)


def _of_task(target: WriteTarget, task: pa.Table, readers: int | None) -> DataFrame:
    small = read_small_files(target.before, task, target.table.root)
    if small is not None:
        frame = target.context.session.createDataFrame(small)
        return in_new_schema(frame, target).coalesce(1)
    rows = rows_of(target, task)
    return rows.coalesce(1) if readers is None else rows.coalesce(readers).repartition(1)
