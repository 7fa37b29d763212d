"""What pictures are drawn on: figures of matplotlib that notebooks show by themselves."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.errors import DeltaUnsupportedOperationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.2
"""Of a picture, in inches: 720 pixels of a notebook."""

MAIN, PALE = "#3b6ea5", "#d4d9e0"
"""What a picture is about, and what it is compared with."""

_LINE = 84
"""How many letters of a title fit."""

_TICKS = 6
_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500)

_PIXELS = 100
# Screens of many pixels show each as two by two.
_SHARP = 2


def new_figure(height: float) -> Figure:
    """Return an empty figure, which belongs to no window.

    Args:
        height: in inches.

    Raises:
        DeltaUnsupportedOperationError: PUREDELTA_PLOTS_NEED_MATPLOTLIB.
    """
    figure: Figure = _figure_class()(figsize=(WIDTH, height), layout="constrained")
    return figure


def style_axes(axes: Axes, *title: str) -> None:
    """Give axes the look that all pictures have: few lines, and the title at the left.

    Args:
        axes: those of a picture.
        title: its lines.
    """
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        # A dollar would begin a formula, and names come from other writers.
        lines = "\n".join(short_text(line, _LINE) for line in title)
        axes.set_title(lines, loc="left", fontsize="medium", parse_math=False)


def short_text(text: str, most: int) -> str:
    """Return a text on one line, without its middle where it is too long for a picture."""
    shown = printable(text)
    if len(shown) <= most:
        return shown
    end = most // 2
    return f"{shown[: most - end - 1]}…{shown[-end:]}"


def show_sizes(axis: Any, most: float) -> None:
    """Label an axis of bytes, which begins at 0, with round sizes.

    Args:
        axis: of axes, `axes.xaxis` for example.
        most: the largest size that is drawn.
    """
    step = round_step(most)
    axis.set_ticks(
        [step * number for number in range(int(most / step) + 1)],
        [tick_text(step * number) for number in range(int(most / step) + 1)],
    )


def tick_text(size: float) -> str:
    """Write a size at an axis.

    >>> tick_text(1024), tick_text(1536)
    ('1 KiB', '1.5 KiB')
    """
    return size_text(size).replace(".0 ", " ")


def round_step(most: float) -> float:
    """Return the least round size of which few lie below the largest one."""
    unit = 1
    while True:
        for step in _ROUND:
            if most <= _TICKS * step * unit:
                return step * unit
        unit *= 1024


def show_counts(axis: Any) -> None:
    """Label an axis of whole numbers, with separators of thousands."""
    axis.get_major_locator().set_params(integer=True)
    axis.set_major_formatter(lambda value, _position: f"{value:,.0f}")


@cache
def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  # optional, and slow to load
    except ModuleNotFoundError as error:
        raise DeltaUnsupportedOperationError("PUREDELTA_PLOTS_NEED_MATPLOTLIB") from error

    class Picture(Figure):
        """A figure that a notebook shows although pyplot does not know it."""

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            content = BytesIO()
            self.savefig(content, format="png", dpi=_PIXELS * _SHARP)
            return content.getvalue(), {"width": round(self.get_figwidth() * _PIXELS)}

    return Picture
