"""The growth of a table: rows and bytes over its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from puredelta.plots.canvas import MAIN, new_figure, show_counts, show_sizes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_versions(label: str, versions: pa.Table) -> Figure:
    """Draw rows and bytes over versions, one above the other.

    Args:
        label: what the table is called.
        versions: rows as `inspect.versions()` has them.
    """
    figure = new_figure(4.0)
    rows, size = figure.subplots(2, 1, sharex=True)
    style_axes(rows, label)
    style_axes(size)
    rows.set_ylabel("rows")
    size.set_ylabel("bytes")
    size.set_xlabel("version")
    _draw_steps(rows, versions, "num_rows")
    _draw_steps(size, versions, "size")
    show_counts(rows.yaxis)
    show_sizes(size.yaxis, max(versions["size"].to_pylist(), default=0))
    size.xaxis.get_major_locator().set_params(integer=True)
    if versions["num_rows"].null_count:
        rows.set_ylabel("rows, where known")
    return figure


def _draw_steps(axes: Axes, versions: pa.Table, name: str) -> None:
    """Draw a step for each version; one whose figure is not known leaves a gap."""
    numbers = versions["version"].to_numpy()
    # An amount holds from its version on until the next one.
    edges = np.append(numbers, numbers[-1] + 1) - 0.5
    amounts = versions[name].to_numpy().astype(float)
    axes.stairs(amounts, edges, fill=True, color=MAIN, alpha=0.25)
    axes.stairs(amounts, edges, baseline=None, color=MAIN, linewidth=1.5)
    axes.set_ylim(bottom=0)
    axes.set_xlim(edges[0], edges[-1])
