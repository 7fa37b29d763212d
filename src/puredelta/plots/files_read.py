"""Which files a filter reads: each file as a bar, those that are skipped pale."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.notebook.value_cells import partition_text
from puredelta.plots.canvas import MAIN, PALE, new_figure, short_text, show_sizes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More bars than these could not be distinguished; each is several files then.
_MOST_BARS = 360
_MOST_LABELS = 12
_NAME = 24
# About so many letters fit side by side.
_LETTERS = 56


class ReadBars(NamedTuple):
    """Files in the order of the picture.

    Attributes:
        read: the bytes of each bar that are read.
        skipped: the bytes of each bar that are skipped.
        files: how many files a bar has; the last bar may have fewer.
        partitions: the partitions, and the number of the first file of each.
    """

    read: list[int]
    skipped: list[int]
    files: int
    partitions: list[tuple[str, int]]


def read_bars(files: pa.Table, read: Collection[str]) -> ReadBars:
    """Sort the files of a table by their partitions and divide them in those read and skipped.

    Args:
        files: rows as `inspect.files()` has them.
        read: the paths of the files that are read.
    """
    names = _partition_names(files)
    order = _by_partition(files)
    sizes = files["size"].to_numpy()[order]
    wanted = set(read)
    paths = files["path"].to_pylist()
    is_read = np.array([paths[place] in wanted for place in order], dtype=bool)
    each = max(1, -(-len(order) // _MOST_BARS))
    starts = np.arange(0, len(order), each)
    starts_of = [
        (names[place], number)
        for number, place in enumerate(order)
        if not number or names[place] != names[order[number - 1]]
    ]
    return ReadBars(
        _sums(np.where(is_read, sizes, 0), starts),
        _sums(np.where(is_read, 0, sizes), starts),
        each,
        starts_of if "partition" in files.column_names else [],
    )


def read_summary(files: pa.Table, read: Collection[str]) -> str:
    """Return how many files and bytes are read, for people."""
    wanted = set(read)
    sizes = files["size"].to_numpy()
    chosen = np.array([path in wanted for path in files["path"].to_pylist()], dtype=bool)
    return (
        f"reads {int(chosen.sum()):,} of {len(sizes):,} files, "
        f"{size_text(int(sizes[chosen].sum()))} of {size_text(int(sizes.sum()))}"
    )


def draw_files_read(condition: str, files: pa.Table, read: Collection[str]) -> Figure:
    """Draw the size of each file, those that are read in another colour than the others.

    Args:
        condition: what the files were chosen by.
        files: as for `read_bars`.
        read: as for `read_bars`.
    """
    bars = read_bars(files, read)
    figure = new_figure(3.2)
    axes = figure.subplots()
    style_axes(axes, condition, read_summary(files, read))
    places = np.arange(len(bars.read)) + 0.5
    # Bars that touch show many files as an area.
    width = 0.8 if len(places) <= 60 else 1.0
    axes.bar(places, bars.read, width, color=MAIN, label="read")
    axes.bar(places, bars.skipped, width, bottom=bars.read, color=PALE, label="skipped")
    axes.set_xlim(0, max(len(places), 1))
    axes.set_ylabel("size")
    show_sizes(axes.yaxis, max(map(sum, zip(bars.read, bars.skipped, strict=True)), default=0))
    _label_partitions(axes, bars, files)
    figure.legend(loc="outside lower right", ncols=2, frameon=False)
    return figure


def _label_partitions(axes: Axes, bars: ReadBars, files: pa.Table) -> None:
    several = f", {bars.files:,} a bar" if bars.files > 1 else ""
    if not 0 < len(bars.partitions) <= _MOST_LABELS:
        axes.set_xticks([])
        axes.set_xlabel(f"files{several}")
        return
    starts = [start / bars.files for _, start in bars.partitions]
    ends = [*starts[1:], files.num_rows / bars.files]
    middles = [(start + end) / 2 for start, end in zip(starts, ends, strict=True)]
    columns = [field.name for field in files.schema.field("partition").type]
    names = [short_text(name, _NAME) for name, _ in bars.partitions]
    if len(columns) == 1:
        # The name of the only column is said once.
        names = [name.removeprefix(f"{columns[0]}=") for name in names]
    axes.set_xticks(middles, names, parse_math=False)
    if sum(map(len, names)) > _LETTERS:
        axes.tick_params(axis="x", labelrotation=30)
        for label in axes.get_xticklabels():
            label.set(horizontalalignment="right", rotation_mode="anchor")
    axes.tick_params(axis="x", length=0)
    for start in starts[1:]:
        axes.axvline(start, color="black", linewidth=0.5, linestyle=":")
    axes.set_xlabel(f"files by {', '.join(map(printable, columns))}{several}", parse_math=False)


def _by_partition(files: pa.Table) -> list[int]:
    """Return the places of files sorted by partition values; those of a partition stay in order."""
    if "partition" not in files.column_names:
        return list(range(files.num_rows))
    values = files["partition"].combine_chunks()
    keys = [f"key{number}" for number in range(len(values.type))]
    columns = pa.Table.from_arrays(values.flatten(), keys)
    found: list[int] = pc.sort_indices(
        columns, sort_keys=[(key, "ascending") for key in keys]
    ).to_pylist()
    return found


def _partition_names(files: pa.Table) -> list[str]:
    if "partition" not in files.column_names:
        return [""] * files.num_rows
    return [partition_text(values) for values in files["partition"].to_pylist()]


def _sums(amounts: np.ndarray, starts: np.ndarray) -> list[int]:
    return [int(total) for total in np.add.reduceat(amounts, starts)] if len(starts) else []
