"""The skew of partitions: how much larger some are than others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from puredelta._util.size_text import size_text
from puredelta.notebook.value_cells import partition_text
from puredelta.plots.canvas import MAIN, new_figure, short_text, show_counts, show_sizes, style_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Measure: TypeAlias = Literal["size", "num_records", "num_files"]

MEASURES: dict[Measure, str] = {"size": "bytes", "num_records": "rows", "num_files": "files"}
"""What partitions are compared by: a column of `inspect.partitions()`, and what it counts."""

MOST = 30
"""How many partitions a picture shows, the largest ones."""

_NAME = 36


class PartitionShare(NamedTuple):
    """One partition.

    Attributes:
        partition: its values, `p=1, q=x`; "all rows" for a table without partitions.
        amount: in bytes, rows or files.
    """

    partition: str
    amount: int


def largest_partitions(partitions: pa.Table, by: Measure, most: int = MOST) -> list[PartitionShare]:
    """Return the largest partitions, the largest first.

    Args:
        partitions: rows as `inspect.partitions()` has them.
        by: what they are compared by; a partition in which that is not known counts as empty.
        most: how many are returned.
    """
    amounts = partitions[by].fill_null(0).to_numpy()
    order = np.argsort(-amounts, kind="stable")[:most]
    has_values = "partition" in partitions.column_names
    return [
        PartitionShare(
            partition_text(partitions["partition"][place].as_py()) if has_values else "all rows",
            int(amounts[place]),
        )
        for place in order
    ]


def partitions_summary(partitions: pa.Table, by: Measure) -> str:
    """Return how many partitions there are and how uneven they are, for people."""
    amounts = partitions[by].fill_null(0).to_numpy()
    if not len(amounts):
        return "no partitions with files"
    count = "1 partition" if len(amounts) == 1 else f"{len(amounts):,} partitions"
    median = float(np.median(amounts))
    if not median:
        return count
    return f"{count}, the largest has {amounts.max() / median:,.1f} times the median"


def amount_text(amount: float, by: Measure) -> str:
    """Write an amount for people."""
    return size_text(amount) if by == "size" else f"{amount:,.0f}"


def draw_partitions(label: str, partitions: pa.Table, by: Measure) -> Figure:
    """Draw the largest partitions as bars.

    Args:
        label: what the table is called.
        partitions: as for `largest_partitions`.
        by: what they are compared by.

    Raises:
        ValueError: `by` is none of the measures.
    """
    if by not in MEASURES:
        raise ValueError(f"by: one of {', '.join(MEASURES)}, not {by!r}")
    shares = largest_partitions(partitions, by)
    figure = new_figure(1.2 + 0.24 * max(len(shares), 3))
    axes = figure.subplots()
    style_axes(axes, label, partitions_summary(partitions, by))
    places = range(len(shares))
    axes.barh(places, [share.amount for share in shares], color=MAIN)
    axes.set_yticks(
        places, [short_text(share.partition, _NAME) for share in shares], parse_math=False
    )
    axes.invert_yaxis()
    left_out = partitions.num_rows - len(shares)
    more = f" ({left_out:,} smaller partitions are not shown)" if left_out else ""
    axes.set_xlabel(f"{MEASURES[by]} of partition{more}")
    if by == "size":
        show_sizes(axes.xaxis, max((share.amount for share in shares), default=0))
    else:
        show_counts(axes.xaxis)
    if len(shares) > 1:
        median = float(np.median(partitions[by].fill_null(0).to_numpy()))
        axes.axvline(median, color="black", linewidth=1, linestyle=":")
        axes.text(median, -0.7, " median", fontsize="small", va="center")
    return figure
