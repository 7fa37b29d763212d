"""Suppresses the call sites that PySpark records in columns, for columns that we make.

PySpark calls the JVM ten times for each call site, more often than the rest of a statement's
planning does, and users would see lines of this package. Statements and callbacks suppress them;
a callback may run on another thread than its statement.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from puredelta.engine.bridge.patches import capture_call_sites_if

_is_wanted: ContextVar[bool] = ContextVar("is_wanted", default=True)


def install() -> None:
    """Let PySpark ask, for each column, whether its call site is wanted."""
    capture_call_sites_if(_is_wanted.get)


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Make columns without call sites; also a decorator.

    Columns that other threads make meanwhile have theirs.
    """
    token = _is_wanted.set(False)
    try:
        yield
    finally:
        _is_wanted.reset(token)
