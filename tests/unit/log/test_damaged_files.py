"""Damaged checkpoints and compactions: the commits tell the same."""

import logging

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import encode_commit
from puredelta.log.names import checkpoint_name, commit_name, compaction_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, PROTOCOL, add, commit, create, info, paths, remove

LAST = 8


@pytest.fixture
def store() -> MemoryStore:
    """Versions 0 to 8, checkpoints at 3 and 6."""
    store = MemoryStore()
    create(store, add("f0"))
    log = TableLog(store)
    for version in range(1, LAST + 1):
        commit(store, version, info(), add(f"f{version}"))
        if version in (3, 6):
            write_checkpoint(log.at_version(version), tombstones_since=0)
    return store


ALL = [f"f{number}" for number in range(LAST + 1)]


def names_read(store: MemoryStore) -> list[str]:
    names: list[str] = []
    store.on_call = lambda operation, name: names.append(name) if operation == "read" else None
    return names


def test_compaction_is_read_in_place_of_its_commits(store):
    store.put(compaction_name(7, 8), encode_commit([add("f7"), add("f8")]))
    names = names_read(store)

    assert paths(TableLog(store).latest().files) == ALL
    assert compaction_name(7, 8) in names
    assert commit_name(7) not in names


def test_removes_in_a_compaction_reach_the_checkpoint(store):
    store.put(compaction_name(7, 8), encode_commit([remove("f1"), add("f7"), add("f8")]))

    assert paths(TableLog(store).latest().files) == [name for name in ALL if name != "f1"]


def test_snapshot_follows_commits_after_a_compaction(store):
    store.put(compaction_name(7, 8), encode_commit([add("f7"), add("f8")]))
    log = TableLog(store)
    log.latest()
    commit(store, 9, info("X"), remove("f7"))

    assert paths(log.latest().files) == [name for name in ALL if name != "f7"]
    assert log.latest().commit_info.operation == "X"


@pytest.mark.parametrize("content", [b'{"add": {"path"', b"\0" * 50, b'{"add": 1}', b"\xff"])
def test_damaged_compaction_is_passed_over(store, content, caplog):
    store.put(compaction_name(7, 8), content)

    with caplog.at_level(logging.WARNING):
        assert paths(TableLog(store).latest().files) == ALL

    assert compaction_name(7, 8) in caplog.text


def test_compaction_that_vanished_is_passed_over(store):
    store.put(compaction_name(7, 8), encode_commit([add("f7"), add("f8")]))
    name = compaction_name(7, 8)
    store.on_call = lambda call, what: store.delete([name]) if (call, what) == ("read", name) else 0

    assert paths(TableLog(store).latest().files) == ALL


@pytest.mark.parametrize("content", [b"PAR1", b"\0" * 100, b"{}"])
@pytest.mark.parametrize("damaged", [[6], [3, 6]])
def test_damaged_checkpoint_is_passed_over(store, content, damaged, caplog):
    for version in damaged:
        store.put(checkpoint_name(version), content)

    with caplog.at_level(logging.WARNING):
        snapshot = TableLog(store).latest()

    assert paths(snapshot.files) == ALL
    assert checkpoint_name(6) in caplog.text
    assert snapshot.segment.checkpoint_version == (None if 3 in damaged else 3)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_checkpoint_cut_short_is_passed_over(store, share):
    whole = store.read(checkpoint_name(6))
    store.put(checkpoint_name(6), whole[: int(len(whole) * share)])

    assert paths(TableLog(store).latest().files) == ALL


def test_checkpoint_without_protocol_is_passed_over(store):
    store.put(checkpoint_name(6), store.read(checkpoint_name(3)))
    empty = f"_delta_log/{6:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    store.put(empty, encode_commit([METADATA]))
    store.delete([checkpoint_name(6)])

    assert paths(TableLog(store).latest().files) == ALL


def test_other_checkpoint_of_the_version_is_taken_when_the_log_was_cleaned_up(store):
    spare = f"_delta_log/{6:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    store.put(spare, encode_commit([PROTOCOL, METADATA, *map(add, ALL[:7])]))
    store.put(checkpoint_name(6), b"PAR1")
    store.delete([commit_name(version) for version in range(6)])

    assert paths(TableLog(store).latest().files) == ALL


def test_damaged_checkpoint_that_nothing_stands_in_for_is_told_by_name(store):
    store.put(checkpoint_name(6), b"PAR1")
    store.delete([commit_name(version) for version in range(6)])
    store.delete([checkpoint_name(3)])

    with pytest.raises(DeltaIllegalStateError) as raised:
        TableLog(store).latest()

    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"
    assert raised.value.parameters["path"] == checkpoint_name(6)


def test_damaged_commit_is_told_by_name_whatever_is_tried(store):
    store.put(commit_name(7), b'{"protocol": {"minReaderVersion": 1')

    with pytest.raises(DeltaIllegalStateError) as raised:
        TableLog(store).latest()

    assert raised.value.condition == "DELTA_LOG_FILE_MALFORMED"
    assert raised.value.parameters["path"] == commit_name(7)
    assert raised.value.parameters["line"] == "1"


def test_compaction_stands_in_for_a_damaged_commit(store):
    store.put(commit_name(7), b"{")
    store.put(compaction_name(7, 8), encode_commit([add("f7"), add("f8")]))

    assert paths(TableLog(store).latest().files) == ALL


def test_tombstones_of_a_table_with_a_damaged_checkpoint_are_found(store):
    commit(store, 9, remove("f1"))
    log = TableLog(store)
    log.latest()
    store.put(checkpoint_name(6), b"PAR1")

    assert log.latest().tombstones()["path"].to_pylist() == ["f1"]
