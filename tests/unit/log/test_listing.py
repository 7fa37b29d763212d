"""What lies in the log folder, by version."""

import pytest

from puredelta.log.listing import list_log
from puredelta.log.names import (
    checkpoint_name,
    checkpoint_part_name,
    checksum_name,
    commit_name,
    compaction_name,
)
from puredelta.storage.memory import MemoryStore

UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


def listing_of(*names: str, versions=(), start: int = 0):
    store = MemoryStore()
    for name in (*map(commit_name, versions), *names):
        store.put(name, b"x")
    return list_log(store, start)


@pytest.mark.parametrize(
    ("versions", "checkpoints", "earliest"),
    [
        ([], [], None),
        (range(4), [], 0),
        (range(4), [2], 0),
        (range(2, 6), [3], 3),
        (range(2, 6), [1], 1),
        (range(2, 6), [2, 4], 2),
        (range(2, 6), [], None),
        ([0, 1, 4, 5], [], None),
        ([0, 1, 4, 5], [3], 3),
        ([0, 1, 4, 5], [1, 5], 5),
        ([], [7], 7),
    ],
)
def test_earliest_readable_version_has_all_later_ones_behind_it(versions, checkpoints, earliest):
    found = listing_of(*map(checkpoint_name, checkpoints), versions=versions)

    assert found.earliest_readable() == earliest


def test_listing_begins_where_it_is_told():
    found = listing_of(checkpoint_name(1), versions=range(5), start=3)

    assert (sorted(found.commits), found.checkpoints) == ([3, 4], {})


def test_checksums_and_strange_names_are_no_versions():
    assert listing_of(checksum_name(9), "_delta_log/9.tmp").latest is None


def test_version_beyond_64_bits_is_passed_over():
    assert listing_of(f"_delta_log/{10**20 - 1}.json", versions=[0]).latest == 0


def test_absurd_number_of_parts_is_an_incomplete_checkpoint():
    found = listing_of(checkpoint_part_name(3, 1, 9_999_999_999), checkpoint_part_name(3, 0, 1))

    assert found.checkpoints == {}


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_checkpoint_without_one_of_its_parts_is_none(missing):
    parts = [checkpoint_part_name(3, part, 3) for part in {1, 2, 3} - {missing}]

    assert listing_of(*parts).checkpoints == {}


def test_all_complete_checkpoints_of_a_version_are_known_best_first():
    v2 = f"_delta_log/{3:020}.checkpoint.{UUID}.json"
    parts = [checkpoint_part_name(3, part, 2) for part in (1, 2)]
    found = listing_of(v2, *parts, checkpoint_part_name(3, 1, 3), checkpoint_name(3))

    names = [[info.name for info in files] for files in found.spares[3]]

    assert names == [[checkpoint_name(3)], parts, [v2]]


@pytest.mark.parametrize(
    ("there", "first", "last", "chosen"),
    [
        ([], 0, 9, []),
        ([(0, 4), (5, 8)], 0, 9, [(0, 4), (5, 8)]),
        ([(0, 4), (0, 7)], 0, 9, [(0, 7)]),
        ([(0, 4), (0, 7)], 0, 6, [(0, 4)]),
        ([(0, 4), (3, 8)], 0, 9, [(0, 4)]),
        ([(0, 4), (3, 8)], 1, 9, [(3, 8)]),
        ([(2, 4)], 3, 9, []),
        ([(2, 4)], 0, 3, []),
        ([(4, 4), (6, 5)], 0, 9, []),
    ],
)
def test_compactions_are_chosen_that_fit_into_the_range(there, first, last, chosen):
    names = [compaction_name(start, end) for start, end in there]

    found = listing_of(*names, versions=range(10)).compactions_between(first, last)

    assert [(one.start, one.end) for one in found] == chosen
