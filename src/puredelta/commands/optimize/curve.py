"""The curve along which a statement lays rows, as session and table want it."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.curves.layout import Curve, along_curve
from puredelta.log.file_stats import num_records


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


def files_of_bin(target: WriteTarget, size: int) -> int:
    """Return into how many files the rows of so many bytes go."""
    return max(1, size // target.context.settings.optimize.max_file_size)


def arranged(target: WriteTarget, rows: DataFrame, files: pa.Table, curve: Curve) -> DataFrame:
    """Return the rows of some files in as many tasks as there are to be files, along a curve.

    Args:
        target: the table.
        rows: the rows of the files.
        files: rows of `target.before.files`.
        curve: the curve.
    """
    size = int(pc.sum(files["size"]).as_py() or 0)
    counts = num_records(files)
    count = None if counts.null_count else int(pc.sum(counts).as_py() or 0)
    return along_curve(rows, curve, files_of_bin(target, size), count)
