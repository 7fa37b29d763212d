"""An operation is run again for a conflict, as often as was asked for, and for nothing else."""

import pytest

from puredelta.api.retry import run_with_retry
from puredelta.errors.classes import ConcurrentTransactionError, DeltaAnalysisError
from puredelta.txn.retry_policy import RetryPolicy

CONFLICT = ConcurrentTransactionError(
    "DELTA_CONCURRENT_TRANSACTION", winner="w", conflictingCommit="c", docLink="d"
)


class Failing:
    """Fails so many times, then answers."""

    def __init__(self, times, error=CONFLICT):
        self.left = times
        self.error = error
        self.runs = 0

    def __call__(self):
        self.runs += 1
        if self.left:
            self.left -= 1
            raise self.error
        return "done"


@pytest.fixture
def waits():
    return []


@pytest.fixture
def patience(waits):
    return RetryPolicy(sleep=waits.append)


def test_conflicts_are_followed_by_another_run_and_a_wait(patience, waits):
    failing = Failing(2)

    assert run_with_retry(failing, 2, patience) == "done"
    assert failing.runs == 3
    assert len(waits) == 2


def test_last_conflict_is_raised(patience, waits):
    failing = Failing(5)

    with pytest.raises(ConcurrentTransactionError):
        run_with_retry(failing, 2, patience)
    assert (failing.runs, len(waits)) == (3, 2)


def test_without_retry_it_runs_once(patience):
    failing = Failing(1)

    with pytest.raises(ConcurrentTransactionError):
        run_with_retry(failing, patience=patience)
    assert failing.runs == 1


def test_other_errors_are_raised_at_once(patience):
    failing = Failing(1, DeltaAnalysisError("DELTA_PATH_EXISTS", path="p"))

    with pytest.raises(DeltaAnalysisError):
        run_with_retry(failing, 5, patience)
    assert failing.runs == 1


@pytest.mark.parametrize("times", [-1, 1.0, None, "2", True])
def test_times_are_a_whole_number(times):
    with pytest.raises(ValueError, match="retry"):
        run_with_retry(Failing(0), times)
