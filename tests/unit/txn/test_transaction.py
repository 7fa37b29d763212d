"""A transaction from reading to landing: lines, versions, races, failures."""

import msgspec
import pytest

from puredelta.errors import (
    ConcurrentAppendError,
    ConcurrentWriteError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaTableFeatureError,
    MetadataChangedError,
    ProtocolChangedError,
)
from puredelta.log.actions import DomainMetadata, Protocol, SetTransaction, encode_commit
from puredelta.log.names import checkpoint_name, commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import (
    WRITE,
    add,
    commit,
    create,
    info,
    metadata,
    paths,
    remove,
    table,
    tags,
)


def test_first_commit_is_version_0_with_metadata_and_protocol():
    log = table()

    assert log.latest().version == 0
    assert tags(log, 0) == ["commitInfo", "metaData", "protocol"]
    assert "readVersion" not in info(log, 0)
    assert info(log, 0)["isBlindAppend"] is True
    assert info(log, 0)["isolationLevel"] == "Serializable"
    assert info(log, 0)["operationMetrics"] == {}


def test_first_commit_needs_metadata_and_protocol():
    log = TableLog(MemoryStore())
    protocol = Protocol(min_reader_version=1, min_writer_version=2)

    with pytest.raises(DeltaIllegalStateError) as raised:
        Transaction(log, None).commit([add("x")], WRITE, protocol=protocol)
    assert raised.value.condition == "DELTA_METADATA_ABSENT"
    with pytest.raises(DeltaIllegalStateError) as raised:
        Transaction(log, None).commit([add("x")], WRITE, metadata=metadata())
    assert raised.value.condition == "DELTA_PROTOCOL_ABSENT"
    assert not log.exists()


def test_append_says_what_it_did():
    log = table()

    result = commit(log, add("x"), user_metadata="why")

    assert result.version == 1
    assert paths(result.snapshot) == ["x.parquet"]
    told = info(log, 1)
    assert told["operation"] == "WRITE"
    assert told["operationParameters"] == {"mode": "Append"}
    assert told["operationMetrics"] == {"numFiles": "1"}
    assert told["readVersion"] == 0
    assert told["userMetadata"] == "why"
    assert told["engineInfo"].startswith("PureDelta/")
    assert len(told["txnId"]) == 36


def test_lines_come_in_the_order_of_the_protocol():
    log = table(**{"delta.feature.domainMetadata": "supported"})

    commit(
        log,
        remove("y"),
        add("x"),
        SetTransaction(app_id="q", version=1),
        DomainMetadata(domain="d", configuration="{}", removed=False),
        metadata=metadata(**{"delta.enableInCommitTimestamps": "true"}),
    )

    assert tags(log, 1) == [
        "commitInfo", "metaData", "protocol", "domainMetadata", "txn", "remove", "add",
    ]  # fmt: skip


def test_commit_that_only_moves_rows_runs_under_snapshot_isolation():
    log = table()
    commit(log, add("x"))

    transaction = Transaction(log, log.latest())
    transaction.read_files(["x.parquet"])
    transaction.commit(
        [remove("x", data_change=False), add("y", data_change=False)], Operation("OPTIMIZE")
    )

    assert info(log, 2)["isolationLevel"] == "SnapshotIsolation"
    assert info(log, 2)["isBlindAppend"] is False


def test_mark_of_row_ids_does_not_change_the_isolation():
    log = table(**{"delta.feature.domainMetadata": "supported"})
    mark = DomainMetadata(
        domain="delta.rowTracking", configuration='{"rowIdHighWaterMark":1}', removed=False
    )

    commit(log, add("x", data_change=False), mark)
    commit(log, add("y", data_change=False), msgspec.structs.replace(mark, domain="other"))

    assert info(log, 1)["isolationLevel"] == "SnapshotIsolation"
    assert info(log, 2)["isolationLevel"] == "Serializable"


def test_what_was_read_makes_a_commit_not_blind():
    log = table()
    transaction = Transaction(log, log.latest())
    transaction.read_partitions(lambda _: True, "true")

    transaction.commit([add("x")], WRITE)

    assert info(log, 1)["isBlindAppend"] is False


def test_blind_appends_land_one_behind_the_other():
    log = table()
    first, second = (Transaction(log, log.latest()) for _ in range(2))

    assert first.commit([add("x")], WRITE).version == 1
    result = second.commit([add("y")], WRITE)

    assert result.version == 2
    assert paths(result.snapshot) == ["x.parquet", "y.parquet"]
    assert info(log, 2)["readVersion"] == 0


def test_many_winners_are_followed_at_once():
    log = table()
    late = Transaction(log, log.latest())
    for number in range(5):
        commit(log, add(str(number)))

    assert late.commit([add("late")], WRITE).version == 6


def test_any_of_several_winners_can_be_in_the_way():
    log = table()
    late = Transaction(log, log.latest())
    late.read_partitions(lambda values: values["p"] == "1", "p = 1")
    commit(log, add("harmless", p="2"))
    commit(log, add("in the way", p="1"))

    with pytest.raises(ConcurrentAppendError) as raised:
        late.commit([add("late")], WRITE)

    assert raised.value.parameters["version"] == "2"
    assert log.latest().version == 2


