"""Jobs of one statement that run side by side: started by threads, and cancelled as one."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from pyspark import inheritable_thread_target
from pyspark.sql import SparkSession

from puredelta.engine.bridge.deferred import settle

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def run_side_by_side(
    session: SparkSession,
    work: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    threads: int,
) -> list[_Result]:
    """Do some work, which starts jobs, with each item; return the results in order.

    The threads belong to the running statement: an interrupt cancels their jobs, and the files that
    they write are removed if the statement fails. Where one fails, the others that run are waited
    for, since they may still write.

    Args:
        session: the session.
        work: what is done with each item; what it raises is raised here.
        items: the items.
        threads: how many work at once.
    """
    if threads <= 1 or len(items) <= 1:
        return [work(item) for item in items]

    def inheriting() -> Callable[[_Item], _Result]:
        # Tags of jobs, by which an interrupt finds them, belong to a thread of the JVM. Each thread
        # gets a copy: Spark changes what it was given.
        found: Callable[[_Item], _Result] = inheritable_thread_target(session)(work)
        return found

    # Other threads do not know what waits here.
    settle()
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        # A context cannot be entered twice at a time.
        started = [pool.submit(copy_context().run, inheriting(), item) for item in items]
        try:
            return [each.result() for each in started]
        finally:
            for each in started:
                each.cancel()
