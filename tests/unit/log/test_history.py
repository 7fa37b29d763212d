"""Which version was made when."""

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.actions import CommitInfo
from puredelta.log.history import CommitRecord, history_row, version_at
from puredelta.log.names import checkpoint_name, commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, add, commit, create, info, metadata


def log_made_at(*times: int, table=METADATA, stamps=()) -> TableLog:
    """Return a log whose commit files have these times, and in-commit timestamps if given."""
    clock = iter(times)
    store = MemoryStore(now=lambda: next(clock))
    stamps = {**dict.fromkeys(range(len(times))), **dict(stamps)}
    create(store, table=table)
    for version in range(1, len(times)):
        commit(store, version, info(f"OP{version}", in_commit_timestamp=stamps[version]))
    return TableLog(store)


def test_history_is_newest_first_with_increasing_times():
    log = log_made_at(100, 90, 300)

    found = [(record.version, record.timestamp_ms) for record in log.history()]

    assert found == [(2, 300), (1, 101), (0, 100)]
    assert [record.info.operation for record in log.history()] == ["OP2", "OP1", "CREATE TABLE"]


def test_limit_looks_at_the_last_versions_only():
    log = log_made_at(1, 2, 3)

    assert [record.version for record in log.history(2)] == [2, 1]
    assert len(log.history(99)) == 3


def test_commit_info_may_be_missing_late_or_long():
    store = MemoryStore()
    create(store)
    commit(store, 1, add("a"))
    commit(store, 2, add("a"), info("LATE"))
    commit(store, 3, info("LONG", user_metadata="x" * 50_000))

    found = [record.info for record in TableLog(store).history()]

    assert [info and info.operation for info in found] == ["LONG", "LATE", None, "CREATE TABLE"]


@pytest.mark.parametrize(
    ("time", "version"), [(100, 0), (199, 0), (200, 1), (201, 2), (399, 2), (400, 3)]
)
def test_version_at_a_time_is_the_newest_one_by_then(time, version):
    log = log_made_at(100, 200, 150, 400)

    assert log.version_at(time) == version
    assert log.at_timestamp(time).version == version


def test_time_before_the_first_version_is_refused():
    with pytest.raises(DeltaAnalysisError) as raised:
        log_made_at(100, 200).version_at(99, show=str)

    assert raised.value.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    assert raised.value.parameters == {
        "userTimestamp": "99",
        "commitTs": "100",
        "timestampString": "100",
    }


def test_time_after_the_last_version_is_refused_unless_allowed():
    log = log_made_at(100, 200)

    with pytest.raises(DeltaAnalysisError) as raised:
        log.version_at(201)

    assert raised.value.condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"
    assert raised.value.parameters["lastCommitTimestamp"] == "1970-01-01 00:00:00.200+00:00"
    assert log.version_at(201, can_be_after=True) == 1


def test_versions_that_cannot_be_read_do_not_count():
    clock = iter([100, 200, 300, 400])
    store = MemoryStore(now=lambda: next(clock))
    create(store)
    commit(store, 1)
    commit(store, 2)
    store.put(checkpoint_name(1), b"x")
    store.delete([commit_name(0)])

    with pytest.raises(DeltaAnalysisError, match="EARLIER"):
        version_at(store, METADATA, 150)
    assert version_at(store, METADATA, 250) == 1


def test_log_without_any_readable_version_is_refused():
    store = MemoryStore()
    commit(store, 1)

    with pytest.raises(DeltaAnalysisError, match="DELTA_NO_RECREATABLE_HISTORY_FOUND"):
        version_at(store, METADATA, 150)


ICT = metadata(delta_enableInCommitTimestamps="true", delta_inCommitTimestampEnablementVersion="2")


def test_in_commit_timestamps_count_from_their_version_on():
    log = log_made_at(10, 20, 500, 600, table=ICT, stamps={1: 7, 2: 30, 3: 40})

    assert [record.timestamp_ms for record in log.history()] == [40, 30, 20, 10]
    assert [log.version_at(time) for time in (10, 29, 30, 39, 40)] == [0, 1, 2, 2, 3]
    assert log.latest().timestamp_ms == 40


@pytest.mark.parametrize(
    ("last", "condition"),
    [(add("a"), "DELTA_MISSING_COMMIT_INFO"), (info(), "DELTA_MISSING_COMMIT_TIMESTAMP")],
)
def test_missing_in_commit_timestamp_is_refused(last, condition):
    store = MemoryStore()
    create(store, table=metadata(delta_enableInCommitTimestamps="true"))
    commit(store, 1, last)
    log = TableLog(store)

    with pytest.raises(DeltaIllegalStateError) as raised:
        log.version_at(5)

    assert raised.value.condition == condition


def test_row_of_history_shows_parameters_as_text():
    parameters = {"mode": "Append", "auto": False, "n": 3, "none": None, "list": ["a"]}
    record = CommitRecord(4, 5, CommitInfo(operation="X", operation_parameters=parameters))

    row = history_row(record)

    assert (row["version"], row["timestamp"], row["operation"]) == (4, 5, "X")
    assert row["operationParameters"] == {
        "mode": "Append",
        "auto": "false",
        "n": "3",
        "none": None,
        "list": '["a"]',
    }


def test_row_without_commit_info_has_all_columns():
    row = history_row(CommitRecord(4, 5, None))

    assert row.keys() == history_row(CommitRecord(0, 0, CommitInfo())).keys()
    assert {value for name, value in row.items() if name not in {"version", "timestamp"}} == {None}


def test_timestamps_switched_off_do_not_count():
    log = log_made_at(10, 20, table=metadata(delta_enableInCommitTimestamps="false"))

    assert log.latest().timestamp_ms == 20
