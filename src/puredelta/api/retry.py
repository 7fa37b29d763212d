"""The retry of an operation after a conflict with another writer's commit."""

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
    """Run an operation, and again from the newest version after a conflict.

    Any other error is raised at once, because it would occur again.

    Args:
        operation: reads the table's newest version, changes it and commits.
        times: the maximum number of further runs.
        patience: the policy for the waits in between.

    Raises:
        ValueError: `times` is no int, or negative.
        DeltaConcurrentModificationError: the conflict of the last run.
    """
    # True is an int too, and `retry=True` says no number.
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
