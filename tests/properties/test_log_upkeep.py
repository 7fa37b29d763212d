"""Cleanup, compactions and checksums change how fast a log is read, and never what it says."""

from hypothesis import given, settings
from hypothesis import strategies as st

from puredelta.errors import DeltaAnalysisError
from puredelta.log.actions import (
    Action,
    AddFile,
    DeletionVector,
    DomainMetadata,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    encode_commit,
)
from puredelta.log.checksum import contradictions
from puredelta.log.cleanup import clean_log
from puredelta.log.files import file_key
from puredelta.log.names import LAST_CHECKPOINT, commit_name, compaction_name
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checksum import differences, next_checksum
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.properties import strategies


def told(snapshot: Snapshot) -> tuple:
    """All that a version says, but for what checkpoints forget."""
    rows = sorted(map(repr, snapshot.files.drop_columns("data_change").to_pylist()))
    transactions, domains = dict(snapshot.transactions), dict(snapshot.domains)
    return rows, snapshot.metadata, snapshot.protocol, transactions, domains


def store_of(commits: list[list[Action]], times: list[int] | None = None) -> MemoryStore:
    now = iter(times or range(len(commits)))
    store = MemoryStore(now=lambda: next(now))
    for version, actions in enumerate(commits):
        assert store.put_if_absent(commit_name(version), encode_commit(actions))
    store._now = lambda: 0
    return store


@settings(max_examples=40)
@given(strategies.histories(), st.data())
def test_versions_that_cleanup_leaves_are_what_they_were(commits, data):
    count = len(commits)
    times = data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count), label="times")
    store = store_of(commits, times)
    versions = st.integers(0, count - 1)
    checkpoints = data.draw(st.sets(versions), label="checkpoints")
    for version in sorted(checkpoints):
        write_checkpoint(TableLog(store).at_version(version), tombstones_since=0)
    before = {version: content(store, version) for version in range(count)}

    expired = data.draw(st.integers(-1, 60), label="expired")
    protected = data.draw(st.integers(0, count), label="protected")
    done = clean_log(store, expired, protected_before=protected)

    after = {version: content(store, version) for version in range(count)}
    kept = [version for version in range(count) if after[version] is not None]
    assert all(after[version] == before[version] for version in kept)
    first = done.first_version or 0
    assert kept == [version for version in range(first, count) if before[version] is not None]
    assert done.first_version is None or first >= protected
    assert done.first_version is None or all(time <= expired for time in times[:first])
    assert store.info(LAST_CHECKPOINT) is None or kept


def content(store: MemoryStore, version: int) -> tuple | None:
    try:
        return told(TableLog(store).at_version(version))
    except DeltaAnalysisError as error:
        if error.condition != "DELTA_VERSION_NOT_FOUND":
            raise
        return None


@settings(max_examples=40)
@given(strategies.histories(), st.data())
def test_compactions_say_what_the_commits_say(commits, data):
    plain, compacted = store_of(commits), store_of(commits)
    versions = st.integers(0, len(commits) - 1)
    for start, end in data.draw(st.sets(st.tuples(versions, versions), max_size=4), label="runs"):
        if start < end:
            found = encode_commit(reconciled(commits[start : end + 1]))
            compacted.put(compaction_name(start, end), found)
    for version in sorted(data.draw(st.sets(versions, max_size=2), label="checkpoints")):
        write_checkpoint(TableLog(compacted).at_version(version), tombstones_since=0)

    for version in range(len(commits)):
        expected = TableLog(plain).at_version(version)
        found = TableLog(compacted).at_version(version)
        assert told(found) == told(expected)
        assert removed(found) == removed(expected)


def removed(snapshot: Snapshot) -> list[str]:
    rows = snapshot.tombstones().select(["path", "deletion_vector"]).to_pylist()
    return sorted(map(repr, rows))


def reconciled(commits: list[list[Action]]) -> list[Action]:
    """Compact commits as the protocol asks for. Protocol: Log Compaction Files."""
    newest: dict[object, Action] = {}
    for action in (action for commit in commits for action in commit):
        match action:
            case AddFile() | RemoveFile():
                newest["file", file_key(action)] = action
            case SetTransaction():
                newest["txn", action.app_id] = action
            case DomainMetadata():
                newest["domain", action.domain] = action
            case Metadata() | Protocol():
                newest[type(action)] = action
            case _:
                pass
    return list(newest.values())


vectors = st.builds(
    DeletionVector,
    storage_type=st.just("u"),
    path_or_inline_dv=strategies.names,
    size_in_bytes=st.integers(0, 100),
    cardinality=st.integers(0, 2**31),
)


@st.composite
def sound_histories(draw: st.DrawFn) -> list[list[Action]]:
    """Make the commits of a table in which what is removed was there, with its size."""
    protocol = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["deletionVectors"],
        writer_features=["deletionVectors"],
    )
    commits: list[list[Action]] = [[protocol, draw(strategies.metadata)]]
    live: list[AddFile] = []
    for number in range(draw(st.integers(0, 5))):
        removed = draw(st.sets(st.sampled_from(range(len(live))))) if live else set()
        added = [
            draw(
                st.builds(
                    AddFile,
                    path=st.just(f"{number}-{file}"),
                    partition_values=st.just({}),
                    size=st.integers(0, 2**40),
                    modification_time=st.just(1),
                    data_change=st.just(value=True),
                    stats=st.none() | st.just("{}"),
                    deletion_vector=st.none() | vectors,
                )
            )
            for file in range(draw(st.sampled_from([0, 1, 3, 40])))
        ]
        commits.append([*(remove_of(live[place]) for place in sorted(removed)), *added])
        live = [file for place, file in enumerate(live) if place not in removed] + added
    return commits


def remove_of(file: AddFile) -> RemoveFile:
    return RemoveFile(
        path=file.path,
        data_change=True,
        size=file.size,
        deletion_vector=file.deletion_vector,
        partition_values={},
    )


@settings(max_examples=40)
@given(sound_histories())
def test_checksums_that_follow_each_other_are_those_of_all_files(commits):
    store = store_of(commits)
    checksum = None
    for version, actions in enumerate(commits):
        snapshot = TableLog(store).at_version(version)
        checksum = next_checksum(checksum, actions, snapshot)

        assert checksum is not None
        assert differences(checksum, snapshot) == []
        assert contradictions(checksum) == []
