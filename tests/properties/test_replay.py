"""Replay, in whatever way the log is read, tells what a naive model tells."""

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    encode_commit,
)
from puredelta.log.file_stats import stats_type
from puredelta.log.files import canonical_path
from puredelta.log.names import (
    checkpoint_name,
    checkpoint_part_name,
    commit_name,
    compaction_name,
)
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import PLAIN, CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.properties import strategies

STATS = stats_type({("a",): pa.string()}, {("a",): pa.int64()}, tight_bounds=False)
FORMS = {
    "classic": PLAIN,
    "statistics as columns": CheckpointForm(stats_as_json=False, stats=STATS),
    "row groups": CheckpointForm(stats=STATS, rows_per_file=1),
    "V2, JSON": CheckpointForm(is_v2=True, rows_per_file=2),
    "V2, Parquet": CheckpointForm(
        is_v2=True, top_level_format="parquet", stats_as_json=False, stats=STATS
    ),
}
PARTS = "in parts"
cuts = st.sampled_from([*FORMS, PARTS])


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
                self.files[key(action)] = (action.size, action.stats)
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
    files = {key_of_row(row): (row["size"], row["stats"]) for row in snapshot.files.to_pylist()}
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


def cut(snapshot: Snapshot, kind: str) -> None:
    """Write a checkpoint of some kind."""
    if kind != PARTS:
        write_checkpoint(snapshot, tombstones_since=0, form=FORMS[kind])
        return
    store, version = snapshot.store, snapshot.version
    write_checkpoint(snapshot, tombstones_since=0)
    whole = pq.read_table(pa.BufferReader(store.read(checkpoint_name(version))))
    store.delete([checkpoint_name(version)])
    half = whole.num_rows // 2
    for part, rows in enumerate((whole.slice(half), whole.slice(0, half)), start=1):
        sink = pa.BufferOutputStream()
        pq.write_table(rows, sink)
        store.put(checkpoint_part_name(version, part, 2), sink.getvalue().to_pybytes())


def compact(store: MemoryStore, commits: list[list[Action]], start: int, end: int) -> None:
    """Write the newest action of each thing that some commits speak of, as one file."""
    newest: dict[object, Action] = {}
    for action in (action for commit in commits[start : end + 1] for action in commit):
        match action:
            case AddFile() | RemoveFile():
                newest["file", key(action)] = action
            case SetTransaction():
                newest["txn", action.app_id] = action
            case DomainMetadata():
                newest["domain", action.domain] = action
            case Metadata() | Protocol():
                newest[type(action)] = action
            case CommitInfo():
                pass
    store.put(compaction_name(start, end), encode_commit(newest.values()))


@given(strategies.histories())
def test_every_version_is_that_of_the_model(commits):
    store = MemoryStore()
    for version, actions in enumerate(commits):
        write(store, version, actions)
    log = TableLog(store)

    for version in range(len(commits)):
        assert_same(log.at_version(version), commits[: version + 1])


@settings(max_examples=60)
@given(strategies.histories(), st.data())
def test_every_version_is_that_of_the_model_whatever_stands_in_for_commits(commits, data):
    """Checkpoints of any kind and compactions of any range, without the commits they replace."""
    store = MemoryStore()
    last = len(commits) - 1
    versions = st.integers(0, last)
    checkpoints = data.draw(st.dictionaries(versions, cuts, max_size=3), label="checkpoints")
    for version, actions in enumerate(commits):
        write(store, version, actions)
        if version in checkpoints:
            cut(TableLog(store).latest(), checkpoints[version])
    for start in data.draw(st.sets(versions, max_size=3), label="compactions from"):
        if start < last:
            compact(store, commits, start, data.draw(st.integers(start + 1, last), label="to"))
    oldest = 0
    if checkpoints and data.draw(st.booleans(), label="cleaned up"):
        oldest = min(checkpoints)
        store.delete([commit_name(version) for version in range(oldest)])
    log = TableLog(store)

    for version in data.draw(st.permutations(range(oldest, last + 1)), label="order"):
        assert_same(log.at_version(version), commits[: version + 1])


@settings(max_examples=60)
@given(strategies.histories(), st.data())
def test_incremental_reading_is_that_of_the_model(commits, data):
    """Commits of others, our own, and checkpoints in between, in any order."""
    store = MemoryStore()
    log = TableLog(store)
    held: list[tuple[Snapshot, int]] = []
    for version, actions in enumerate(commits):
        write(store, version, actions)
        how = data.draw(st.sampled_from(["own", "others", "unseen"]), label="read as")
        if how == "unseen" and version < len(commits) - 1:
            continue
        snapshot = log.after_commit(version, actions) if how == "own" else log.latest()
        held.append((snapshot, version + 1))
        if data.draw(st.booleans(), label="files asked for"):
            assert_same(snapshot, commits[: version + 1])
        if data.draw(st.booleans(), label="checkpoint"):
            cut(snapshot, data.draw(cuts, label="kind"))

    # Whose files nobody asked for so far still has those of its own version.
    for snapshot, count in reversed(held):
        assert_same(snapshot, commits[:count])
    assert_same(log.latest(), commits)
    assert_same(TableLog(store).latest(), commits)


@settings(max_examples=50)
@given(strategies.histories(), cuts)
def test_log_that_was_cleaned_up_to_its_checkpoint_is_that_of_the_model(commits, kind):
    store = MemoryStore()
    middle = len(commits) // 2
    for version, actions in enumerate(commits):
        write(store, version, actions)
        if version == middle:
            cut(TableLog(store).latest(), kind)
    store.delete([commit_name(version) for version in range(middle)])

    assert_same(TableLog(store).latest(), commits)
