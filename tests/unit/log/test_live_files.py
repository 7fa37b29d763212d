"""The files of a snapshot are read when asked for, once, and found again when they moved."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from puredelta.errors import DeltaFileNotFoundError, DeltaIllegalStateError
from puredelta.log.checkpoint import read
from puredelta.log.files import FILES, files_table
from puredelta.log.live_files import LiveFiles, RawCommit, reconcile
from puredelta.log.names import SIDECAR_FOLDER, checkpoint_name, commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, add, commit, create, metadata, paths, remove

V2 = CheckpointForm(is_v2=True, rows_per_file=1)


def table_with_checkpoint(form: CheckpointForm = V2, store: MemoryStore | None = None):
    """Make versions 0 to 2, of which 1 has a checkpoint."""
    store = store or MemoryStore()
    create(store, add("a"), add("b"))
    commit(store, 1, add("c"), remove("a"))
    write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=form)
    commit(store, 2, add("d"), remove("b"))
    return store


def calls_of(store: MemoryStore) -> list[str]:
    calls: list[str] = []
    store.on_call = lambda operation, name: calls.append(f"{operation} {name}")
    return calls


def test_snapshot_is_known_before_its_files_are_read():
    store = table_with_checkpoint()
    calls = calls_of(store)

    snapshot = TableLog(store).latest()

    assert (snapshot.version, snapshot.metadata, snapshot.live.loaded) == (2, METADATA, None)
    assert not any(SIDECAR_FOLDER in call for call in calls)
    assert paths(snapshot.files) == ["c", "d"]
    assert any(SIDECAR_FOLDER in call for call in calls)


def test_files_are_read_once():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    files = snapshot.files
    calls = calls_of(store)

    assert snapshot.files is files
    assert calls == []
    assert "loaded" in repr(snapshot.live)


def test_many_threads_read_files_once():
    started = threading.Barrier(8)
    read = []

    def base() -> pa.Table:
        read.append(1)
        return files_table([add("a")])

    def ask(live: LiveFiles) -> pa.Table:
        started.wait()
        return live.table()

    live = LiveFiles(base, ((add("b"),),))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, [live] * 8))

    assert len(read) == 1
    assert all(table is found[0] for table in found)
    assert paths(found[0]) == ["a", "b"]


def test_refresh_reads_the_new_commit_and_nothing_else():
    store = table_with_checkpoint()
    log = TableLog(store)
    log.latest()
    commit(store, 3, add("e"))
    calls = calls_of(store)

    snapshot = log.latest()

    assert [call for call in calls if not call.startswith("list")] == [f"read {commit_name(3)}"]
    assert snapshot.live.loaded is None
    assert paths(snapshot.files) == ["c", "d", "e"]


def test_files_of_older_snapshots_stay_what_they_were():
    store = table_with_checkpoint()
    log = TableLog(store)
    second = log.latest()
    commit(store, 3, remove("c"), add("e"))
    third = log.latest()

    assert paths(third.files) == ["d", "e"]
    assert paths(second.files) == ["c", "d"]


def test_only_small_columns_of_a_long_checkpoint_are_fetched(monkeypatch):
    monkeypatch.setattr(read, "_FETCHED_WHOLE", 0)
    store = table_with_checkpoint(CheckpointForm())
    log = TableLog(store)
    calls = calls_of(store)

    snapshot = log.latest()

    assert snapshot.metadata == METADATA
    assert f"read {checkpoint_name(1)}" not in calls
    assert f"read_range {checkpoint_name(1)}" in calls
    assert paths(snapshot.files) == ["c", "d"]


def test_newer_checkpoint_takes_the_place_of_commits_that_nobody_looked_into():
    store = table_with_checkpoint()
    log = TableLog(store)
    log.latest()
    commit(store, 3, add("e"))
    write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=V2)
    commit(store, 4, add("f"))
    snapshot = log.latest()
    store.delete([commit_name(version) for version in range(4)])

    assert snapshot.segment.checkpoint_version == 3
    assert paths(snapshot.files) == ["c", "d", "e", "f"]


def test_files_are_found_by_a_newer_checkpoint_after_log_cleanup(caplog):
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    clean_up(store, kept=checkpoint_name(2))

    assert paths(snapshot.files) == ["c", "d"]
    assert "version 2" in caplog.text


def clean_up(store: MemoryStore, kept: str = "") -> None:
    """Take away sidecars, checkpoints and commits before the last one."""
    logs = [info.name for info in store.list_from("_delta_log")]
    sidecars = [info.name for info in store.list_from(SIDECAR_FOLDER)]
    store.delete([name for name in (*logs, *sidecars) if name not in (kept, commit_name(2))])


def test_files_of_a_version_that_was_cleaned_up_are_told_missing():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    clean_up(store)

    with pytest.raises(DeltaFileNotFoundError, match="version 2") as raised:
        _ = snapshot.files

    assert raised.value.condition == "DELTA_LOG_FILE_NOT_FOUND"


def test_files_of_another_table_at_the_same_place_are_not_taken():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    clean_up(store)
    store.delete([commit_name(2)])
    create(store, add("x"), table=metadata(other="1"))
    commit(store, 1)
    commit(store, 2)

    with pytest.raises(DeltaFileNotFoundError):
        _ = snapshot.files


def test_damaged_sidecar_is_made_up_for_by_the_commits(caplog):
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    store.put(store.list_from(SIDECAR_FOLDER)[0].name, b"PAR1 no")

    assert paths(snapshot.files) == ["c", "d"]
    assert SIDECAR_FOLDER in caplog.text


def test_removed_files_are_made_up_for_as_well():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    store.delete([info.name for info in store.list_from(SIDECAR_FOLDER)])

    assert paths(snapshot.tombstones()) == ["a", "b"]


def test_damaged_sidecar_that_nothing_stands_in_for_is_told_by_name():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    sidecar = store.list_from(SIDECAR_FOLDER)[0].name
    store.put(sidecar, b"PAR1 no")
    store.delete([commit_name(0)])

    with pytest.raises(DeltaIllegalStateError, match=sidecar) as raised:
        _ = snapshot.files

    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"


def test_failure_to_read_is_not_remembered():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    sidecar = store.list_from(SIDECAR_FOLDER)[0].name
    content = store.read(sidecar)
    first = store.read(commit_name(0))
    store.delete([sidecar, commit_name(0)])
    with pytest.raises(DeltaFileNotFoundError):
        _ = snapshot.files
    store.put(sidecar, content)
    store.put(commit_name(0), first)

    assert paths(snapshot.files) == ["c", "d"]


def test_file_action_of_the_wrong_shape_is_told_when_files_are_asked_for():
    store = MemoryStore()
    create(store, add("a"))
    store.put_if_absent(commit_name(1), b'{"add":{"path":7}}\n')
    snapshot = TableLog(store).latest()

    with pytest.raises(DeltaIllegalStateError, match=f"{commit_name(1)}.*line 1") as raised:
        _ = snapshot.files

    assert raised.value.condition == "DELTA_LOG_FILE_MALFORMED"


def test_long_commits_become_rows_bit_by_bit():
    commits = [[add(f"f{n}"), add(f"g{n}")] for n in range(5)]

    live = reconcile(FILES.empty_table(), (*commits, [remove("f0"), remove("g4")]), at_once=2)

    assert paths(live) == ["f1", "f2", "f3", "f4", "g0", "g1", "g2", "g3"]


def test_commits_without_files_leave_files_as_they_are():
    live = LiveFiles(files_table([add("a")]))

    assert live.followed_by([[], []]) is live
    assert live.followed_by([RawCommit("c", b'{"commitInfo":{}}\n')]).table() is live.table()


def test_expected_files_are_told_without_reading_them():
    store = table_with_checkpoint()
    snapshot = TableLog(store).latest()
    calls = calls_of(store)

    assert snapshot.expected_files == 2
    assert not any(SIDECAR_FOLDER in call for call in calls)
    assert snapshot.files.num_rows == snapshot.expected_files


def test_nobody_knows_how_many_files_a_fresh_log_has():
    store = MemoryStore()
    create(store, add("a"))

    assert TableLog(store).latest().expected_files is None
