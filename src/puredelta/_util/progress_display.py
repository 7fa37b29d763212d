"""Where progress is shown: a bar in a terminal or a notebook, lines elsewhere."""

import sys
import time
from html import escape
from typing import Any, Protocol

_SECONDS_BETWEEN_LINES = 5.0


class Display(Protocol):
    """Shows how far one piece of work is."""

    def show(self, done: int, total: int | None) -> None:
        """Show that so much of all is done."""
        ...

    def close(self) -> None:
        """End it."""
        ...


def has_viewer() -> bool:
    """Say whether someone is likely to look: in a terminal or a notebook."""
    return is_notebook() or _is_terminal()


def open_display(what: str, unit: str) -> Display:
    """Open the display that suits where the process runs."""
    if is_notebook():
        return _InNotebook(what, unit)
    return _InTerminal(what, unit) if _is_terminal() else _InLines(what, unit)


def progress_text(what: str, done: int, total: int | None, unit: str) -> str:
    """Say in words how far it is.

    >>> progress_text("reading footers", 1200, 5000, "files")
    'reading footers: 1,200 of 5,000 files'
    """
    return f"{what}: {done:,} {unit}" if total is None else f"{what}: {done:,} of {total:,} {unit}"


def _is_terminal() -> bool:
    # Programs without a console have no standard error.
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()


def is_notebook() -> bool:
    """Say whether this is a notebook.

    Only a kernel of Jupyter shows HTML; a plain IPython shell is a terminal.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class _InTerminal:
    """A bar that goes away in the end."""

    def __init__(self, what: str, unit: str) -> None:
        from rich.console import Console  # noqa: PLC0415  # dear, and mostly not needed
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        self._what, self._unit = what, unit
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=None)
        self._bar.start()

    def show(self, done: int, total: int | None) -> None:
        text = progress_text(self._what, done, total, self._unit)
        self._bar.update(self._task, completed=done, total=total, description=text)

    def close(self) -> None:
        self._bar.stop()


class _InNotebook:
    """A bar of HTML, which needs no widgets."""

    def __init__(self, what: str, unit: str) -> None:
        self._what, self._unit = what, unit
        self._handle: Any = None

    def show(self, done: int, total: int | None) -> None:
        text = escape(progress_text(self._what, done, total, self._unit))
        # Without a value the browser shows a bar that moves; a maximum of 0 is not allowed.
        value = "" if total is None else f' value="{done}" max="{max(total, 1)}"'
        self._put(f"<progress{value}></progress> <small>{text}</small>")

    def close(self) -> None:
        self._put("")

    def _put(self, html: str) -> None:
        # A notebook has imported IPython already, which is no dependency of this package.
        display = sys.modules["IPython"].display
        shown = display.HTML(html)
        if self._handle is None:
            self._handle = display.display(shown, display_id=True)
        else:
            self._handle.update(shown)


class _InLines:
    """A line now and then, for logs."""

    def __init__(self, what: str, unit: str) -> None:
        self._what, self._unit = what, unit
        self._next = 0.0
        self._text = self._written = ""

    def show(self, done: int, total: int | None) -> None:
        self._text = progress_text(self._what, done, total, self._unit)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _SECONDS_BETWEEN_LINES
            self.close()

    def close(self) -> None:
        # The last line is written on closing too, and must not appear twice.
        if self._text != self._written:
            self._written = self._text
            sys.stderr.write(f"{self._text}\n")
            sys.stderr.flush()
