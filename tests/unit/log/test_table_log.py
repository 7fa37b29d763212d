"""From one snapshot to the next, and the cache of open logs."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalStateError,
)
from puredelta.log import table_log
from puredelta.log.names import LOG_FOLDER, checksum_name, commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import (
    TableLog,
    cache_info,
    clear_cache,
    open_log,
)
from puredelta.storage.local import LocalStore
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
)


class Calls(list):
    """What a store was asked to read."""

    def __call__(self, operation: str, name: str) -> None:
        if operation == "read":
            self.append(name)


@pytest.fixture
def store() -> MemoryStore:
    store = MemoryStore()
    create(store, add("a"))
    return store


def test_log_shows_where_it_is(store):
    assert repr(TableLog(store)) == "TableLog('memory:///t')"


def test_unchanged_log_gives_the_same_snapshot(store):
    log = TableLog(store)

    assert log.latest() is log.latest()


def test_only_new_commits_are_read(store):
    log = TableLog(store)
    log.latest()
    commit(store, 1, add("b"))
    commit(store, 2, remove("a"), add("c"))
    store.on_call = calls = Calls()

    snapshot = log.latest()

    assert (snapshot.version, paths(snapshot.files)) == (2, ["b", "c"])
    assert calls == [commit_name(1), commit_name(2)]


def test_refreshed_snapshot_is_that_of_a_fresh_log(store):
    log = TableLog(store)
    log.latest()
    commit(store, 1, metadata(foo="bar"), add("b"))

    assert log.latest().metadata == TableLog(store).latest().metadata
    assert log.latest().segment == TableLog(store).latest().segment


def test_own_commit_is_followed_without_reading_it(store):
    log = TableLog(store)
    log.latest()
    actions = [info(), remove("a"), add("b")]
    commit(store, 1, *actions)
    store.on_call = calls = Calls()

    snapshot = log.after_commit(1, actions)

    assert (snapshot.version, paths(snapshot.files)) == (1, ["b"])
    assert calls == [checksum_name(0)]
    assert log.latest() is snapshot


def test_own_first_commit_is_followed():
    store = MemoryStore()
    log = TableLog(store)
    actions = [METADATA, PROTOCOL, add("a")]
    commit(store, 0, *actions)

    assert paths(log.after_commit(0, actions).files) == ["a"]


def test_own_commit_after_those_of_others_is_read_from_the_log(store):
    log = TableLog(store)
    log.latest()
    commit(store, 1, add("theirs"))
    commit(store, 2, add("ours"))
    commit(store, 3, add("later"))

    assert paths(log.after_commit(2, [add("ours")]).files) == ["a", "ours", "theirs"]
    assert log.latest().version == 3


def test_table_made_anew_at_one_place_is_noticed(store):
    log = TableLog(store)
    commit(store, 1, add("b"))
    log.latest()
    store.delete([commit_name(0), commit_name(1)])
    create(store, add("new"))
    commit(store, 1, add("newer"))

    assert paths(log.latest().files) == ["new", "newer"]


def test_deleted_table_is_noticed(store):
    log = TableLog(store)
    log.latest()
    store.delete([commit_name(0)])

    with pytest.raises(DeltaAnalysisError, match="DELTA_NO_COMMITS_FOUND"):
        log.latest()
    assert not log.exists()


def test_table_exists_once_it_has_a_commit():
    store = MemoryStore()
    log = TableLog(store)
    assert not log.exists()

    create(store)
    assert log.exists()
    log.latest()
    assert log.exists()


def test_gap_that_appears_later_is_refused(store):
    log = TableLog(store)
    log.latest()
    commit(store, 2, add("b"))

    with pytest.raises(DeltaIllegalStateError, match="DELTA_VERSIONS_NOT_CONTIGUOUS"):
        log.latest()


def test_new_checkpoint_shortens_the_segment(store):
    log = TableLog(store)
    commit(store, 1, add("f1"))
    write_checkpoint(log.latest(), tombstones_since=0)
    commit(store, 2, add("f2"))

    segment = log.latest().segment

    assert segment.checkpoint_version == 1
    assert [found.name for found in segment.commits] == [commit_name(2)]
    assert paths(log.latest().files) == ["a", "f1", "f2"]


def test_old_versions_are_kept_for_those_who_ask_again(store):
    log = TableLog(store)
    for version in range(1, 8):
        commit(store, version, add(f"f{version}"))

    assert log.at_version(3) is log.at_version(3)
    assert [log.at_version(version).num_files for version in range(8)] == list(range(1, 9))
    assert log.at_version(7) is log.latest()
    assert len(log._old) == 4


def test_cleanup_between_listing_and_reading_is_overcome(store):
    for version in (1, 2, 3):
        commit(store, version, add(f"f{version}"))
    snapshot = TableLog(store).latest()

    def clean_up(operation, name):
        if operation == "read" and name == commit_name(0):
            store.on_call = None
            write_checkpoint(snapshot, tombstones_since=0)
            store.delete([commit_name(version) for version in range(3)])

    store.on_call = clean_up

    assert TableLog(store).latest().num_files == 4


def test_commit_that_vanishes_before_it_is_read_starts_the_log_anew(store):
    log = TableLog(store)
    log.latest()
    commit(store, 1, add("b"))

    def replace_table(operation, name):
        if operation == "read" and name == commit_name(1):
            store.on_call = None
            store.delete([commit_name(0), commit_name(1)])
            create(store, add("new"))

    store.on_call = replace_table

    assert paths(log.latest().files) == ["new"]


def test_commit_that_is_listed_and_never_there_is_an_error(store):
    class Lying(MemoryStore):
        def list_from(self, prefix, start=None):
            return store.list_from(prefix, start)

    with pytest.raises(DeltaFileNotFoundError, match="DELTA_LOG_FILE_NOT_FOUND") as raised:
        TableLog(Lying()).latest()

    assert raised.value.parameters["logPath"] == f"memory:///t/{LOG_FOLDER}"


def test_threads_share_a_log(store):
    log = TableLog(store)

    def append_and_look(number: int) -> int:
        while not store.put_if_absent(commit_name(log.latest().version + 1), b""):
            pass
        return log.latest().version

    with ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(append_and_look, range(24)))

    assert log.latest().version == 24
    assert max(seen) == 24


@pytest.fixture
def empty_cache():
    clear_cache()
    yield
    clear_cache()


@pytest.mark.usefixtures("empty_cache")
class TestOpenLog:
    """The cache of open logs."""

    def test_one_place_has_one_log(self, tmp_path):
        before = cache_info()

        assert open_log(str(tmp_path)) is open_log(f"file:{tmp_path}/")
        assert isinstance(open_log(str(tmp_path)).store, LocalStore)
        after = cache_info()
        assert (after.misses - before.misses, after.hits - before.hits) == (1, 2)

    def test_other_options_give_another_log(self):
        here, there = ({"aws_region": name} for name in ("here", "there"))

        assert open_log("s3://b/t", here) is open_log("s3://b/t", dict(here))
        assert open_log("s3://b/t", here) is not open_log("s3://b/t", there)

    def test_options_make_no_difference_to_files_of_this_machine(self, tmp_path):
        assert open_log(str(tmp_path)) is open_log(str(tmp_path), {"a": "b"})

    def test_least_used_log_is_dropped(self, tmp_path, monkeypatch):
        monkeypatch.setattr(table_log, "MAX_LOGS", 2)
        first = open_log(str(tmp_path / "1"))
        open_log(str(tmp_path / "2"))
        open_log(str(tmp_path / "3"))

        assert cache_info().size == 2
        assert open_log(str(tmp_path / "1")) is not first
