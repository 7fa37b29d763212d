# ruff: noqa: PT012  # the statement is what stands inside
"""Files that no version names: removed when the statement fails, kept when they may be named."""

import pytest

from puredelta.storage.memory import MemoryStore
from puredelta.storage.uncommitted import note, put_back, removed_on_failure, take


@pytest.fixture
def store():
    store = MemoryStore()
    for name in ("a", "b"):
        store.put(name, b"rows")
    return store


def names(store):
    return [one.name for one in store.list_from("")]


def fail(store, between=lambda: None):
    with pytest.raises(ValueError, match="refused"), removed_on_failure():
        note(store, ["a"])
        with removed_on_failure():
            note(store, ["b", "never written"])
        between()
        raise ValueError("refused")


def test_failed_statement_leaves_no_file(store):
    fail(store)
    assert names(store) == []


def test_files_stay_when_the_statement_succeeds(store):
    with removed_on_failure():
        note(store, ["a", "b"])
    assert names(store) == ["a", "b"]


def test_files_stay_that_a_version_may_name(store):
    fail(store, take)
    assert names(store) == ["a", "b"]


def test_files_go_when_the_version_became_anothers(store):
    fail(store, lambda: put_back(take()))
    assert names(store) == []


def test_outside_of_statements_nothing_is_noted(store):
    note(store, ["a"])
    put_back(take())
    with pytest.raises(ValueError, match="refused"), removed_on_failure():
        raise ValueError("refused")
    assert names(store) == ["a", "b"]


def test_failure_to_remove_does_not_hide_what_went_wrong(store):
    def broken(operation, name):
        if operation == "delete":
            raise OSError("gone")

    store.on_call = broken
    fail(store)
    assert names(store) == ["a", "b"]
