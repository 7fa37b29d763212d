"""Progress of long work, shown on standard error or in a notebook where it is wanted.

Like logging it is ambient and changes no result: code that works reports how far it is, and the
program states once whether progress is shown. By default it is off; nothing is shown in the first
second.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from puredelta._util.progress_display import Display, has_viewer, open_display

_log = logging.getLogger(__name__)

_Item = TypeVar("_Item")

AUTO, ON, OFF = "auto", "on", "off"
MODES = (AUTO, ON, OFF)

AFTER_SECONDS = 1.0
"""Work that is done by then shows nothing."""

_EVERY_SECONDS = 0.1

# Two displays would write over each other.
_screen = threading.Lock()


class _Ambient:
    """The source that decides whether progress is shown; asked when work takes long."""

    ask: Callable[[], str] = staticmethod(lambda: OFF)


def ask_mode(source: Callable[[], str]) -> None:
    """Let progress be shown as a source says: `auto`, `on` or `off`.

    Args:
        source: Asked each time when work has taken a second.
    """
    _Ambient.ask = staticmethod(source)


def is_wanted(mode: str) -> bool:
    """Say whether progress is to be shown: `auto` means in a terminal or a notebook."""
    return mode == ON or (mode == AUTO and has_viewer())


class ProgressStep:
    """Records how far some work is; call it after each piece, in one thread at a time."""

    def __init__(self, what: str, total: int | None, unit: str, mode: str | None = None) -> None:
        self.what, self.total, self.unit = what, total, unit
        self.done = 0
        self._mode = mode
        self._next = time.monotonic() + AFTER_SECONDS
        self._display: Display | None = None
        self._is_off = False

    def __call__(self, count: int = 1) -> None:
        """Say that so many more pieces are done."""
        self.at(self.done + count)

    def at(self, done: int, total: int | None = None) -> None:
        """Say how many pieces are done, and how many there are if that has changed."""
        self.done = done
        self.total = self.total if total is None else total
        if time.monotonic() >= self._next and not self._is_off:
            self._next = time.monotonic() + _EVERY_SECONDS
            self._guarded(self._show)

    def close(self) -> None:
        """End what is shown."""
        if self._display is not None:
            self._guarded(self._display.close)
            self._display = None
            _screen.release()

    def _show(self) -> None:
        if self._display is None:
            # Work that ends now would flash a bar and take it away.
            if self.done == self.total:
                return
            if not is_wanted(self._mode or _Ambient.ask()):
                self._is_off = True
                return
            # Another display has the screen; this one tries again at the next piece.
            if not _screen.acquire(blocking=False):
                return
            try:
                self._display = open_display(self.what, self.unit)
            finally:
                if self._display is None:
                    _screen.release()
        self._display.show(self.done, self.total)

    def _guarded(self, act: Callable[[], None]) -> None:
        """Let no work fail because it cannot be shown."""
        try:
            act()
        except (OSError, ValueError, ImportError) as error:
            _log.debug("cannot show progress: %s", error)
            self._is_off = True


@contextmanager
def progress(
    what: str, total: int | None = None, unit: str = "files", mode: str | None = None
) -> Iterator[ProgressStep]:
    """Show how far some work is, if it takes long and someone wants to see it.

    Args:
        what: What is done: `reading footers`.
        total: How many pieces there are, where that is known.
        unit: What the pieces are.
        mode: Whether it is shown, where the caller knows; see `ask_mode`.
    """
    step = ProgressStep(what, total, unit, mode)
    try:
        yield step
    finally:
        step.close()


def track(
    items: Iterable[_Item], what: str, total: int | None = None, unit: str = "files"
) -> Iterator[_Item]:
    """Hand on items, and show how many are done with; see `progress`."""
    with progress(what, total, unit) as step:
        for item in items:
            yield item
            step()
