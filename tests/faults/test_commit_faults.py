"""The store fails at each of its calls in turn: the table stays readable and no row is lost."""

import pytest

from puredelta.errors import DeltaError
from puredelta.log.table_log import TableLog
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import WRITE, add, commit, paths, table

CALLS = range(26)


class FailAt:
    """Raises at one call of the store, before or after it was carried out."""

    def __init__(self, at):
        self.at = at
        self.calls = 0

    def __call__(self, operation, name):
        self.calls += 1
        if self.calls == self.at + 1:
            raise ConnectionResetError(operation, name)


def racing_log():
    """A transaction that will lose its first race, on a table where a checkpoint is due."""
    log = table(**{"delta.checkpointInterval": "2"})
    late = Transaction(log, log.latest())
    commit(TableLog(log.store), add("rival"))
    return log, late


@pytest.mark.parametrize("at", CALLS)
def test_table_is_whole_whichever_call_fails(at):
    log, late = racing_log()
    log.store.on_call = FailAt(at)

    try:
        late.commit([add("mine")], WRITE)
        landed = True
    except (DeltaError, OSError):
        landed = None

    log.store.on_call = None
    found = paths(TableLog(log.store).latest())
    assert found in (["rival.parquet"], ["mine.parquet", "rival.parquet"])
    if landed:
        assert "mine.parquet" in found


@pytest.mark.parametrize("at", CALLS)
def test_repeated_commit_after_a_fault_is_seen_in_the_history(at):
    log, late = racing_log()
    log.store.on_call = FailAt(at)
    try:
        late.commit([add("mine")], WRITE)
    except (DeltaError, OSError):
        log.store.on_call = None
        latest = TableLog(log.store).latest()
        if "mine.parquet" not in paths(latest):
            commit(TableLog(log.store), add("mine"))

    log.store.on_call = None
    assert paths(TableLog(log.store).latest()) == ["mine.parquet", "rival.parquet"]
