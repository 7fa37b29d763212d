"""Waiting for a store: which failures may pass, how often, how long."""

import errno

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.storage.store import ObjectNotFound
from puredelta.txn.retry_policy import RetryPolicy, is_transient

FAILURE = DeltaRuntimeError("DELTA_STORAGE_FAILURE", operation="read", path="x", reason="reset")
MISSING = ObjectNotFound("DELTA_FILE_OR_DIR_NOT_FOUND", path="x")
OTHER = DeltaAnalysisError("DELTA_PATH_DOES_NOT_EXIST", path="x")


def patience(**limits):
    waits = []
    return RetryPolicy(sleep=waits.append, **limits), waits


def caused_by(number):
    failure = DeltaRuntimeError("DELTA_STORAGE_FAILURE", operation="write", path="x", reason="no")
    failure.__cause__ = OSError(number, "no")
    return failure


@pytest.mark.parametrize("failure", [FAILURE, MISSING, OSError("reset"), TimeoutError()])
def test_unclear_failures_may_pass(failure):
    assert is_transient(failure)


@pytest.mark.parametrize(
    "failure",
    [OTHER, OSError(errno.ENOSPC, "full"), PermissionError(errno.EACCES, "no"), ValueError()],
)
def test_clear_failures_do_not(failure):
    assert not is_transient(failure)


def test_what_the_system_said_counts():
    assert not is_transient(caused_by(errno.EROFS))
    assert is_transient(caused_by(errno.EIO))


def test_answer_after_failures_is_enough():
    waited, waits = patience()
    failures = [FAILURE, MISSING]

    def question():
        if failures:
            raise failures.pop()
        return 42

    assert waited.ask(question) == 42
    assert len(waits) == 2


def test_patience_ends():
    waited, waits = patience(tries=3)

    def question():
        raise FAILURE

    with pytest.raises(DeltaRuntimeError):
        waited.ask(question)
    assert len(waits) == 2


def test_clear_failure_is_told_at_once():
    waited, waits = patience()

    def question():
        raise OTHER

    with pytest.raises(DeltaAnalysisError):
        waited.ask(question)
    assert waits == []


def test_waits_grow_up_to_the_longest():
    waited, waits = patience(first=1.0, longest=8.0)

    for failures in range(1, 8):
        waited.after_failure(failures)

    assert all(0.5 * 2**place <= wait <= 2**place for place, wait in enumerate(waits[:4]))
    assert max(waits) <= 8.0


def test_first_lost_race_costs_no_wait_and_later_ones_little():
    waited, waits = patience()

    for losses in range(1, 100):
        waited.after_loss(losses)

    assert len(waits) == 98
    assert max(waits) <= 0.05
