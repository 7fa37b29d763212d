"""Calls of the main thread into the JVM that Ctrl-C does not break.

py4j has one connection for each thread. A signal's handler that raises while an answer is waited
for leaves the answer in the connection, and one that itself asks the JVM, as PySpark's does, mixes
its question into another. Here the interrupt waits for the answer, and such a handler asks on a
thread, and thereby a connection, of its own.
"""

import threading
from collections import OrderedDict
from typing import Any

from puredelta._util import interrupts
from puredelta.engine.bridge.patches import Send

# For the JVM's answer to what a signal's handler asks; cancelling jobs takes milliseconds.
_SECONDS_FOR_HANDLERS = 5

_WAITS_KEPT = 16


class Caller:
    """Sends what the main thread asks, and knows which thread of the JVM answers it.

    A thread of the JVM may ask Python on a connection of its own, so that another thread of
    Python answers: it works for the main thread then.
    """

    def __init__(self, gateway: Any, send: Send) -> None:
        """Send the commands of a gateway of py4j by a function."""
        self._gateway = gateway
        self._client = gateway._gateway_client
        self._send = send
        self._answering: tuple[Any, int] | None = None
        self._waits: OrderedDict[int, interrupts.Wait] = OrderedDict()

    def send_command(
        self,
        command: str,
        retry: bool = True,  # noqa: FBT001, FBT002  # as py4j calls it
        binary: bool = False,  # noqa: FBT001, FBT002  # likewise
    ) -> Any:
        """Send a command as py4j does, and let an interrupt wait for the answer."""
        if not interrupts.is_main_thread():
            return self._send(command, retry, binary)
        if interrupts.is_asking():
            return self._sent_apart(command, retry, binary)
        with interrupts.hold_back():
            try:
                self._note_wait()
                return self._send(command, retry, binary)
            except (KeyboardInterrupt, SystemExit):
                self._drop_connection()
                raise

    def wait_of(self, thread: int) -> interrupts.Wait | None:
        """Return the wait in which the main thread last called a thread of the JVM.

        Args:
            thread: its id.
        """
        return self._waits.get(thread)

    def _note_wait(self) -> None:
        wait = interrupts.current()
        if wait is None:
            return
        connection = self._connection()
        if self._answering is None or self._answering[0] is not connection:
            # Asked by this very function, once for each connection.
            self._answering = (connection, 0)
            thread = int(self._gateway.jvm.java.lang.Thread.currentThread().getId())
            self._answering = (self._connection(), thread)
        self._waits[self._answering[1]] = wait
        if len(self._waits) > _WAITS_KEPT:
            self._waits.popitem(last=False)

    def _connection(self) -> Any:
        return getattr(self._client, "get_thread_connection", lambda: None)()

    def _sent_apart(self, *arguments: Any) -> Any:
        answers: list[Any] = []
        asking = threading.Thread(
            target=lambda: answers.append(self._send(*arguments)), daemon=True
        )
        asking.start()
        asking.join(_SECONDS_FOR_HANDLERS)
        if not answers:
            # The JVM does not answer; a user who interrupts must not wait for it any longer.
            raise KeyboardInterrupt
        return answers[0]

    def _drop_connection(self) -> None:
        """Close the thread's connection, in which an answer is left that nobody waits for."""
        connection = self._connection()
        self._answering = None
        if connection is not None:
            connection.close()
