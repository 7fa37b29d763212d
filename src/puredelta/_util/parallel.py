"""Work on many things by a few threads, with the results in order and few of them in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def run_in_parallel(
    work: Callable[[_Item], _Result], items: Iterable[_Item], *, threads: int, at_once: int = 1
) -> Iterator[_Result]:
    """Yield the results of some work, in the order of the items.

    A generator that is not read to its end waits for no thread when it is closed: the garbage
    collector may close it at any moment, even while its thread holds the locks that joining needs.

    Args:
        work: What is done with each item; what it raises is raised here.
        items: Taken as results are asked for, some ahead.
        threads: How many work.
        at_once: How many items a thread takes at a time: more where each is little work.
    """
    waiting: deque[Future[list[_Result]]] = deque()
    rest = iter(items)
    pool = ThreadPoolExecutor(threads)
    try:
        while some := list(islice(rest, at_once)):
            waiting.append(pool.submit(lambda task: [work(item) for item in task], some))
            # A result waits in memory until it is its turn, so few items are ahead of the reader.
            if len(waiting) > threads:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
