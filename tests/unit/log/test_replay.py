"""From the files of a segment to the state of the table."""

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import DomainMetadata, SetTransaction
from puredelta.log.replay import State, checked, follow, read_tombstones, replay
from puredelta.log.segment import load_segment
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import (
    METADATA,
    PROTOCOL,
    add,
    commit,
    create,
    info,
    metadata,
    paths,
    remove,
    vector,
)


def state_of(store: MemoryStore) -> State:
    return replay(store, load_segment(store))


def test_removed_file_is_not_live_and_added_again_is():
    store = MemoryStore()
    create(store, add("a"), add("b"), add("c"))
    commit(store, 1, remove("a"), remove("b"))
    commit(store, 2, add("b", size=7))

    files = state_of(store).files

    assert paths(files) == ["b", "c"]
    assert sorted(files["size"].to_pylist()) == [7, 10]


def test_file_with_a_new_deletion_vector_replaces_the_one_without():
    store = MemoryStore()
    create(store, add("a"))
    commit(store, 1, remove("a"), add("a", vector(1)))
    commit(store, 2, add("a", vector(2)), remove("a", vector(1)))

    files = state_of(store).files

    assert files["deletion_vector"].to_pylist()[0]["offset"] == 2
    assert files.num_rows == 1


def test_one_path_under_two_spellings_is_one_file():
    store = MemoryStore()
    create(store, add("p=a%20b/f"), add("file:/x/f"))
    commit(store, 1, remove("p=a b/f"), remove("file:///x/f"))

    assert state_of(store).files.num_rows == 0


def test_newest_protocol_and_metadata_win():
    store = MemoryStore()
    create(store)
    commit(store, 1, metadata(delta_appendOnly="true"))

    state = state_of(store)

    assert state.metadata.configuration == {"delta.appendOnly": "true"}
    assert state.protocol == PROTOCOL


def test_newest_entry_of_an_application_wins_even_if_lower():
    store = MemoryStore()
    create(store, SetTransaction(app_id="a", version=9), SetTransaction(app_id="b", version=1))
    commit(store, 1, SetTransaction(app_id="a", version=2))

    found = state_of(store).transactions

    assert {name: entry.version for name, entry in found.items()} == {"a": 2, "b": 1}


def test_removed_domain_is_gone():
    store = MemoryStore()
    kept = DomainMetadata(domain="x", configuration="1", removed=False)
    create(store, kept, DomainMetadata(domain="y", configuration="2", removed=False))
    commit(store, 1, DomainMetadata(domain="y", configuration="", removed=True))

    assert state_of(store).domains == {"x": kept}


def test_commit_info_is_that_of_the_last_commit():
    store = MemoryStore()
    create(store)
    commit(store, 1, info("FIRST"))
    assert state_of(store).commit_info.operation == "FIRST"

    commit(store, 2, add("a"))
    assert state_of(store).commit_info is None


def test_tombstones_are_the_files_removed_and_not_added_again():
    store = MemoryStore()
    create(store, add("a"), add("b"))
    commit(store, 1, remove("a", when=5), remove("b"), add("b", vector(1)))
    commit(store, 2, add("a"))

    found = read_tombstones(store, load_segment(store))

    assert found.select(["path", "deletion_vector"]).to_pylist() == [
        {"path": "b", "deletion_vector": None}
    ]


def test_following_many_commits_keeps_few_chunks():
    state = State()
    for number in range(100):
        state = follow(state, [[add(f"f{number}")]])

    assert state.files.num_rows == 100
    assert state.files["path"].num_chunks <= 33


@pytest.mark.parametrize(
    ("state", "missing"),
    [(State(metadata=METADATA), "protocol"), (State(protocol=PROTOCOL), "metaData")],
)
def test_log_without_protocol_or_metadata_is_damaged(state, missing):
    with pytest.raises(DeltaIllegalStateError, match="DELTA_STATE_RECOVER_ERROR") as raised:
        checked(state, 3)

    assert raised.value.parameters == {"operation": missing, "version": "3"}
