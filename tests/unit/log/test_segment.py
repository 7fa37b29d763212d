"""From a listing to the files of one version."""

import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaIllegalStateError,
)
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.names import (
    LAST_CHECKPOINT,
    checkpoint_name,
    checkpoint_part_name,
    commit_name,
    compaction_name,
    parse,
)
from puredelta.log.segment import load_segment
from puredelta.storage.memory import MemoryStore

UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


def store_with(*names: str, versions=(), hint: str | None = None) -> MemoryStore:
    store = MemoryStore()
    for name in (*map(commit_name, versions), *names):
        store.put(name, b"x")
    if hint is not None:
        store.put(LAST_CHECKPOINT, hint.encode())
    return store


def versions_of(segment) -> list[int]:
    return [parse(info.name).version for info in segment.commits]


def test_without_checkpoint_all_commits_are_read():
    segment = load_segment(store_with(versions=range(4)))

    assert (segment.version, segment.checkpoint) == (3, None)
    assert versions_of(segment) == [0, 1, 2, 3]
    assert segment.last_commit == segment.commits[-1]


def test_checkpoint_stands_in_for_older_commits():
    store = store_with(checkpoint_name(2), versions=[2, 3, 4])

    segment = load_segment(store)

    assert segment.checkpoint_version == 2
    assert versions_of(segment) == [3, 4]


def test_older_version_uses_an_older_checkpoint():
    store = store_with(
        checkpoint_name(2), checkpoint_name(6), versions=range(8), hint='{"version":6,"size":1}'
    )

    assert load_segment(store, 5).checkpoint_version == 2
    assert versions_of(load_segment(store, 5)) == [3, 4, 5]
    assert load_segment(store, 6).commits == ()
    assert load_segment(store, 6).last_commit.name == commit_name(6)


def test_hint_spares_the_listing_of_older_files():
    store = store_with(checkpoint_name(6), versions=range(8), hint='{"version":6,"size":1}')
    store.delete([commit_name(5)])

    assert versions_of(load_segment(store)) == [7]


@pytest.mark.parametrize("hint", ['{"version":9,"size":1}', "{", "", '{"version":"x"}', "[]"])
def test_wrong_hint_does_not_matter(hint):
    store = store_with(checkpoint_name(2), versions=range(5), hint=hint)

    assert load_segment(store).version == 4
    assert load_segment(store, 1).version == 1


def test_missing_hint_is_none():
    assert read_last_checkpoint(MemoryStore()) is None


def test_incomplete_parts_do_not_count():
    store = store_with(
        checkpoint_name(1),
        checkpoint_part_name(3, 1, 2),
        versions=range(5),
        hint='{"version":3,"size":1,"parts":2}',
    )

    assert load_segment(store).checkpoint_version == 1


def test_complete_parts_are_read_in_order():
    names = [checkpoint_part_name(3, part, 2) for part in (2, 1)]
    store = store_with(*names, versions=[3, 4])

    assert [info.name for info in load_segment(store).checkpoint] == names[::-1]


def test_empty_checkpoint_is_ignored():
    store = store_with(versions=range(3))
    store.put(checkpoint_name(2), b"")

    assert load_segment(store).checkpoint is None


def test_classic_checkpoint_is_taken_before_others_of_its_version():
    v2 = f"_delta_log/{2:020}.checkpoint.{UUID}.json"
    parts = checkpoint_part_name(2, 1, 1)

    assert names_of_checkpoint(v2) == [v2]
    assert names_of_checkpoint(v2, parts) == [parts]
    assert names_of_checkpoint(v2, parts, checkpoint_name(2)) == [checkpoint_name(2)]


def names_of_checkpoint(*names: str) -> list[str]:
    return [info.name for info in load_segment(store_with(*names, versions=[2])).checkpoint]


def test_checkpoint_alone_is_a_version():
    segment = load_segment(store_with(checkpoint_name(2)))

    assert (segment.version, segment.commits, segment.last_commit) == (2, (), None)


