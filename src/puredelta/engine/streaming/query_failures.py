"""What ended a streaming query, as the exception that it is and as PySpark's for failed queries."""

import re
from collections import OrderedDict
from threading import Lock
from typing import Any

from puredelta.engine.bridge import patches
from puredelta.engine.bridge.failures import convert_with, original
from puredelta.engine.exceptions import ending_query
from puredelta.errors.classes import DeltaError

_CLASS = "org.apache.spark.sql.streaming.StreamingQueryException"
# Each message of the class names the run of the query that failed.
_RUN = re.compile(r"runId = ([-0-9a-f]+)")
_KEPT_AT_MOST = 256

_of_batches: OrderedDict[str, DeltaError] = OrderedDict()
_lock = Lock()


def follow_queries() -> None:
    """Make `StreamingQuery` raise and return our exceptions. Safe to call twice."""
    convert_with(_CLASS, _converted)
    patches.convert_query_failures_with(_converted)
    patches.note_failing_batches(DeltaError, _note)


def _converted(java_error: Any) -> DeltaError | None:
    """Return the exception for a query that ended by one of ours.

    Exceptions of other packages stay the causes of a plain `StreamingQueryException`.
    """
    run = _RUN.search(str(java_error.toString()))
    with _lock:
        noted = _of_batches.get(run[1]) if run else None
    found = noted or original(java_error)
    return ending_query(found) if isinstance(found, DeltaError) else None


def _note(run: str, error: DeltaError) -> None:
    with _lock:
        _of_batches[run] = error
        while len(_of_batches) > _KEPT_AT_MOST:
            _of_batches.popitem(last=False)
