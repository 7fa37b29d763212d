"""Faults occur at the next commit alone, in the store of the table, and are missed when unused."""

import pytest

from puredelta.errors import DeltaRuntimeError, MetadataChangedError
from puredelta.log.table_log import TableLog, clear_cache, open_log
from puredelta.testing import (
    assert_history,
    conflicting_commit,
    failed_commit,
    history_of,
    lost_reply,
)
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import WRITE, add, commit, create, paths


@pytest.fixture
def path(tmp_path):
    """A table on disk, whose log this process has open."""
    create(open_log(str(tmp_path)))
    yield str(tmp_path)
    clear_cache()


def paths_in_another_process(path):
    return paths(TableLog(open_log(path).store).latest())


def test_other_writer_comes_first(path):
    log = open_log(path)

    with conflicting_commit(path), pytest.raises(MetadataChangedError):
        commit(log, add("mine"))

    assert_history(path, ["CREATE TABLE", "SET TBLPROPERTIES"])
    assert paths_in_another_process(path) == []


def test_change_of_the_other_writer_can_be_one_that_does_not_conflict(path):
    log = open_log(path)

    with conflicting_commit(path, lambda: commit(TableLog(log.store), add("other"))):
        assert commit(log, add("mine")).version == 2

    assert paths_in_another_process(path) == ["mine.parquet", "other.parquet"]


def test_second_commit_passes(path):
    log = open_log(path)

    with conflicting_commit(path):
        with pytest.raises(MetadataChangedError):
            commit(log, add("first"))
        commit(log, add("second"))

    commit(log, add("third"))
    assert paths_in_another_process(path) == ["second.parquet", "third.parquet"]


def test_error_of_the_other_writer_is_shown(path):
    def change():
        raise ZeroDivisionError

    with conflicting_commit(path, change), pytest.raises(ZeroDivisionError):
        commit(open_log(path), add("mine"))


def test_commit_is_there_once_after_a_lost_reply(path):
    with lost_reply(path):
        assert commit(open_log(path), add("mine")).version == 1

    assert_history(path, ["CREATE TABLE", ("WRITE", {"numFiles": 1, "mode": "Append"})])
    assert paths_in_another_process(path) == ["mine.parquet"]


def test_streamed_commit_is_there_once_after_a_lost_reply(path):
    store = open_log(path).store

    with lost_reply(path), pytest.raises(ConnectionResetError):
        store.put_stream_if_absent("_delta_log/00000000000000000001.json", [b"{}", b"\n"])

    assert store.read("_delta_log/00000000000000000001.json") == b"{}\n"


def test_commit_that_the_store_refuses_is_not_there(path):
    with failed_commit(path), pytest.raises(DeltaRuntimeError) as failed:
        commit(open_log(path), add("mine"))

    assert failed.value.condition == "DELTA_COMMIT_NOT_WRITTEN"
    assert_history(path, ["CREATE TABLE"])


@pytest.mark.parametrize("fault", [conflicting_commit, lost_reply, failed_commit])
def test_fault_that_nothing_met_fails_the_test(path, fault):
    store = open_log(path).store

    with pytest.raises(AssertionError, match="Nothing tried to commit"), fault(path):
        store.put_if_absent("_delta_log/00000000000000000001.crc", b"{}")

    assert commit(open_log(path), add("mine")).version == 1


def test_error_of_the_test_is_not_hidden_by_a_fault_that_nothing_met(path):
    with pytest.raises(ZeroDivisionError), lost_reply(path):
        raise ZeroDivisionError


@pytest.mark.parametrize("wrong", [5, None, [{"id": 1}]])
def test_what_has_no_log_is_refused(wrong):
    with pytest.raises(TypeError, match="path of a table is needed"):
        history_of(wrong)


def test_store_is_as_it_was_afterwards(path):
    log = open_log(path)

    with lost_reply(path):
        Transaction(log, log.latest()).commit([add("mine")], WRITE)

    assert vars(log.store) == vars(type(log.store)(log.store.url))
