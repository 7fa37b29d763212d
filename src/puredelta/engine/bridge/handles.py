"""Many objects of the JVM in one call: py4j by itself hands over, takes and releases one a call."""

import logging
import time
from collections.abc import Iterable
from typing import Any

from puredelta.engine.bridge.deferred import DeferredCalls
from puredelta.engine.bridge.jvm_parts import (
    ENTRY_POINT_OBJECT_ID,
    GATEWAY_SERVER_OBJECT_ID,
    OUTPUT_CONVERTER,
    SHUTDOWN_FINALIZER_WORKER,
    Py4JError,
    SparkContext,
    get_command_part,
)
from puredelta.engine.bridge.patches import InterceptedClient, java_gateway

logger = logging.getLogger(__name__)

# How long the first object that Python drops waits for more, so that one call releases them all.
_SECONDS_TO_GATHER = 0.05

_HANDLES = "puredelta_handles"


def attach(gateway: Any, client: InterceptedClient, calls: DeferredCalls) -> None:
    """Make the JVM's side of this module, and release objects through it from now on."""
    handles = gateway.jvm.puredelta.Handles(java_gateway(gateway))
    gateway.__dict__[_HANDLES] = handles
    releases = _Releases(client, handles, calls)
    client.release_through(releases.garbage_collect_object)


def items_of(found: Any) -> list[Any]:
    """Return the items of a Scala collection or iterator."""
    return [_read(line) for line in _lines(_handles().items(found))]


def each_of(found: Any, *methods: str) -> list[Any]:
    """Return what a method returns for each item of a Scala collection or iterator.

    Args:
        found: the collection.
        methods: the name of the method; others are called on the answer of the one before.
    """
    return [_read(line) for line in _lines(_handles().each(found, ".".join(methods)))]


def first_children(node: Any) -> list[tuple[str, Any]]:
    """Return a node of a plan or an expression, its first child, the first child of that and so on.

    Returns:
        The name of each one's class without its package, and the node itself.
    """
    lines = (line.partition(" ") for line in _lines(_handles().chain(node)))
    return [(kind, _read(handle)) for kind, _, handle in lines]


def _handles() -> Any:
    gateway: Any = SparkContext._gateway
    return gateway.__dict__[_HANDLES]


def _lines(text: str) -> list[str]:
    # py4j escapes the line ends in strings, so a line is one item.
    return text.split("\n")[:-1]


def _read(line: str) -> Any:
    gateway: Any = SparkContext._gateway
    return OUTPUT_CONVERTER[line[0]](line[1:], gateway._gateway_client)


def sequence(items: Iterable[Any]) -> Any:
    """Make an immutable `Seq` of JVM objects, and of what py4j converts."""
    # The JVM releases an object that Python has dropped, so all are held until the call is over.
    held = list(items)
    return _handles().sequence("".join(map(get_command_part, held)))


class _Releases:
    """Takes the place of how py4j's thread for it releases the objects that Python dropped."""

    def __init__(self, client: InterceptedClient, handles: Any, calls: DeferredCalls) -> None:
        self._client = client
        self._handles = handles
        self._calls = calls

    def garbage_collect_object(
        self,
        target_id: str,
        enqueue: bool = True,  # noqa: FBT001, FBT002  # as py4j calls it
    ) -> None:
        """Note that an object was dropped; in py4j's thread, release it and what comes after it."""
        if enqueue:
            if not self._calls.drop(target_id):
                self._client.enqueue(target_id)
            return
        time.sleep(_SECONDS_TO_GATHER)
        ids = {target_id, *self._gathered()}
        # py4j's own objects have handles too, and the JVM needs them until it ends.
        ids -= {ENTRY_POINT_OBJECT_ID, GATEWAY_SERVER_OBJECT_ID}
        try:
            if ids and self._client.is_connected:
                self._handles.release("\n".join(ids))
        except (Py4JError, OSError):
            # The JVM has ended, and so have its objects.
            logger.debug("objects of the JVM are not released", exc_info=True)

    def _gathered(self) -> list[str]:
        waiting = self._client.dropped
        ids: list[str] = []
        while waiting:
            dropped = waiting.pop()
            # py4j's thread ends when it takes this mark out of the queue itself.
            if dropped == SHUTDOWN_FINALIZER_WORKER:
                waiting.append(dropped)
                break
            ids.append(dropped[1])
        return ids
