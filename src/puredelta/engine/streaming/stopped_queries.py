"""How a batch ends whose query is stopped: by an interrupt, and not by a failure."""

from typing import Any

from puredelta.engine.bridge.failures import causes
from puredelta.engine.bridge.jvm_parts import Py4JJavaError

# What a stop raises in the thread of the query: the interrupt itself, or the end of its jobs.
_INTERRUPTS = ("java.lang.InterruptedException", "java.nio.channels.ClosedByInterruptException")
_CANCELLED = "cancelled part of cancelled job group"


def interruption(error: BaseException) -> str | None:
    """Return why the work of a batch was interrupted; None for a failure of its own.

    `StreamingQuery.stop` interrupts the thread of the query and cancels its jobs. Spark then ends
    the query without an error if it receives the interrupt, whereas any other exception becomes
    the error of the query.

    Args:
        error: what the work raised.
    """
    for cause in causes(_java_error(error)):
        text = str(cause.toString())
        if cause.getClass().getName() in _INTERRUPTS or _CANCELLED in text:
            return text
    return None


def _java_error(error: BaseException | None) -> Any:
    """Return the exception of the JVM that an exception is made of, or None."""
    while error is not None:
        found = (
            error.java_exception
            if isinstance(error, Py4JJavaError)
            else getattr(error, "_origin", None)
        )
        if found is not None:
            return found
        error = error.__cause__
    return None
