"""The histogram of file sizes: how many files are how large."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from puredelta._util.size_text import size_text
from puredelta.plots.canvas import MAIN, new_figure, show_counts, style_axes, tick_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class SizeBin(NamedTuple):
    """Files of about one size.

    Attributes:
        low: the least size, in bytes.
        high: the size that all are below.
        files: how many there are.
        size: of all, in bytes.
    """

    low: int
    high: int
    files: int
    size: int


def size_bins(files: pa.Table) -> list[SizeBin]:
    """Sort files by their sizes into bins, each of which reaches to twice its least size.

    Args:
        files: rows with `size` in bytes, as `inspect.files()` has them.

    Returns:
        The bins from that of the smallest file to that of the largest one, those between that have
        no file included.
    """
    sizes = np.asarray(files["size"].to_numpy(), dtype=np.int64)
    if not len(sizes):
        return []
    # An empty file counts as one of a byte, since bins begin at powers of two.
    powers = np.frexp(np.maximum(sizes, 1).astype(float))[1] - 1
    first = int(powers.min())
    counts = np.bincount(powers - first)
    return [
        SizeBin(
            1 << (first + number),
            1 << (first + number + 1),
            int(count),
            int(sizes[powers == first + number].sum()),
        )
        for number, count in enumerate(counts)
    ]


def sizes_summary(files: pa.Table) -> str:
    """Return the number of files, their size and the median size, for people."""
    sizes = files["size"].to_numpy()
    if not len(sizes):
        return "no files"
    count = "1 file" if len(sizes) == 1 else f"{len(sizes):,} files"
    return f"{count}, {size_text(int(sizes.sum()))}, median {size_text(float(np.median(sizes)))}"


def draw_sizes(label: str, files: pa.Table) -> Figure:
    """Draw how many files are how large.

    Args:
        label: what the table is called.
        files: as for `size_bins`.
    """
    bins = size_bins(files)
    figure = new_figure(3.2)
    axes = figure.subplots()
    style_axes(axes, label, sizes_summary(files))
    axes.set_xlabel("size of file")
    axes.set_ylabel("files")
    show_counts(axes.yaxis)
    if bins:
        edges = [each.low for each in bins]
        widths = [each.high - each.low for each in bins]
        axes.set_xscale("log", base=2)
        axes.bar(
            edges, [each.files for each in bins], widths, align="edge", color=MAIN, edgecolor="w"
        )
        axes.set_xlim(bins[0].low, bins[-1].high)
        axes.xaxis.set_major_formatter(lambda size, _position: tick_text(size))
    return figure
