"""Ctrl-C, held back while a statement cannot be left: it ends first, and then the interrupt counts.

Python runs a signal's handler between any two instructions of the main thread. What is raised
there while the JVM is waited for breaks the connection to it, and the JVM goes on; what is raised
while a version is made leaves open whether it exists. So within `hold_back` the handler
takes note and cancels, the statement fails by itself or ends, and KeyboardInterrupt is raised when
the outermost `hold_back` is left. A second interrupt is raised where it arrives.

Only the main thread gets signals. Other threads may work for it: they answer the JVM, for which it
waits. In all other threads these functions do nothing.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

_MAIN = threading.main_thread().ident


class Interrupted(KeyboardInterrupt):
    """The interrupt, raised where a statement can be left: it has committed nothing."""


class Wait:
    """The work that the main thread waits for, from the outermost `hold_back` to its end.

    Attributes:
        reason: the exception that is raised at the end; None while no interrupt came.
        is_over: the main thread waits no more.
    """

    def __init__(self, before: Callable[[int, FrameType | None], Any]) -> None:
        """Store the handler of signals that was set before."""
        self.before = before
        self.reason: BaseException | None = None
        self.is_over = False
        self.is_raised = False
        self.is_asking = False
        self.shields = 0
        self.commits: list[str] = []


class _Main:
    wait: Wait | None = None


_works_for = threading.local()
_leaving = threading.Lock()
_hooks: list[Callable[[Wait], None]] = []


def on_interrupt(hook: Callable[[Wait], None]) -> None:
    """Have a function called when an interrupt is held back; it must return at once."""
    _hooks.append(hook)


def is_main_thread() -> bool:
    """Say whether the calling thread is the one that gets signals."""
    return threading.get_ident() == _MAIN


def current() -> Wait | None:
    """Return what the main thread waits for, if the calling thread is that or works for it."""
    if is_main_thread():
        return _Main.wait
    wait: Wait | None = getattr(_works_for, "wait", None)
    return wait


@contextmanager
def working_for(wait: Wait | None) -> Iterator[None]:
    """Do in another thread what the main thread waits for."""
    if wait is None or is_main_thread():
        yield
        return
    before = getattr(_works_for, "wait", None)
    _works_for.wait = wait
    try:
        yield
    finally:
        _works_for.wait = before


class hold_back:  # noqa: N801  # used as a function
    """Hold back interrupts of the main thread until the outermost of these is left.

    Raises:
        KeyboardInterrupt: on leaving, when an interrupt came; it says what was committed.
    """

    __slots__ = ("_wait",)

    def __enter__(self) -> None:
        """Hold back interrupts from now on."""
        self._wait = None
        if not is_main_thread() or _Main.wait is not None:
            return
        before = signal.getsignal(signal.SIGINT)
        # A handler that is no function, such as SIG_IGN, raises nothing that could be held back.
        if callable(before):
            self._wait = _Main.wait = Wait(before)
            signal.signal(signal.SIGINT, _arrived)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise the interrupt that came meanwhile."""
        wait = self._wait
        if wait is None:
            return
        wait.shields += 1
        # `insist` must not send its signal once the previous handler is back.
        with _leaving:
            wait.is_over = True
            # The statement may have set a handler itself, which stays.
            if signal.getsignal(signal.SIGINT) is _arrived:
                signal.signal(signal.SIGINT, wait.before)
            _Main.wait = None
        if wait.reason is not None:
            raise _with_commits(wait, wait.reason) from None


def _with_commits(wait: Wait, reason: BaseException) -> BaseException:
    if not isinstance(reason, KeyboardInterrupt) or not wait.commits:
        return reason
    return KeyboardInterrupt(f"committed before the interrupt: {', '.join(wait.commits)}")


def _arrived(number: int, frame: FrameType | None) -> None:
    """Take note of an interrupt; a second one is raised at once."""
    wait = _Main.wait
    if wait is None:
        return
    if wait.reason is not None:
        if not wait.shields:
            raise KeyboardInterrupt
        return
    wait.is_asking = True
    try:
        wait.before(number, frame)
    except BaseException as reason:  # noqa: BLE001  # raised again when it can be
        # Without context and traceback, the exception keeps no frame of the statement alive.
        reason.__context__ = None
        wait.reason = reason.with_traceback(None)
    finally:
        wait.is_asking = False
    if wait.reason is not None:
        for hook in _hooks:
            hook(wait)


def is_asking() -> bool:
    """Return whether the previous handler runs now, which interrupts the main thread anywhere."""
    return _Main.wait is not None and _Main.wait.is_asking and is_main_thread()


@contextmanager
def shield() -> Iterator[None]:
    """Let no interrupt be raised in the main thread inside, be it the second."""
    wait = current()
    if wait is None:
        yield
        return
    wait.shields += 1
    try:
        yield
    finally:
        wait.shields -= 1


def check() -> None:
    """Raise an interrupt that is held back, once, where the statement can be left.

    Raises:
        Interrupted: there is one.
    """
    wait = current()
    if wait is not None and not wait.is_raised:
        refuse_commit()


def refuse_commit() -> None:
    """Raise an interrupt that is held back, each time: no caller waits for the commit any more.

    Raises:
        Interrupted: there is one.
    """
    wait = current()
    if wait is not None and wait.reason is not None:
        wait.is_raised = True
        raise Interrupted


def committed(what: str) -> None:
    """Record what a statement has committed, for the message of an interrupt that is too late."""
    wait = current()
    if wait is not None:
        wait.commits.append(what)


def insist(wait: Wait) -> None:
    """Raise an interrupt in the main thread if it is still held back; from another thread."""
    with _leaving:
        if wait.is_over or wait.reason is None:
            return
        # Windows has no pthread_kill.
        if hasattr(signal, "pthread_kill") and _MAIN is not None:
            signal.pthread_kill(_MAIN, signal.SIGINT)
        else:
            signal.raise_signal(signal.SIGINT)
