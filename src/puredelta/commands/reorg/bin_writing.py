"""Files written anew: the rows of each bin go into one file, many bins side by side."""

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame

from puredelta.commands.reorg.bins import Bin, files_of, tasks_of
from puredelta.commands.rows.file_rewriting import rows_of
from puredelta.commands.rows.file_writing import write_rows
from puredelta.commands.rows.target import Target
from puredelta.engine.write.footers import NOTHING_WRITTEN, Written

# Each task is a scan of its own in the plan of a job, and scans remember their files for a while.
_TASKS_A_JOB = 32


def write_bins(target: Target, files: pa.Table, bins: Sequence[Bin]) -> Written:
    """Write the rows of files anew, in the schema that the table gets.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
    """
    context = target.context.session.sparkContext
    tasks = [files_of(files, task) for task in tasks_of(bins, context.defaultParallelism)]
    jobs = (tasks[start : start + _TASKS_A_JOB] for start in range(0, len(tasks), _TASKS_A_JOB))
    parts = (write_rows(target, _of_tasks(target, some), in_place=True) for some in jobs)
    return reduce(_joined, parts, NOTHING_WRITTEN)


def _of_tasks(target: Target, tasks: Sequence[pa.Table]) -> DataFrame:
    """Return the rows of files, each table of them for a task of its own."""
    # From 4.1 on Spark joins tasks of a union whose parts are all in one partition, unless one part
    # is not; that one has no files here.
    nothing = rows_of(target, tasks[0].slice(0, 0))
    return reduce(DataFrame.unionAll, (rows_of(target, one).coalesce(1) for one in tasks), nothing)


def _joined(one: Written, other: Written) -> Written:
    return Written(
        files=one.files + other.files,
        empty=one.empty + other.empty,
        rows=one.rows + other.rows,
    )
