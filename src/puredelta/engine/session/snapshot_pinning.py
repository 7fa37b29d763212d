"""The version of a table that queries read: each the newest, or all of a statement the same."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.sql import DataFrame

from puredelta.log.snapshot import Snapshot

_first: ContextVar[dict[str, Snapshot] | None] = ContextVar("first", default=None)


@contextmanager
def snapshot_per_table() -> Iterator[None]:
    """Read each table in one version, by however many queries; also a decorator.

    It serves commands that run several queries over a table, which must agree. The queries
    have to be planned in this thread; see `plan_in_this_thread`.
    """
    token = _first.set({})
    try:
        yield
    finally:
        _first.reset(token)


def version_read(root: str, newest: Callable[[], Snapshot]) -> Snapshot:
    """Return the version of a table that a query without VERSION AS OF reads.

    Args:
        root: the table's folder, as Hadoop names it.
        newest: looks the newest one up.
    """
    known = _first.get()
    if known is None:
        return newest()
    if root not in known:
        known[root] = newest()
    return known[root]


def plan_in_this_thread(frame: DataFrame) -> DataFrame:
    """Plan a query in this thread, where Spark would do it in one of its own, as for Arrow."""
    frame._jdf.queryExecution().executedPlan()
    return frame
