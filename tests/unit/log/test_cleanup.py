"""Log cleanup: what goes, what stays, and what is left can be read."""

import logging
from datetime import timedelta

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.log.actions import Protocol, Sidecar, encode_commit
from puredelta.log.cleanup import MINUTE, CleanedLog, clean_log, expiry
from puredelta.log.names import (
    LAST_CHECKPOINT,
    LOG_FOLDER,
    SIDECAR_FOLDER,
    STAGED_FOLDER,
    checkpoint_name,
    checkpoint_part_name,
    checksum_name,
    compaction_name,
    parse,
)
from puredelta.log.segment import load_segment
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, PROTOCOL, add, commit, create, paths

UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"
HOUR = 3_600_000
DAY_MS = 24 * HOUR


class Clock:
    """A clock that stands until it is set."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def log_with(last: int, checkpoints=(), *, times=None) -> tuple[MemoryStore, Clock]:
    """Make versions 0 to `last`, version n at hour n, with checkpoints and the hint."""
    clock = Clock()
    store = MemoryStore(now=clock)
    log = TableLog(store)
    for version in range(last + 1):
        clock.now = HOUR * version if times is None else times[version]
        if version:
            commit(store, version, add(f"f{version}"))
        else:
            create(store, add("f0"))
        store.put(checksum_name(version), b"{}")
        if version in checkpoints:
            write_checkpoint(log.at_version(version), tombstones_since=0)
    return store, clock


def versions(store: MemoryStore) -> list[int]:
    files = [parse(info.name) for info in store.list_from(LOG_FOLDER)]
    return sorted({file.version for file in files if file is not None})


def readable(store: MemoryStore, last: int) -> list[int]:
    return [version for version in range(last + 1) if is_readable(store, version)]


def is_readable(store: MemoryStore, version: int) -> bool:
    """Tell whether a version can be read; what is read must be what it was."""
    try:
        files = TableLog(store).at_version(version).files
    except DeltaAnalysisError as error:
        return error.condition != "DELTA_VERSION_NOT_FOUND"
    assert paths(files) == sorted(f"f{number}" for number in range(version + 1))
    return True


@pytest.mark.parametrize(
    ("expired_hour", "first"),
    [(0, 0), (3, 0), (4, 5), (8, 5), (9, 10), (13, 10), (14, 10), (100, 10)],
)
def test_versions_go_up_to_a_checkpoint_before_which_all_has_expired(expired_hour, first):
    store, _ = log_with(14, [5, 10])

    clean_log(store, expired_hour * HOUR)

    assert versions(store) == list(range(first, 15))
    assert readable(store, 14) == list(range(first, 15))


def test_what_was_done_is_told():
    store, _ = log_with(12, [5, 10])

    assert clean_log(store, 100 * HOUR) == CleanedLog(first_version=10, files=21)
    assert clean_log(store, 100 * HOUR) == CleanedLog()


@pytest.mark.parametrize("hint", [None, b"{", b'{"version":4,"size":1}'])
def test_nothing_goes_without_a_hint_or_beyond_it(hint):
    store, _ = log_with(12, [5, 10])
    store.delete([LAST_CHECKPOINT])
    if hint is not None:
        store.put(LAST_CHECKPOINT, hint)

    assert clean_log(store, 100 * HOUR) == CleanedLog()
    assert readable(store, 12) == list(range(13))


def test_hint_of_an_older_checkpoint_is_the_limit():
    store, _ = log_with(12, [5, 10])
    store.put(LAST_CHECKPOINT, b'{"version":5,"size":1}')

    assert clean_log(store, 100 * HOUR).first_version == 5


def test_time_that_goes_back_counts_as_later_than_the_one_before():
    times = [0, HOUR, 50 * HOUR, 3 * HOUR, 4 * HOUR, 5 * HOUR, 6 * HOUR]
    store, _ = log_with(6, [2, 5], times=times)

    assert clean_log(store, 49 * HOUR).first_version == 2
    assert clean_log(store, 50 * HOUR).first_version is None
    assert clean_log(store, 50 * HOUR + 2).first_version == 5


def test_incomplete_checkpoint_is_no_place_to_begin():
    store, _ = log_with(12, [5, 10])
    whole = store.read(checkpoint_name(10))
    store.delete([checkpoint_name(10)])
    store.put(checkpoint_part_name(10, 1, 2), whole)
    store.put(checkpoint_name(8), b"")

    assert clean_log(store, 100 * HOUR).first_version == 5
    assert readable(store, 12) == list(range(5, 13))


@pytest.mark.parametrize("content", [b"PAR1", b"\0" * 400])
def test_damaged_checkpoint_is_no_place_to_begin(content, caplog):
    store, _ = log_with(12, [5, 10])
    store.put(checkpoint_name(10), content)

    with caplog.at_level(logging.WARNING):
        assert clean_log(store, 100 * HOUR).first_version == 5

    assert readable(store, 12) == list(range(5, 13))


def test_checkpoint_whose_sidecar_is_missing_is_no_place_to_begin():
    store, clock = log_with(12, [5])
    sidecar = Sidecar(path="gone.parquet", size_in_bytes=1, modification_time=1)
    v2 = f"{LOG_FOLDER}/{10:020}.checkpoint.{UUID}.json"
    clock.now = 10 * HOUR
    store.put(v2, encode_commit([PROTOCOL, METADATA, sidecar]))
    store.put(LAST_CHECKPOINT, b'{"version":10,"size":1}')

    assert clean_log(store, 100 * HOUR).first_version == 5


def test_compaction_goes_when_it_ends_before_what_is_left():
    store, _ = log_with(12, [5, 10])
    store.put(compaction_name(6, 9), b"")
    store.put(compaction_name(8, 11), encode_commit([add(f"f{n}") for n in range(8, 12)]))

    clean_log(store, 100 * HOUR)

    assert store.info(compaction_name(6, 9)) is None
    assert store.info(compaction_name(8, 11)) is not None
    assert readable(store, 12) == [10, 11, 12]


@pytest.mark.parametrize(
    ("protected", "first"), [(0, 10), (10, 10), (11, None), (6, 10), (500, None)]
)
def test_protected_versions_go_all_at_once_or_not_at_all(protected, first):
    store, _ = log_with(12, [5, 10])

    assert clean_log(store, 100 * HOUR, protected_before=protected).first_version == first


def test_protected_versions_stay_while_a_part_of_them_has_not_expired():
    store, _ = log_with(12, [5, 10])

    assert clean_log(store, 6 * HOUR, protected_before=8) == CleanedLog()
    assert clean_log(store, 6 * HOUR, protected_before=5).first_version == 5


def test_cleanup_that_breaks_off_leaves_what_can_be_read():
    for calls in (0, 1, 2, 5, 9, 14, 20, 21, 22):
        store, _ = log_with(12, [5, 10])
        left = iter(range(calls))

        def fail(operation: str, name: str, left=left) -> None:
            if operation == "delete" and next(left, None) is None:
                raise ConnectionResetError(name)

        store.on_call = fail
        try:
            clean_log(store, 100 * HOUR)
            done = True
        except ConnectionResetError:
            done = False
        store.on_call = None

        assert set(readable(store, 12)) >= {10, 11, 12}
        assert clean_log(store, 100 * HOUR).first_version == (None if done else 10)
        assert readable(store, 12) == [10, 11, 12]


class TestSidecars:
    """Sidecars go when no checkpoint names them and they have expired."""

    def make(self) -> MemoryStore:
        store, clock = log_with(12, [5])
        clock.now = 10 * HOUR
        for name in ("named", "old"):
            store.put(f"{SIDECAR_FOLDER}/{name}.parquet", self.sidecar(store))
        clock.now = 300 * HOUR
        store.put(f"{SIDECAR_FOLDER}/young.parquet", b"x")
        clock.now = 10 * HOUR
        named = Sidecar(path="named.parquet", size_in_bytes=1, modification_time=1)
        actions = [PROTOCOL, METADATA, named, *(add(f"f{n}") for n in range(6, 11))]
        store.put(f"{LOG_FOLDER}/{10:020}.checkpoint.{UUID}.json", encode_commit(actions))
        store.put(LAST_CHECKPOINT, b'{"version":10,"size":1}')
        return store

    def sidecar(self, store: MemoryStore) -> bytes:
        # The checkpoint of version 5 has the columns of a sidecar, and more.
        return store.read(checkpoint_name(5))

    def left(self, store: MemoryStore) -> list[str]:
        return [info.name.rpartition("/")[2] for info in store.list_from(SIDECAR_FOLDER)]

    def test_sidecars_that_are_named_or_young_stay(self):
        store = self.make()

        assert clean_log(store, 100 * HOUR).sidecars == 1
        assert self.left(store) == ["named.parquet", "young.parquet"]
        assert readable(store, 12) == [10, 11, 12]

    def test_all_stay_when_a_checkpoint_cannot_be_read(self):
        store = self.make()
        store.put(f"{LOG_FOLDER}/{12:020}.checkpoint.{UUID}.json", b"{")

        assert clean_log(store, 100 * HOUR).sidecars == 0
        assert len(self.left(store)) == 3

    def test_sidecars_named_by_an_older_checkpoint_that_stays_are_kept(self):
        store = self.make()

        assert clean_log(store, 9 * HOUR - 1).first_version == 5
        assert len(self.left(store)) == 3


class TestClassicCopy:
    """The first checkpoint of what is left has a name that old clients know."""

    @pytest.mark.parametrize("top_level_format", ["json", "parquet"])
    def test_v2_checkpoint_at_the_begin_gets_a_classic_name(self, top_level_format):
        store, clock = log_with(12)
        clock.now = 10 * HOUR
        form = CheckpointForm(is_v2=True, top_level_format=top_level_format)
        write_checkpoint(TableLog(store).at_version(10), tombstones_since=0, form=form)

        assert clean_log(store, 100 * HOUR).first_version == 10

        copy = load_segment(store, 10).checkpoint
        assert [info.name for info in copy] == [checkpoint_name(10)]
        assert readable(store, 12) == [10, 11, 12]
        assert len(store.list_from(SIDECAR_FOLDER)) == 1

    def test_files_in_the_top_level_file_are_not_copied(self):
        store, clock = log_with(12)
        clock.now = 10 * HOUR
        v2 = f"{LOG_FOLDER}/{10:020}.checkpoint.{UUID}.json"
        store.put(v2, encode_commit([PROTOCOL, METADATA, *(add(f"f{n}") for n in range(11))]))
        store.put(LAST_CHECKPOINT, b'{"version":10,"size":1}')

        assert clean_log(store, 100 * HOUR).first_version == 10
        assert store.info(checkpoint_name(10)) is None
        assert readable(store, 12) == [10, 11, 12]

    def test_cleanup_goes_on_without_the_copy(self, caplog):
        store, clock = log_with(12)
        clock.now = 10 * HOUR
        form = CheckpointForm(is_v2=True)
        write_checkpoint(TableLog(store).at_version(10), tombstones_since=0, form=form)

        def fail(operation: str, name: str) -> None:
            if operation == "put_if_absent":
                raise DeltaRuntimeError(
                    "DELTA_STORAGE_FAILURE", operation=operation, path=name, reason="full"
                )

        store.on_call = fail
        with caplog.at_level(logging.WARNING):
            assert clean_log(store, 100 * HOUR).first_version == 10
        store.on_call = None

        assert "no classic copy" in caplog.text
        assert readable(store, 12) == [10, 11, 12]


def test_staged_commits_of_versions_that_are_gone_go_too():
    store, _ = log_with(12, [5, 10])
    names = [f"{STAGED_FOLDER}/{version:020}.{UUID}.json" for version in (3, 9, 10, 11)]
    for name in (*names, f"{STAGED_FOLDER}/other"):
        store.put(name, b"")

    clean_log(store, 100 * HOUR)

    left = [info.name for info in store.list_from(STAGED_FOLDER)]
    assert left == [*names[2:], f"{STAGED_FOLDER}/other"]


@pytest.mark.parametrize(
    ("granularity", "expected"),
    [(timedelta(days=1), 99 * DAY_MS), (MINUTE, 99 * DAY_MS + HOUR + 60_000)],
)
def test_expiry_is_the_begin_of_a_period(granularity, expected):
    now = 100 * DAY_MS + HOUR + 61_234

    assert expiry(now, timedelta(days=1), granularity) == expected


def test_reader_that_met_the_log_before_its_cleanup_goes_on():
    store, _ = log_with(12, [5, 10])
    log = TableLog(store)
    old, latest = log.at_version(7), log.latest()

    clean_log(store, 100 * HOUR)
    commit(store, 13, add("f13"))

    assert paths(log.latest().files) == sorted(f"f{n}" for n in range(14))
    assert latest.version == 12
    with pytest.raises(DeltaAnalysisError) as raised:
        TableLog(store).at_version(old.version)
    assert raised.value.parameters == {"userVersion": "7", "earliest": "10", "latest": "13"}


def test_times_before_what_is_left_are_told_with_the_range_that_is_there():
    store, _ = log_with(12, [5, 10])
    clean_log(store, 100 * HOUR)
    log = TableLog(store)

    assert log.version_at(10 * HOUR) == 10
    assert log.version_at(11 * HOUR - 1) == 10
    assert log.version_at(12 * HOUR) == 12
    with pytest.raises(DeltaAnalysisError, match="1970-01-01 10:00:00") as raised:
        log.version_at(10 * HOUR - 1)
    assert raised.value.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    with pytest.raises(DeltaAnalysisError, match="1970-01-01 12:00:00") as raised:
        log.version_at(12 * HOUR + 1)
    assert raised.value.condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"


def test_history_is_that_of_the_versions_that_are_left():
    store, _ = log_with(12, [5, 10])
    clean_log(store, 100 * HOUR)

    assert [record.version for record in TableLog(store).history()] == [12, 11, 10]


def test_unknown_features_of_a_checkpoint_do_not_matter_to_cleanup():
    store, clock = log_with(12, [5])
    strange = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["fromTheFuture"],
        writer_features=["fromTheFuture"],
    )
    clock.now = 10 * HOUR
    v2 = f"{LOG_FOLDER}/{10:020}.checkpoint.{UUID}.json"
    store.put(v2, encode_commit([strange, METADATA]))
    store.put(LAST_CHECKPOINT, b'{"version":10,"size":1}')

    assert clean_log(store, 100 * HOUR).first_version == 10
