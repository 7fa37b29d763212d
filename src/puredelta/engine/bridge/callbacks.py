"""What Java asks Python: one object that it calls, and the handlers that answer by topic.

Handlers register themselves, so that the bridge knows none of them:

    @serve("scan.files")
    def files(text: str, first: Any, second: Any) -> str: ...

`text` is JSON, the other two are objects of the JVM or None; what a handler returns is text, an
object of the JVM, or None.
"""

import logging
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from puredelta._util.interrupts import check, working_for
from puredelta.engine.bridge import failures
from puredelta.engine.bridge.call_sites import without_call_sites
from puredelta.engine.bridge.deferred import deferred
from puredelta.engine.bridge.unbroken import Caller

logger = logging.getLogger(__name__)

# Interrupts are raised in these only, because Spark passes on their exceptions. While it looks a
# table up, it can take an exception for a table that does not exist.
_BEGINS_STATEMENTS = frozenset(
    {"sql.parse", "sql.run", "table.statement", "table.run", "table.write", "source.save"}
)

# As puredelta.Bridge has it; so many letters cross by Py4J in some milliseconds.
_IN_FILE = "\u0002"
_LONG = 1 << 16

Handler = Callable[[str, Any, Any], Any]

_handlers: dict[str, Handler] = {}


def serve(topic: str) -> Callable[[Handler], Handler]:
    """Register a function as the one that answers a topic."""

    def register(handler: Handler) -> Handler:
        _handlers[topic] = handler
        return handler

    return register


def _brought(answer: Any) -> Any:
    """Put a long text into a file that Java reads and deletes: Py4J takes thirty times as long."""
    if not isinstance(answer, str) or len(answer) < _LONG:
        return answer
    try:
        # Only this user can read it.
        with tempfile.NamedTemporaryFile(prefix="puredelta-", delete=False) as file:
            try:
                file.write(answer.encode())
            except OSError:
                Path(file.name).unlink()
                raise
    except OSError:
        logger.debug("a long answer crosses by Py4J", exc_info=True)
        return answer
    return _IN_FILE + file.name


class Engine:
    """puredelta.Bridge.Engine for the JVM. Never raises: Java would see a Py4J error, not ours."""

    def __init__(self, caller: Caller) -> None:
        """Answer for the main thread or another that called the JVM."""
        self._caller = caller

    def call(self, thread: int, topic: str, text: str | None, first: Any, second: Any) -> Any:
        """Answer Java; Java gets the number of a failure, which is kept here.

        Args:
            thread: the id of the JVM's thread that asks.
            topic: what it asks.
            text: JSON.
            first: an object of the JVM.
            second: another one.
        """
        try:
            with (
                working_for(self._caller.wait_of(thread)),
                without_call_sites(),
                deferred(),
            ):
                if topic in _BEGINS_STATEMENTS:
                    check()
                return _brought(_handlers[topic](text or "", first, second))
        # KeyboardInterrupt too has to cross the JVM: the statement that was interrupted raises it
        # again on the other side.
        except BaseException as error:
            logger.debug("callback %s failed", topic, exc_info=True)
            return failures.keep(error)

    def toString(self) -> str:
        """Name this object where the JVM prints it."""
        return "puredelta"

    def hashCode(self) -> int:
        """Hash by identity, in Java's range."""
        return id(self) & 0x7FFFFFFF

    def equals(self, other: Any) -> bool:
        """Compare by identity."""
        return other is self

    class Java:
        """The Java interface that this class implements, declared as py4j expects it."""

        implements = ("puredelta.Bridge$Engine",)
