"""Keeps py4j's messages about our callbacks out of the user's log.

py4j logs each question of the JVM at INFO, and each connection that is opened for it. Callbacks
of the user's own, such as those of `foreachBatch`, and all other messages stay as they are; so do
ours where the user lets py4j log at DEBUG.
"""

import logging
import re
from typing import Any

from puredelta.engine.bridge.patches import filter_logs

_LOGGER = logging.getLogger("py4j.clientserver")
_CALL = re.compile(r"Received command \w on object id (?P<id>\S+)$")
_CONNECTION = "Python Server ready to receive messages"


class _OfOthers(logging.Filter):
    """Passes what is not about the objects whose ids it has."""

    def __init__(self) -> None:
        super().__init__()
        self.ours: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a message is logged."""
        if record.levelno != logging.INFO or _LOGGER.isEnabledFor(logging.DEBUG):
            return True
        message = record.getMessage()
        call = _CALL.match(message)
        return message != _CONNECTION and (call is None or call["id"] not in self.ours)


_filter = _OfOthers()


def leave_out_calls_of(gateway: Any, proxy: object) -> None:
    """Keep py4j from logging the JVM's calls of one Python object at INFO.

    Args:
        gateway: PySpark's.
        proxy: what the JVM calls; it has been handed over.
    """
    pool = gateway.gateway_property.pool
    _filter.ours |= {key for key, known in pool.dict.items() if known is proxy}
    filter_logs([_LOGGER], _filter)
