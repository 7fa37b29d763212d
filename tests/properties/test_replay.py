"""Replay, in whatever way the log is read, tells what a naive model tells."""

from hypothesis import given, settings
from hypothesis import strategies as st

from puredelta.log.actions import (
    Action,
    AddFile,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    encode_commit,
)
from puredelta.log.checkpoint_write import write_checkpoint
from puredelta.log.files import canonical_path
from puredelta.log.names import commit_name
from puredelta.log.refresh import TableLog
from puredelta.log.snapshot import Snapshot
from puredelta.storage.memory import MemoryStore
from tests.properties import strategies


class Model:
    """The state of a table, action by action. Protocol: Action Reconciliation."""

    def __init__(self, commits: list[list[Action]]) -> None:
        self.files, self.tombstones, self.transactions, self.domains = {}, {}, {}, {}
        for commit in commits:
            for action in commit:
                self.apply(action)

    def apply(self, action: Action) -> None:
        match action:
            case AddFile():
                self.files[key(action)] = action.size
                self.tombstones.pop(key(action), None)
            case RemoveFile():
                self.files.pop(key(action), None)
                self.tombstones[key(action)] = action.deletion_timestamp
            case SetTransaction(app_id=app_id):
                self.transactions[app_id] = action
            case DomainMetadata(domain=domain):
                self.domains[domain] = action
            case Metadata():
                self.metadata = action
            case Protocol():
                self.protocol = action


def key(action: AddFile | RemoveFile) -> tuple[str, int | str | None]:
    vector = action.deletion_vector
    return canonical_path(action.path), "none" if vector is None else vector.offset


def key_of_row(row: dict) -> tuple[str, int | str | None]:
    vector = row["deletion_vector"]
    return row["path"], "none" if vector is None else vector["offset"]


def assert_same(snapshot: Snapshot, commits: list[list[Action]]) -> None:
    model = Model(commits)
    files = {key_of_row(row): row["size"] for row in snapshot.files.to_pylist()}
    removed = {
        key_of_row(row): row["deletion_timestamp"] for row in snapshot.tombstones().to_pylist()
    }

    assert snapshot.num_files == len(files)
    assert files == model.files
    assert removed == model.tombstones
    assert snapshot.transactions == model.transactions
    assert snapshot.domains == {
        name: entry for name, entry in model.domains.items() if not entry.removed
    }
    assert snapshot.metadata == model.metadata
    assert snapshot.protocol == model.protocol


def write(store: MemoryStore, version: int, actions: list[Action]) -> None:
    assert store.put_if_absent(commit_name(version), encode_commit(actions))


@given(strategies.histories())
def test_every_version_is_that_of_the_model(commits):
    store = MemoryStore()
    for version, actions in enumerate(commits):
        write(store, version, actions)
    log = TableLog(store)

    for version in range(len(commits)):
        assert_same(log.at_version(version), commits[: version + 1])


@settings(max_examples=50)
@given(strategies.histories(), st.data())
def test_incremental_reading_is_that_of_the_model(commits, data):
    """Commits of others, our own, and checkpoints in between, in any order."""
    store = MemoryStore()
    log = TableLog(store)
    for version, actions in enumerate(commits):
        write(store, version, actions)
        how = data.draw(st.sampled_from(["own", "others", "unseen"]), label="read as")
        if how == "unseen" and version < len(commits) - 1:
            continue
        snapshot = log.after_commit(version, actions) if how == "own" else log.latest()
        assert_same(snapshot, commits[: version + 1])
        if data.draw(st.booleans(), label="checkpoint"):
            write_checkpoint(snapshot, tombstones_since=0)

    assert_same(log.latest(), commits)
    assert_same(TableLog(store).latest(), commits)


@settings(max_examples=50)
@given(strategies.histories())
def test_log_that_was_cleaned_up_to_its_checkpoint_is_that_of_the_model(commits):
    store = MemoryStore()
    middle = len(commits) // 2
    for version, actions in enumerate(commits):
        write(store, version, actions)
        if version == middle:
            write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    store.delete([commit_name(version) for version in range(middle)])

    assert_same(TableLog(store).latest(), commits)
