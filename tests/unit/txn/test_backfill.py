"""Row ids for the files of a table that had none, and who may say that all rows have one."""

import msgspec
import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.txn.backfill import backfill
from puredelta.txn.commit_info import BACKFILL
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import (
    NO_WAIT,
    WRITE,
    add,
    commit,
    info,
    lines,
    metadata,
    remove,
    table,
    tags,
)

ON = {"delta.enableRowTracking": "true"}


def begin(log, meanwhile=None):
    def started(snapshot):
        if meanwhile is not None:
            meanwhile()
        return Transaction(log, snapshot, patience=NO_WAIT)

    return started


def row_ids(snapshot):
    return {row["path"]: row["base_row_id"] for row in snapshot.files.to_pylist()}


def filled(*names):
    log = table()
    for name in names:
        commit(log, add(name, rows=2))
    return log


def with_ids_on(snapshot):
    configuration = {**snapshot.configuration, **ON}
    return msgspec.structs.replace(snapshot.metadata, configuration=configuration)


def test_every_file_gets_ids_behind_an_upgrade_of_the_protocol():
    log = filled("x", "y", "z")

    after = backfill(log.latest(), begin(log), files_per_commit=2)

    assert sorted(row_ids(after).values()) == [0, 2, 4]
    assert [info(log, version)["operation"] for version in (4, 5, 6)] == [
        "UPGRADE PROTOCOL", BACKFILL, BACKFILL,
    ]  # fmt: skip
    assert info(log, 5)["operationParameters"] == {"batchId": "0"}
    assert info(log, 6)["operationParameters"] == {"batchId": "1"}
    assert info(log, 5)["isolationLevel"] == "SnapshotIsolation"
    assert info(log, 5)["isBlindAppend"] is False
    assert tags(log, 5) == ["commitInfo", "domainMetadata", "add", "add"]
    assert lines(log, 5)[2]["add"]["dataChange"] is False


def test_history_shows_the_protocol_as_the_reference_does():
    log = filled()

    backfill(log.latest(), begin(log))

    shown = info(log, 1)["operationParameters"]["newProtocol"]
    assert shown.startswith('{"minReaderVersion":1,"minWriterVersion":7,"readerFeatures":null,')
    assert '"rowTracking"' in shown


def test_table_whose_files_have_ids_is_left_alone():
    log = table(**{"delta.feature.rowTracking": "supported"})
    before = commit(log, add("x")).snapshot

    assert backfill(before, begin(log)).version == before.version


def test_writers_in_between_are_followed():
    log = filled("x", "y")
    others = iter([[], [remove("x"), add("new", rows=7)]])

    def meanwhile():
        actions = next(others, None)
        if actions:
            commit(log, *actions)

    after = backfill(log.latest(), begin(log, meanwhile))

    assert row_ids(after) == {"new.parquet": 0, "y.parquet": 7}


def test_suspended_table_is_not_backfilled():
    log = table(**{"delta.rowTrackingSuspended": "true"})

    with pytest.raises(DeltaIllegalStateError):
        backfill(log.latest(), begin(log))


def test_ids_are_turned_on_behind_a_backfill():
    log = filled("x")

    after = backfill(log.latest(), begin(log))
    commit(log, metadata=with_ids_on(after))

    assert info(log, 4)["tags"] == {"rowTrackingEnablementOnly": "true"}


@pytest.mark.parametrize("names", [(), ("x",)])
def test_ids_are_not_turned_on_without_one(names):
    log = filled(*names)

    with pytest.raises(DeltaIllegalStateError) as raised:
        commit(log, metadata=with_ids_on(log.latest()))

    assert raised.value.condition == "DELTA_ROW_TRACKING_WITHOUT_BACKFILL"
    assert raised.value.parameters["numFiles"] == str(len(names))


def test_files_that_all_go_need_no_ids():
    log = filled("x")
    transaction = Transaction(log, log.latest())
    transaction.read_whole_table()

    result = transaction.commit(
        [remove("x"), add("y")],
        WRITE,
        metadata=metadata(**ON),
    )

    assert row_ids(result.snapshot) == {"y.parquet": 0}
