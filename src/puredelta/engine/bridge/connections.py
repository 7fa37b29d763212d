"""Connections from threads of the JVM to Python, which are closed when the threads have ended.

Each thread of Spark's pools that calls Python opens a connection. These threads end after a minute
without work; py4j keeps their connections, and a thread of Python for each, until the process ends.
"""

import logging
import threading
from typing import Any, NamedTuple

from puredelta.engine.bridge.classes import static_method
from puredelta.engine.bridge.deferred import deferred
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.bridge.patches import callback_client, callback_field

logger = logging.getLogger(__name__)

_OF_JVM = "puredelta.Connections"

# So many may be open before the JVM is asked which of the threads have ended.
_FEW = 32


class _Opened(NamedTuple):
    thread: Any
    connection: Any


class Connections:
    """Knows which thread opened which connection, and closes those of threads that ended.

    Only the thread shows whether a connection is in use: a call within a call has the same
    connection, and py4j then lists it among the idle ones.
    """

    def __init__(self, gateway: Any) -> None:
        """Watch the connections of a gateway of py4j."""
        self._gateway = gateway
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._opened: list[_Opened] = []
        self._most = _FEW

    @property
    def thread(self) -> int | None:
        """The id of the JVM's thread that asks now; None where it has no connection of its own."""
        number: int | None = getattr(self._threads, "number", None)
        return number

    def asked(self) -> None:
        """Take note of the thread that asks now, if it never did before."""
        if getattr(self._threads, "is_known", False):
            return
        self._threads.is_known = True
        try:
            self._note()
        except Exception:
            # The call is answered all the same.
            logger.warning("connections from the JVM are not closed", exc_info=True)

    def _note(self) -> None:
        with deferred():
            client = callback_client(self._gateway)
            asking = items_of(static_method(_OF_JVM, "threadAndConnection")(client))
        if not asking:
            return
        number, thread, connection = asking
        opened = _Opened(thread, connection)
        self._threads.number = number
        with self._lock:
            self._opened.append(opened)
            if len(self._opened) <= self._most:
                return
            known, self._opened = self._opened, []
        # The questions are round trips to the JVM, so that they are asked outside of the lock.
        alive = [opened.thread.isAlive() for opened in known]
        states = list(zip(known, alive, strict=True))
        self._close(client, [opened for opened, is_alive in states if not is_alive])
        with self._lock:
            # Other threads may have added their connections meanwhile.
            self._opened += [opened for opened, is_alive in states if is_alive]
            # A bound that doubles keeps the number of questions in proportion to that of the
            # connections.
            self._most = max(_FEW, 2 * len(self._opened))

    def _close(self, client: Any, ended: list[_Opened]) -> None:
        listed, lock = (
            callback_field(self._gateway, name).get(client) for name in ("connections", "lock")
        )
        for connection in ended:
            connection.connection.shutdown()
            lock.lock()
            try:
                # py4j lists it once for each call that had calls within it.
                while listed.remove(connection.connection):
                    pass
            finally:
                lock.unlock()
        logger.debug("%d connections from the JVM closed", len(ended))