def test_creating_what_another_created_is_a_protocol_change():
    log = TableLog(MemoryStore())
    create(TableLog(log.store))

    with pytest.raises(ProtocolChangedError):
        create(log)


def test_single_attempt_gives_up_at_once():
    log = table()
    late = Transaction(log, log.latest())
    commit(log, add("x"))

    with pytest.raises(ConcurrentWriteError):
        late.commit([add("y")], WRITE, max_attempts=1)


def test_attempts_are_counted():
    log = table()
    rival = TableLog(log.store)

    def take(operation, name):
        if operation == "put_if_absent" and not taking:
            taking.append(name)
            commit(rival, add(f"rival {len(rival.latest().segment.commits)}"))
            taking.clear()

    taking = []
    late = Transaction(log, log.latest())
    log.store.on_call = take
    with pytest.raises(DeltaIllegalStateError) as raised:
        late.commit([add("late")], WRITE, max_attempts=3)

    assert raised.value.condition == "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"
    assert raised.value.parameters["numAttempts"] == "3"


def test_metadata_that_moved_stops_a_commit():
    log = table()
    late = Transaction(log, log.latest())
    commit(log, metadata=metadata(x="1"))

    with pytest.raises(MetadataChangedError):
        late.commit([add("y")], WRITE)


def test_protocol_is_raised_to_what_new_metadata_needs():
    log = table()

    result = commit(log, metadata=metadata(**{"delta.enableDeletionVectors": "true"}))

    assert result.snapshot.protocol.reader_features == ["deletionVectors"]


def test_protocol_that_suffices_is_not_written():
    log = table()

    commit(log, metadata=metadata(mine="1"))

    assert tags(log, 1) == ["commitInfo", "metaData"]


def test_winner_that_makes_the_table_unwritable_is_told_by_its_feature():
    log = table()
    late = Transaction(log, log.latest())
    grave = Protocol(min_reader_version=3, min_writer_version=7,
                     reader_features=["mystery"], writer_features=["mystery"])  # fmt: skip
    log.store.put_if_absent(commit_name(1), encode_commit([grave]))

    with pytest.raises(DeltaTableFeatureError) as raised:
        late.commit([add("y")], WRITE)
    assert raised.value.parameters["unsupported"] == "mystery"


def test_application_version_is_looked_up():
    log = table()
    commit(log, add("x"), SetTransaction(app_id="q", version=5))

    transaction = Transaction(log, log.latest())

    assert transaction.read_app("q") == 5
    assert transaction.read_app("other") is None


def test_times_inside_commits_increase_even_when_the_clock_stands():
    log = table(**{"delta.enableInCommitTimestamps": "true"})
    base = log.latest()
    clock = lambda: 5

    first = Transaction(log, base, now=clock).commit([add("x")], WRITE)
    second = Transaction(log, base, now=clock).commit([add("y")], WRITE)

    times = [info(log, version)["inCommitTimestamp"] for version in range(3)]
    assert times == sorted(set(times))
    assert first.snapshot.timestamp_ms < second.snapshot.timestamp_ms


def test_enabling_times_inside_commits_records_since_when():
    log = table()

    commit(log, metadata=metadata(**{"delta.enableInCommitTimestamps": "true"}))

    stored = log.latest().metadata.configuration
    assert stored["delta.inCommitTimestampEnablementVersion"] == "1"
    assert stored["delta.inCommitTimestampEnablementTimestamp"] == str(
        info(log, 1)["inCommitTimestamp"]
    )


def test_checkpoint_is_written_at_its_interval():
    log = table(**{"delta.checkpointInterval": "3"})

    for number in range(4):
        commit(log, add(str(number)))

    there = {version for version in range(5) if log.store.info(checkpoint_name(version))}
    assert there == {3}
    assert TableLog(log.store).latest().num_files == 4


def test_failing_checkpoint_does_not_fail_the_commit(caplog):
    log = table(**{"delta.checkpointInterval": "1"})

    def fail(operation, name):
        if operation == "put" and "checkpoint" in name:
            raise OSError("full")

    log.store.on_call = fail
    result = commit(log, add("x"))

    assert result.version == 1
    assert "no checkpoint at version 1" in caplog.text


def test_store_that_never_answers_fails_the_commit_by_name():
    log = table()

    def fail(operation, name):
        if operation == "put_if_absent":
            raise OSError("reset")

    log.store.on_call = fail
    with pytest.raises(DeltaRuntimeError) as raised:
        commit(log, add("x"))

    assert raised.value.condition == "DELTA_COMMIT_NOT_WRITTEN"
    log.store.on_call = None
    assert TableLog(log.store).latest().version == 0


def test_store_that_answers_on_the_second_try_is_enough():
    log = table()
    failures = [OSError("reset")]

    def fail(operation, name):
        if operation == "put_if_absent" and failures:
            raise failures.pop()

    log.store.on_call = fail

    assert commit(log, add("x")).version == 1
