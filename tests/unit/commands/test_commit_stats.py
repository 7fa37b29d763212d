"""What a commit did is told, or that it is there and cannot be read."""

import pytest

from puredelta.commands.commit_stats import CommitStats, commit_stats_of
from puredelta.errors import DeltaRuntimeError
from puredelta.log.names import commit_name
from tests.unit.txn.tables import add, commit, table


def test_commit_is_told_in_numbers():
    log = table()
    before = log.latest()

    told = commit_stats_of(before, commit(log, add("a")).snapshot, CommitStats)

    assert (told.version, told.files, told.bytes) == (1, 1, 10)


def test_commit_that_cannot_be_read_back_is_not_to_be_repeated():
    log = table()
    before = log.latest()
    after = commit(log, add("a")).snapshot
    log.store.delete([commit_name(1)])

    with pytest.raises(DeltaRuntimeError, match="Do not run the operation again") as caught:
        commit_stats_of(before, after, CommitStats)

    assert caught.value.condition == "DELTA_COMMITTED_AND_NOT_READ"
