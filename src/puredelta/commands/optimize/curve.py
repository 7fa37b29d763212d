"""The curve along which a statement lays rows, as session and table want it."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.curves.layout import Curve, along_curve
from puredelta.log.file_stats import num_records
from puredelta.log.files import total_bytes

FILES_OF_ONE_TASK = 128
"""Fewer small files than these are opened by the task that writes them."""


def curve_of(target: WriteTarget, columns: Sequence[str], *, is_hilbert: bool) -> Curve:
    """Return a curve.

    Args:
        target: the table.
        columns: the columns of its dimensions, in SQL.
        is_hilbert: whether it is the Hilbert curve, not Z-order.
    """
    chosen = target.context.settings.optimize
    return Curve(
        columns=[F.col(name) for name in columns],
        is_hilbert=is_hilbert,
        ranges=chosen.curve_ranges,
        samples=chosen.curve_samples,
        adds_noise=chosen.curve_noise,
        sorts=chosen.sort_within_files,
    )


def file_count(size: int, max_file_size: int) -> int:
    """Return into how many files the rows of so many bytes go."""
    return max(1, size // max_file_size)


def arranged(rows: DataFrame, files: pa.Table, curve: Curve, max_file_size: int) -> DataFrame:
    """Return the rows of some files in as many tasks as there are to be files, along a curve.

    Args:
        rows: the rows of the files.
        files: the files, as rows of `log.files.FILES`.
        curve: the curve.
        max_file_size: how many bytes a new file has, about.
    """
    number = file_count(total_bytes(files), max_file_size)
    if number == 1 and not curve.sorts and files.num_rows > FILES_OF_ONE_TASK:
        # One file needs no order, and one task should not open all of the old ones.
        return rows.repartition(1)
    counts = num_records(files)
    count = None if counts.null_count else int(pc.sum(counts).as_py() or 0)
    return along_curve(rows, curve, number, count)
