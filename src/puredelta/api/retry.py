"""An operation run anew when another writer's commit is in its way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from puredelta.errors.classes import DeltaConcurrentModificationError
from puredelta.txn.retry_policy import RetryPolicy

Result = TypeVar("Result")

_PATIENCE = RetryPolicy()


def run_with_retry(
    operation: Callable[[], Result], times: Any = 0, patience: RetryPolicy = _PATIENCE
) -> Result:
    """Run an operation, and again from the newest version when it met a conflict.

    What is wrong otherwise is raised at once: it would be wrong again.

    Args:
        operation: reads the table's newest version, changes it and commits.
        times: how often it is run again at most.
        patience: how long is waited in between.

    Raises:
        ValueError: `times` is no int, or negative.
        DeltaConcurrentModificationError: the conflict of the last run.
    """
    if type(times) is not int or times < 0:
        raise ValueError(f"retry must be an int of at least 0, not {times!r}")
    failures = 0
    while True:
        try:
            return operation()
        except DeltaConcurrentModificationError:
            if failures == times:
                raise
            failures += 1
        patience.after_failure(failures)
