"""The Python process beside a JVM that no Python started: answers its adapters until it ends.

The adapters start it with `python -m puredelta.sidecar`, and with the port and the secret of
Spark's Py4J server in its environment; see `Sidecar.java`. Its standard input ends with the JVM.
"""

import logging
import os
import signal
import sys

from puredelta.api.connect.server import answer_calls
from puredelta.engine.bridge.compiler import sources_digest
from puredelta.engine.bridge.joined_context import join_context
from puredelta.errors.classes import DeltaError, DeltaRuntimeError
from puredelta.frontend import answering
from puredelta.frontend.sql.statements.method_call import answer_calls_with
from puredelta.version import __version__

logger = logging.getLogger(__name__)

answer_calls_with(answer_calls)

_PORT = "PYSPARK_GATEWAY_PORT"
_ADAPTERS = "PUREDELTA_ADAPTERS"


def main() -> int:
    """Join the JVM, answer, and return the exit code once the JVM has ended."""
    # Ctrl-C in a shell reaches all its processes; the JVM decides what of it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _refuse_what_cannot_work()
        join_context()
        answering.join(takes_over=False)
    except DeltaError as error:
        # The last line is what the adapters report.
        print(" ".join(str(error).split()), file=sys.stderr)  # noqa: T201
        return 1
    logger.info("answering the adapters of a JVM")
    sys.stdin.buffer.read()
    # Threads that answer may still wait for the JVM, which has ended.
    os._exit(0)


def _refuse_what_cannot_work() -> None:
    if _PORT not in os.environ:
        raise DeltaRuntimeError("PUREDELTA_SIDECAR_ALONE")
    if os.environ.get(_ADAPTERS) != sources_digest():
        raise DeltaRuntimeError("PUREDELTA_ADAPTERS_DIFFER", version=__version__)


if __name__ == "__main__":
    sys.exit(main())
