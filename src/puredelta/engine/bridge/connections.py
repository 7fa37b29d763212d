"""Connections that threads of the JVM open to ask Python: closed in time, for py4j never does it.

Each thread of Spark's pools that asks opens one. The threads end when they were idle for a minute;
py4j keeps their connections, and a thread of Python for each, as long as the process lives.
"""

import logging
import threading
from typing import Any

from py4j.java_gateway import JavaObject

logger = logging.getLogger(__name__)

_PER_THREAD = "py4j.PythonClient"

# When so many threads have come, those that rest are closed.
_MOST = 32


class Connections:
    """Counts the threads that ask, and closes connections that rest when there are many.

    Who asks again over one that was closed opens another; one that is in use is left alone.
    """

    def __init__(self, gateway: Any) -> None:
        """Watch the connections of a gateway of py4j."""
        self._gateway = gateway
        self._threads = threading.local()
        self._lock = threading.Lock()
        self._came = 0

    def asked(self) -> None:
        """Count the thread that asks now, if it never did before."""
        if getattr(self._threads, "is_known", False):
            return
        self._threads.is_known = True
        with self._lock:
            self._came += 1
            if self._came < _MOST:
                return
            self._came = 0
        try:
            self._close_resting()
        except Exception:
            # What is asked is answered all the same.
            logger.warning("connections from the JVM were not closed", exc_info=True)

    def _close_resting(self) -> None:
        client = JavaObject("GATEWAY_SERVER", self._gateway._gateway_client).getCallbackClient()
        if client.getClass().getName() != _PER_THREAD:
            return
        # py4j takes a connection out of them while it is in use, and holds the lock for it.
        connections, lock = (self._field(client, name) for name in ("connections", "lock"))
        lock.lock()
        try:
            resting = [one for one in connections.toArray() if one.isInitiatedFromClient()]
            for one in resting:
                connections.remove(one)
                one.shutdown()
        finally:
            lock.unlock()
        logger.debug("%d connections from the JVM closed", len(resting))

    def _field(self, client: Any, name: str) -> Any:
        jvm = self._gateway.jvm
        field = jvm.java.lang.Class.forName("py4j.CallbackClient").getDeclaredField(name)
        field.setAccessible(True)
        return field.get(client)
