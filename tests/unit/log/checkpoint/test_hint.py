"""The hint of the last checkpoint: whatever is wrong with it, nothing fails."""

import json
import logging

import pytest

from puredelta.errors import DeltaRuntimeError
from puredelta.log.checkpoint.canonical_json import json_checksum
from puredelta.log.checkpoint.hint import (
    MAX_ACTIONS,
    LastCheckpoint,
    V2Hint,
    decode_last_checkpoint,
    encode_last_checkpoint,
    read_last_checkpoint,
    write_last_checkpoint,
)
from puredelta.log.names import LAST_CHECKPOINT, commit_name
from puredelta.storage.memory import MemoryStore

FULL = LastCheckpoint(
    version=20,
    size=9,
    parts=2,
    size_in_bytes=300,
    num_of_add_files=5,
    checkpoint_schema={"type": "struct", "fields": []},
    v2_checkpoint=V2Hint(
        path="x.checkpoint.u.json",
        size_in_bytes=100,
        modification_time=3,
        non_file_actions=[{"txn": {"appId": "a", "version": 1}}],
        sidecar_files=[],
    ),
    tags={"a": "b"},
)


def read(content: bytes) -> LastCheckpoint | None:
    store = MemoryStore()
    store.put(LAST_CHECKPOINT, content)
    return read_last_checkpoint(store, sleep=lambda _: None)


def test_hint_is_written_with_a_checksum_and_read_with_all_its_fields():
    found = read(encode_last_checkpoint(FULL))

    assert found.checksum == json_checksum(encode_last_checkpoint(FULL))
    assert found == type(FULL)(**{**fields(FULL), "checksum": found.checksum})


def fields(hint: LastCheckpoint) -> dict:
    return {name: getattr(hint, name) for name in hint.__struct_fields__}


def test_hint_without_a_checksum_is_believed():
    assert read(b'{"version":3,"size":1}') == LastCheckpoint(version=3, size=1)


def test_unknown_fields_count_in_the_checksum():
    document = {"version": 3, "size": 1, "later": {"x": [1]}}
    document["checksum"] = json_checksum(json.dumps(document))

    assert read(json.dumps(document).encode()).version == 3
    assert read(json.dumps({**document, "later": 1}).encode()) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"version":3}',
        b'{"version":"3","size":1}',
        b'{"version":-1,"size":1}',
        b'{"version":99999999999999999999,"size":1}',
        b'{"version":3,"size":-1}',
        b'{"version":3,"size":1,"parts":-2}',
        b'{"version":3,"size":1,"checksum":"00"}',
        b'{"version":3,"size":1,"size":1,"checksum":"00"}',
        b"\xff\xfe",
        b'{"version":3,"size":1,"tags":' + b"[" * 20_000,
    ],
)
def test_damaged_or_absurd_hint_is_none(content, caplog):
    with caplog.at_level(logging.WARNING):
        assert read(content) is None

    assert "_last_checkpoint" in caplog.text


@pytest.mark.parametrize("end", range(1, 120, 7))
def test_hint_cut_short_is_none(end):
    assert read(encode_last_checkpoint(FULL)[:-end]) is None


def test_missing_hint_is_none_without_a_word(caplog):
    assert read_last_checkpoint(MemoryStore()) is None
    assert caplog.text == ""


def test_hint_in_the_middle_of_being_written_is_read_again():
    store = MemoryStore()
    store.put(LAST_CHECKPOINT, b'{"vers')
    pauses = []

    def finish(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            store.put(LAST_CHECKPOINT, b'{"version":3,"size":1}')

    assert read_last_checkpoint(store, sleep=finish).version == 3
    assert len(pauses) == 2


def test_hint_that_stays_damaged_is_given_up_after_a_few_readings():
    store = MemoryStore()
    store.put(LAST_CHECKPOINT, b"{")
    pauses = []

    assert read_last_checkpoint(store, sleep=pauses.append) is None
    assert len(pauses) == 3
    assert sum(pauses) < 1


def test_hint_that_the_store_does_not_give_is_none():
    def fail(operation: str, name: str) -> None:
        raise DeltaRuntimeError("DELTA_STORAGE_FAILURE", operation=operation, path=name, reason="x")

    assert read_last_checkpoint(MemoryStore(on_call=fail)) is None


def test_long_schema_and_many_actions_stay_out():
    long = LastCheckpoint(
        version=1,
        size=1,
        checkpoint_schema={"x": "y" * 30_000},
        v2_checkpoint=V2Hint(
            path="p",
            size_in_bytes=1,
            modification_time=1,
            non_file_actions=[{"txn": {}}] * (MAX_ACTIONS + 1),
        ),
    )

    found = decode_last_checkpoint(encode_last_checkpoint(long))

    assert found.checkpoint_schema is None
    assert found.v2_checkpoint.path == "p"
    assert found.v2_checkpoint.non_file_actions is None


def test_hint_does_not_go_back_behind_that_of_another_writer():
    store = MemoryStore()
    store.put(commit_name(20), b"")
    write_last_checkpoint(store, LastCheckpoint(version=20, size=1))
    write_last_checkpoint(store, LastCheckpoint(version=10, size=1))

    assert read_last_checkpoint(store).version == 20


def test_hint_of_a_table_that_was_here_before_is_replaced():
    store = MemoryStore()
    store.put(LAST_CHECKPOINT, b'{"version":90,"size":1}')
    write_last_checkpoint(store, LastCheckpoint(version=10, size=1))

    assert read_last_checkpoint(store).version == 10