def test_empty_log_is_no_table():
    with pytest.raises(DeltaAnalysisError, match="no commits in memory:///t/_delta_log") as raised:
        load_segment(MemoryStore())

    assert raised.value.condition == "DELTA_NO_COMMITS_FOUND"


@pytest.mark.parametrize("version", [-1, 5])
def test_version_that_is_not_there_is_told_with_those_that_are(version):
    store = store_with(checkpoint_name(2), versions=range(5), hint='{"version":2,"size":1}')

    with pytest.raises(DeltaAnalysisError) as raised:
        load_segment(store, version)

    assert raised.value.parameters == {
        "userVersion": str(version),
        "earliest": "0",
        "latest": "4",
    }


def test_version_before_the_first_checkpoint_of_a_cleaned_log_is_not_found():
    store = store_with(checkpoint_name(3), versions=range(2, 6))

    with pytest.raises(DeltaAnalysisError) as raised:
        load_segment(store, 2)

    assert raised.value.parameters["earliest"] == "3"


def test_gap_is_refused():
    with pytest.raises(DeltaIllegalStateError, match="DELTA_VERSIONS_NOT_CONTIGUOUS") as raised:
        load_segment(store_with(versions=[0, 1, 3]))

    assert raised.value.parameters["versionList"] == "0, 1, 3"


def test_version_before_a_gap_can_be_read():
    assert load_segment(store_with(versions=[0, 1, 3]), 1).version == 1


def test_log_without_its_first_commits_is_refused():
    with pytest.raises(DeltaFileNotFoundError, match="DELTA_TRUNCATED_TRANSACTION_LOG"):
        load_segment(store_with(versions=[2, 3]))


def test_gap_in_a_long_log_is_told_in_ranges():
    with pytest.raises(DeltaIllegalStateError) as raised:
        load_segment(store_with(versions=[*range(10), 11, 12, *range(20, 90)]))

    assert raised.value.parameters["versionList"] == "0-9, 11, 12, 20-89"


def test_compactions_stand_in_for_the_commits_they_cover():
    names = [compaction_name(1, 3), compaction_name(5, 6)]
    store = store_with(*names, versions=range(9))

    segment = load_segment(store)

    assert [info.name for info in segment.replay_files()] == [
        commit_name(0),
        names[0],
        commit_name(4),
        names[1],
        commit_name(7),
        commit_name(8),
    ]
    assert versions_of(segment) == list(range(9))


def test_compactions_are_cut_by_checkpoint_and_wanted_version():
    names = [compaction_name(0, 4), compaction_name(3, 5), compaction_name(6, 8)]
    store = store_with(*names, checkpoint_name(2), versions=range(9))

    assert names_of_replay(store, None) == names[1:]
    assert names_of_replay(store, 7) == [names[1], commit_name(6), commit_name(7)]
    assert names_of_replay(store, 4) == [commit_name(3), commit_name(4)]
    assert names_of_replay(store, 1) == [commit_name(0), commit_name(1)]


def names_of_replay(store: MemoryStore, version: int | None) -> list[str]:
    return [info.name for info in load_segment(store, version).replay_files()]


class Starts(list):
    """From which file on a store was listed."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__()
        self._list_from, store.list_from = store.list_from, self

    def __call__(self, prefix: str, start: str | None = None):
        self.append(start)
        return self._list_from(prefix, start)


def test_old_version_without_a_hint_is_listed_from_near_by():
    store = store_with(*map(checkpoint_name, range(10, 300, 10)), versions=range(300))
    starts = Starts(store)

    assert versions_of(load_segment(store, 255)) == [251, 252, 253, 254, 255]
    assert starts == [f"_delta_log/{155:020}"]


def test_old_version_far_from_its_checkpoint_is_still_found():
    store = store_with(checkpoint_name(10), versions=range(300))

    assert load_segment(store, 255).checkpoint_version == 10
