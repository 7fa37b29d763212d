"""The store for tests: its clock and its faults."""

import pytest

from puredelta.storage.memory import MemoryStore


def test_calls_are_told_and_may_fail():
    calls = []

    def on_call(operation, name):
        calls.append((operation, name))
        if operation == "read":
            raise OSError("broken")

    store = MemoryStore(on_call=on_call)
    store.put("a", b"")

    with pytest.raises(OSError, match="broken"):
        store.read("a")
    assert calls == [("put", "a"), ("read", "a")]


def test_clock_gives_the_times():
    store = MemoryStore(now=lambda: 42)

    store.put("a", b"")

    assert store.info("a").modified_ms == 42


def test_times_count_up_without_a_clock():
    store = MemoryStore()
    for name in "abc":
        store.put(name, b"")

    assert [info.modified_ms for info in store.list_from("")] == [1, 2, 3]
