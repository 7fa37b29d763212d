"""Transactions that last longer than the log keeps what others commit meanwhile."""

import pytest

from puredelta._util.clock import now_ms
from puredelta.errors import ConcurrentWriteError
from puredelta.log.names import LOG_FOLDER, commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from puredelta.txn.streamed.first_version import stream_write
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, commit, create, paths, table

HOUR = 3_600_000


def expiring_table(**configuration):
    """A table whose commits were all made long ago, so that each checkpoint cleans the log."""
    log = TableLog(MemoryStore(url="memory:///t"))
    create(log, **configuration)
    return log


def written(log, versions):
    """Another process that writes some versions."""
    rival = TableLog(log.store)
    for number in range(versions):
        commit(rival, add(f"rival-{number}"))


def begun(log, snapshot, now=now_ms):
    return Transaction(log, snapshot, patience=NO_WAIT, now=now)


def names(log):
    return [one.name for one in log.store.list_from(LOG_FOLDER)]


def test_version_that_was_made_and_cleaned_away_is_not_made_again():
    log = expiring_table()
    late = begun(log, log.latest())
    written(log, 12)
    before = names(log)

    with pytest.raises(ConcurrentWriteError) as raised:
        late.commit([add("late")], WRITE)

    assert raised.value.condition == "PUREDELTA_OUTLIVED_LOG"
    assert "make version 1" in raised.value.message
    assert "up to 12" in raised.value.message
    assert names(log) == before


def test_the_same_process_begins_again_from_the_newest_version():
    log = expiring_table()
    late = begun(log, log.latest())
    written(log, 12)
    with pytest.raises(ConcurrentWriteError):
        late.commit([add("late")], WRITE)

    result = commit(log, add("again"))

    assert result.version == 13
    assert len(paths(result.snapshot)) == 13


def test_version_behind_a_checkpoint_that_nobody_followed_is_made():
    log = expiring_table()
    written(log, 10)
    late = begun(log, log.latest())

    assert commit_name(9) not in names(log)
    assert late.commit([add("late")], WRITE).version == 11


def test_winners_that_are_there_are_followed_however_old_they_are():
    log = expiring_table()
    written(log, 10)
    late = begun(log, log.latest())
    written(log, 3)

    assert late.commit([add("late")], WRITE).version == 14


def test_table_that_came_and_was_cleaned_meanwhile_is_not_created_again():
    log = TableLog(MemoryStore(url="memory:///t"))
    late = begun(log, None)
    create(TableLog(log.store))
    written(log, 10)
    made = log.latest()

    with pytest.raises(ConcurrentWriteError) as raised:
        late.commit([], WRITE, metadata=made.metadata, protocol=made.protocol)

    assert raised.value.condition == "PUREDELTA_OUTLIVED_LOG"
    with pytest.raises(ConcurrentWriteError):
        stream_write(
            begun(log, None), [add("x")], WRITE, metadata=made.metadata, protocol=made.protocol
        )
    assert commit_name(0) not in names(log)


@pytest.mark.parametrize("listed", [True, False])
def test_next_version_that_a_listing_does_not_show_yet_is_followed(listed):
    log = expiring_table()
    late = begun(log, log.latest())
    written(log, 2)
    shown = log.store.list_from

    def list_from(prefix, start=None):
        found = shown(prefix, start)
        log.store.list_from = shown
        return [one for one in found if listed or one.name != commit_name(1)]

    log.store.list_from = list_from

    assert late.commit([add("late")], WRITE).version == 3


@pytest.mark.parametrize(
    ("retention", "age", "listings"),
    [
        ("interval 30 days", HOUR - 60_000, 0),
        ("interval 30 days", HOUR + 60_000, 1),
        ("interval 10 minutes", 4 * 60_000, 0),
        ("interval 10 minutes", 6 * 60_000, 1),
        ("interval 0 seconds", 0, 1),
    ],
)
def test_store_is_asked_only_where_the_next_version_may_have_expired(retention, age, listings):
    log = table(**{"delta.logRetentionDuration": retention})
    made = log.latest().segment.last_commit.modified_ms
    late = begun(log, log.latest(), now=lambda: made + age)
    asked = []
    log.store.on_call = lambda operation, _: asked.append(operation)

    late.commit([add("x")], WRITE)

    assert asked.count("list_from") == listings
