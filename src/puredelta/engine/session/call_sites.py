"""The place in the code that PySpark writes into each column: not where the code is ours.

It asks the JVM ten times for each, more often than all else that plans a statement does, and shows
users lines of this package.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from pyspark.errors import utils

# What PySpark keeps of its setting `spark.python.sql.dataFrameDebugging.enabled`.
_KNOWN = "_enable_debugging_cache"


class _Runs:
    """How many runs there are at once in all threads, and what PySpark knew before them."""

    lock = Lock()
    count = 0
    before: Any = None


@contextmanager
def without_call_sites() -> Iterator[None]:
    """Make columns without the places that they are made in; also a decorator.

    Columns that another thread makes meanwhile have none, either.
    """
    with _Runs.lock:
        if not _Runs.count:
            _Runs.before = getattr(utils, _KNOWN, None)
            setattr(utils, _KNOWN, False)
        _Runs.count += 1
    try:
        yield
    finally:
        with _Runs.lock:
            _Runs.count -= 1
            if not _Runs.count:
                setattr(utils, _KNOWN, _Runs.before)
