"""What follows a commit: checksum, checkpoint, log cleanup; none of them can fail the commit."""

import logging

import msgspec
import pytest

from puredelta.log.checksum import read_checksum
from puredelta.log.names import LAST_CHECKPOINT, checkpoint_name, checksum_name, commit_name
from puredelta.log.summaries.checksum import MAX_READ, differences
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, commit, create, paths, remove, table

DAY = 86_400_000


def days_of_commits(last: int, **properties: str) -> TableLog:
    """Make a table with one version a day and a checkpoint every second one."""
    days = iter(range(1, 10_000))
    clock = {"now": 0}
    log = TableLog(MemoryStore(now=lambda: clock["now"]))
    create(log, **{"delta.checkpointInterval": "2", **properties})
    for day in range(1, last + 1):
        clock["now"] = next(days) * DAY
        transaction = Transaction(log, log.latest(), now=lambda: clock["now"], patience=NO_WAIT)
        transaction.commit([add(f"f{day}")], WRITE)
    return log


def versions_left(log: TableLog) -> list[int]:
    return sorted(
        version for version in range(200) if log.store.info(commit_name(version)) is not None
    )


def test_each_commit_gets_a_checksum_that_is_true():
    log = table()
    commit(log, add("a"))
    commit(log, add("b"), remove("a"))

    for version in range(3):
        checksum = read_checksum(log.store, version)
        snapshot = TableLog(log.store).at_version(version)
        assert differences(checksum, snapshot) == []
        assert checksum.txn_id == snapshot.commit_info.txn_id


def test_checksum_of_another_writer_stays():
    log = table()
    log.store.put(checksum_name(1), b"theirs")

    commit(log, add("a"))

    assert log.store.read(checksum_name(1)) == b"theirs"


def test_small_commit_reads_no_more_of_a_large_table():
    log = table()
    commit(log, *(add(f"f{n}") for n in range(500)))
    log = TableLog(log.store)
    log.latest()
    names = []
    log.store.on_call = lambda operation, name: (
        names.append(name) if operation.startswith("read") else None
    )

    result = commit(log, add("one more"))

    assert result.snapshot.live.loaded is None
    assert read_checksum(log.store, 2).num_files == 501
    assert commit_name(0) not in names


def test_missing_checksum_of_a_large_table_is_made_up_for_at_the_next_checkpoint():
    properties = {"delta.checkpointInterval": "3", "delta.enableExpiredLogCleanup": "false"}
    log = table(**properties)
    commit(log, msgspec.structs.replace(add("large"), stats="x" * MAX_READ))
    log.store.delete([checksum_name(1)])
    log = TableLog(log.store)
    for name in "abc":
        commit(log, add(name))

    found = [read_checksum(log.store, version) is not None for version in range(5)]

    assert found == [True, False, False, True, True]


def test_checkpoint_comes_every_so_many_versions():
    log = days_of_commits(5)

    there = [log.store.info(checkpoint_name(version)) is not None for version in range(6)]

    assert there == [False, False, True, False, True, False]


def test_expired_versions_go_after_a_checkpoint():
    log = days_of_commits(40)

    left = versions_left(log)

    # Retention of 30 days before day 40: what was made up to day 10 has expired.
    assert left == list(range(10, 41))
    assert paths(TableLog(log.store).at_version(left[0])) == paths(log.at_version(left[0]))


@pytest.mark.parametrize(
    ("properties", "first"),
    [
        ({"delta.enableExpiredLogCleanup": "false"}, 0),
        (
            {
                "delta.logRetentionDuration": "interval 10 days",
                "delta.deletedFileRetentionDuration": "interval 1 day",
            },
            30,
        ),
        ({"delta.requireCheckpointProtectionBeforeVersion": "35"}, 0),
        ({"delta.requireCheckpointProtectionBeforeVersion": "6"}, 10),
        ({"delta.logRetentionDuration": "interval 0 days"}, 40),
    ],
)
def test_properties_decide_on_cleanup(properties, first):
    if properties.get("delta.logRetentionDuration") == "interval 0 days":
        properties = {**properties, "delta.deletedFileRetentionDuration": "interval 0 days"}

    assert versions_left(days_of_commits(40, **properties))[0] == first


def test_no_cleanup_without_a_checkpoint():
    log = days_of_commits(35, **{"delta.checkpointInterval": "100"})

    assert versions_left(log) == list(range(36))


@pytest.mark.parametrize(
    ("call", "part"),
    [("put", ".crc"), ("put", ".checkpoint."), ("put", LAST_CHECKPOINT), ("delete", "")],
)
def test_failure_is_logged_and_the_commit_stands(call, part, caplog):
    log = days_of_commits(41)
    clock = 42 * DAY

    def fail(operation: str, name: str) -> None:
        if operation.startswith(call) and part in name:
            raise ConnectionResetError(operation, name)

    log.store.on_call = fail
    with caplog.at_level(logging.WARNING):
        transaction = Transaction(log, log.latest(), now=lambda: clock, patience=NO_WAIT)
        result = transaction.commit([add("last")], WRITE)
    log.store.on_call = None

    assert result.version == 42
    assert "last.parquet" in paths(TableLog(log.store).latest())
    assert "at version 42" in caplog.text


@pytest.mark.parametrize("key", ["delta.checkpointInterval", "delta.logRetentionDuration"])
def test_property_that_another_writer_broke_does_not_fail_the_commit(key, caplog):
    log = days_of_commits(1)
    broken = log.store.read(commit_name(0)).replace(
        b'"delta.checkpointInterval":"2"', b'"delta.checkpointInterval":"2","%b":"x"' % key.encode()
    )
    log.store.put(
        commit_name(0), broken.replace(b'"delta.checkpointInterval":"2","delta.ch', b'"delta.ch')
    )
    log.store.delete([checksum_name(0), checksum_name(1)])
    log = TableLog(log.store)

    with caplog.at_level(logging.WARNING):
        assert commit(log, add("b")).version == 2

    assert "at version 2" in caplog.text
