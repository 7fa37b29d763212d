"""Version checksums: read with mistrust, written once."""

import json
import logging

import msgspec
import pytest

from puredelta.errors import DeltaRuntimeError
from puredelta.log.actions import Protocol
from puredelta.log.checksum import (
    Checksum,
    disagreements,
    encode_checksum,
    is_same_protocol,
    read_checksum,
    write_checksum,
)
from puredelta.log.names import checksum_name
from puredelta.log.summaries.checksum import checksum_of
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, PROTOCOL, add, commit, create, info


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    create(store, add("a", size=10))
    commit(store, 1, info(txn_id="t-1"), add("b", size=20_000))
    write_checksum(store, 1, checksum_of(TableLog(store).latest()))
    return store


def changed(store: MemoryStore, **fields) -> MemoryStore:
    """Change fields of the checksum; those that become None are left out."""
    name = checksum_name(1)
    plain = {**json.loads(store.read(name)), **fields}
    plain = {key: value for key, value in plain.items() if value is not None}
    store.put(name, json.dumps(plain).encode())
    return store


def asked(store: MemoryStore) -> list[str]:
    names: list[str] = []
    store.on_call = lambda operation, name: names.append(name) if operation == "read" else None
    return names


def test_checksum_has_the_fields_of_the_reference_in_its_order(store):
    data = store.read(checksum_name(1))

    assert data.endswith(b"}\n")
    assert list(json.loads(data)) == [
        "txnId",
        "tableSizeBytes",
        "numFiles",
        "numMetadata",
        "numProtocol",
        "setTransactions",
        "domainMetadata",
        "metadata",
        "protocol",
        "fileSizeHistogram",
        "allFiles",
    ]


def test_checksum_tells_size_and_number_of_files_without_a_look_at_them(store):
    snapshot = TableLog(store).latest()

    assert (snapshot.num_files, snapshot.size_in_bytes) == (2, 20_010)
    assert snapshot.live.loaded is None


def test_checksum_is_read_once(store):
    snapshot = TableLog(store).latest()
    names = asked(store)
    for _ in range(3):
        assert snapshot.num_files + snapshot.size_in_bytes == 20_012

    assert names == [checksum_name(1)]


def test_checksum_that_is_there_is_not_replaced(store):
    before = store.read(checksum_name(1))

    assert not write_checksum(store, 1, checksum_of(TableLog(store).at_version(0)))
    assert store.read(checksum_name(1)) == before


def test_histogram_under_its_old_name_is_understood(store):
    histogram = json.loads(store.read(checksum_name(1)))["fileSizeHistogram"]
    changed(store, fileSizeHistogram=None, histogramOpt=histogram, allFiles=None)

    snapshot = TableLog(store).latest()

    assert (snapshot.num_files, snapshot.live.loaded) == (2, None)


WRONG = [
    {"numFiles": 3},
    {"numFiles": -1},
    {"numFiles": None},
    {"numFiles": "2"},
    {"numFiles": 10**30},
    {"tableSizeBytes": 20_011},
    {"tableSizeBytes": None},
    {"numMetadata": 2},
    {"numProtocol": 0},
    {"numDeletedRecordsOpt": -5},
    {"allFiles": []},
    {"allFiles": [{"path": "a"}]},
    {"fileSizeHistogram": {"sortedBinBoundaries": [0], "fileCounts": [9], "totalBytes": [9]}},
    {"fileSizeHistogram": {"sortedBinBoundaries": [], "fileCounts": [], "totalBytes": []}},
    {"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": [5] * 10}},
    {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": []}},
    {"txnId": "t-2"},
    {"fileSizeHistogram": None, "allFiles": None, "numFiles": 7},
]


@pytest.mark.parametrize("fields", WRONG)
def test_wrong_checksum_gives_no_wrong_answer(store, fields):
    snapshot = TableLog(changed(store, **fields)).latest()

    assert (snapshot.num_files, snapshot.size_in_bytes) == (2, 20_010)


def test_checksum_with_other_metadata_is_passed_over(store, caplog):
    other = json.loads(encode_checksum(checksum_of(TableLog(store).latest())))["metadata"]
    changed(store, metadata={**other, "id": "another table"})

    with caplog.at_level(logging.WARNING):
        assert TableLog(store).latest().checksum is None

    assert "another metadata" in caplog.text


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 50_000])
def test_damaged_checksum_is_passed_over_with_a_warning(store, content, caplog):
    store.put(checksum_name(1), content)

    with caplog.at_level(logging.WARNING):
        assert read_checksum(store, 1) is None

    assert checksum_name(1) in caplog.text
    assert TableLog(store).latest().num_files == 2


def test_missing_checksum_is_none_without_a_word(caplog):
    assert read_checksum(MemoryStore(), 3) is None
    assert caplog.text == ""


def test_checksum_that_the_store_does_not_give_is_none():
    def fail(operation: str, name: str) -> None:
        raise DeltaRuntimeError("DELTA_STORAGE_FAILURE", operation=operation, path=name, reason="x")

    assert read_checksum(MemoryStore(on_call=fail), 1) is None


def test_order_of_features_does_not_matter():
    features = ["deletionVectors", "v2Checkpoint"]
    protocol = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=features,
        writer_features=features,
    )
    checksum = Checksum(
        table_size_bytes=0, num_files=0, num_metadata=1, num_protocol=1, protocol=protocol
    )
    turned = msgspec.structs.replace(
        protocol, reader_features=features[::-1], writer_features=features[::-1]
    )

    assert disagreements(checksum, turned, METADATA, None) == []
    assert disagreements(checksum, PROTOCOL, METADATA, None) == ["another protocol than in the log"]


def test_order_of_features_makes_no_other_protocol():
    some, others = ["rowTracking", "invariants"], ["invariants", "rowTracking"]
    one, other, more = (
        Protocol(min_reader_version=1, min_writer_version=7, writer_features=names)
        for names in (some, others, [*some, "appendOnly"])
    )

    assert is_same_protocol(one, other)
    assert not is_same_protocol(one, more)
    assert not is_same_protocol(one, None)
