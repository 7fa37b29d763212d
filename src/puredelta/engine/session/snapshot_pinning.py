"""Which version of a table the queries of a statement read: each of them the newest, or all one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pyspark.sql import DataFrame

from puredelta.log.snapshot import Snapshot

_first: ContextVar[dict[str, Snapshot] | None] = ContextVar("first", default=None)


@contextmanager
def snapshot_per_table() -> Iterator[None]:
    """Read each table in one version, by however many queries; also a decorator.

    It is for what asks the same of a table several times, and must get one answer. The queries
    have to be planned in this thread; see `plan_in_this_thread`.
    """
    token = _first.set({})
    try:
        yield
    finally:
        _first.reset(token)


def version_read(root: str, newest: Callable[[], Snapshot]) -> Snapshot:
    """Return the version of a table that a query reads which asked for none.

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
