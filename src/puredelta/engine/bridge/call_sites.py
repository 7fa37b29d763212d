"""The place in the code that PySpark writes into each column: not where the code is ours.

It asks the JVM ten times for each, more often than all else that plans a statement does, and shows
users lines of this package. So it is with statements, and with all that answers the JVM, which may
ask on another thread than the one of the statement.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from puredelta.engine.bridge.patches import capture_call_sites_if

_is_wanted: ContextVar[bool] = ContextVar("is_wanted", default=True)


def install() -> None:
    """Let PySpark ask, for each column, whether its place is wanted."""
    capture_call_sites_if(_is_wanted.get)


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Make columns without the places that they are made in; also a decorator.

    Columns that other threads make meanwhile have theirs.
    """
    token = _is_wanted.set(False)
    try:
        yield
    finally:
        _is_wanted.reset(token)
