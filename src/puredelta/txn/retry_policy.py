"""How long to wait for a store that does not answer clearly, or that others keep busy."""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from puredelta.errors import DeltaError
from puredelta.storage.store import ObjectNotFound

Answer = TypeVar("Answer")

# What a store says when it may have done, or may yet do, what it was asked for.
_UNCLEAR = frozenset({"DELTA_STORAGE_FAILURE", "DELTA_STORAGE_UNREACHABLE"})
# What an operating system says when it has not and will not.
_CLEAR = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.ENOTDIR,
        errno.ENAMETOOLONG,
    }
)


def is_transient(failure: Exception) -> bool:
    """Return whether trying again can help against a failure of a store."""
    if isinstance(failure, ObjectNotFound):
        # Only objects are read that are known to exist, so the store does not show it yet.
        return True
    # The condition of a store's error does not show that the system refused for good; its cause
    # does.
    cause = failure.__cause__
    if isinstance(cause, OSError) and cause.errno in _CLEAR:
        return False
    if isinstance(failure, DeltaError):
        return failure.condition in _UNCLEAR
    return isinstance(failure, OSError) and failure.errno not in _CLEAR


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often something is tried, and how long is waited in between.

    Attributes:
        tries: How often a store is asked before its failure is reported.
        first: The wait after the first failure, in seconds; each one is twice the one before.
        longest: The longest wait, in seconds.
        busy: The longest wait after a lost race, in seconds.
        sleep: Waits.
    """

    tries: int = 10
    first: float = 0.02
    longest: float = 2.0
    busy: float = 0.05
    sleep: Callable[[float], None] = field(default=time.sleep)

    def ask(
        self, question: Callable[[], Answer], again: Callable[[Exception], bool] = is_transient
    ) -> Answer:
        """Ask a store until it answers.

        Args:
            question: What is asked.
            again: Returns whether asking again can help against a failure.

        Raises:
            DeltaError: The last failure, or the first one that will not pass.
            OSError: Likewise.
        """
        failures = 0
        while True:
            try:
                return question()
            except (DeltaError, OSError) as failure:
                if failures + 1 >= self.tries or not again(failure):
                    raise
                failures += 1
            self.after_failure(failures)

    def goes_on(self, failures: int, failure: Exception) -> bool:
        """Return whether to try again, after failures before and now this one."""
        return failures + 1 < self.tries and is_transient(failure)

    def after_failure(self, failures: int) -> None:
        """Wait after so many failures in a row; writers that failed together wait differently."""
        self.sleep(_some_of(min(self.longest, self.first * 2 ** (failures - 1))))

    def after_loss(self, losses: int) -> None:
        """Wait after so many lost races: not after the first one, and never long."""
        # The first race was lost to a commit that is complete by now; only repeated losses show
        # that several writers are at it.
        if losses > 1:
            self.sleep(_some_of(min(self.busy, 0.001 * 2 ** min(losses, 16))))


def _some_of(seconds: float) -> float:
    return seconds * random.uniform(0.5, 1.0)  # noqa: S311  # nothing is to be kept secret
