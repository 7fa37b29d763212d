"""Three outcomes of one put-if-absent, the lost reply among them."""

import pytest

from puredelta.errors import DeltaRuntimeError, DeltaUnsupportedOperationError
from puredelta.log.actions import CommitInfo, encode_commit
from puredelta.log.names import commit_name
from puredelta.storage.memory import MemoryStore
from puredelta.txn.committer import Committed, FileSystemCommitter, Lost, UnknownOutcome

OURS = encode_commit([CommitInfo(txn_id="ours")])
THEIRS = encode_commit([CommitInfo(txn_id="theirs")])


class SilentStore(MemoryStore):
    """Answers a put with an error, after or without doing it."""

    def __init__(self, *, writes, error):
        super().__init__()
        self._writes = writes
        self._error = error

    def put_if_absent(self, name, data):
        if self._writes:
            super().put_if_absent(name, data)
        raise self._error


def failure():
    return DeltaRuntimeError(
        "DELTA_STORAGE_FAILURE", operation="write", path="x", reason="timed out"
    )


class CarelessStore(MemoryStore):
    """Cannot tell two writers apart."""

    def require_put_if_absent(self):
        raise DeltaUnsupportedOperationError(
            "DELTA_STORAGE_NO_PUT_IF_ABSENT.IGNORED", url="memory:///t"
        )


def test_store_that_cannot_decide_is_refused_before_anything_is_written():
    with pytest.raises(DeltaUnsupportedOperationError, match="two writers"):
        FileSystemCommitter(CarelessStore())


def test_free_version_is_ours():
    store = MemoryStore()

    assert FileSystemCommitter(store).commit(3, OURS, "ours") == Committed(3)
    assert store.read(commit_name(3)) == OURS


def test_taken_version_is_lost():
    store = MemoryStore()
    store.put(commit_name(3), THEIRS)

    assert FileSystemCommitter(store).commit(3, OURS, "ours") == Lost(3)


def test_own_commit_met_on_a_second_try_is_ours():
    store = MemoryStore()
    store.put(commit_name(3), OURS)

    assert FileSystemCommitter(store).commit(3, OURS, "ours") == Committed(3)


@pytest.mark.parametrize("error", [failure(), OSError("reset"), TimeoutError()])
def test_lost_reply_is_recognised_by_the_token(error):
    store = SilentStore(writes=True, error=error)

    assert FileSystemCommitter(store).commit(0, OURS, "ours") == Committed(0)


def test_failure_before_anything_was_written_is_unknown():
    error = OSError("reset")
    store = SilentStore(writes=False, error=error)

    assert FileSystemCommitter(store).commit(0, OURS, "ours") == UnknownOutcome(0, error)


def test_failure_while_another_writes_is_lost():
    store = SilentStore(writes=False, error=OSError("reset"))
    store.put(commit_name(0), THEIRS)

    assert FileSystemCommitter(store).commit(0, OURS, "ours") == Lost(0)


@pytest.mark.parametrize("writes", [True, False])
def test_store_that_cannot_be_read_either_is_unknown(writes):
    error = OSError("reset")
    store = SilentStore(writes=writes, error=error)
    store.put(commit_name(0), OURS)

    def fail(operation, name):
        if operation == "read":
            raise TimeoutError(name)

    store.on_call = fail

    assert FileSystemCommitter(store).commit(0, OURS, "ours") == UnknownOutcome(0, error)


def test_taken_version_that_cannot_be_read_is_unknown():
    store = MemoryStore()
    store.put(commit_name(3), OURS)

    def fail(operation, name):
        if operation == "read":
            raise TimeoutError(name)

    store.on_call = fail

    outcome = FileSystemCommitter(store).commit(3, OURS, "ours")

    assert isinstance(outcome, UnknownOutcome)
    assert isinstance(outcome.reason, TimeoutError)


def test_faults_of_ours_are_not_swallowed():
    store = SilentStore(writes=False, error=ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        FileSystemCommitter(store).commit(0, OURS, "ours")
