"""Which files are written anew together."""

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from puredelta.maintenance.bins import Bin, bins_of, tasks_of

MIB = 1 << 20


def test_files_of_a_partition_are_put_together_small_ones_first():
    assert bins_of(["p"] * 4, [50, 10, 30, 20], 60) == [
        Bin("p", (1, 3, 2), 60),
        Bin("p", (0,), 50),
    ]


def test_file_larger_than_a_bin_is_alone():
    assert bins_of(["p", "p"], [500, 10], 100) == [Bin("p", (1,), 10), Bin("p", (0,), 500)]


def test_files_of_two_partitions_never_meet_in_a_bin():
    assert bins_of(["p", "q", "p"], [1, 2, 3], 100) == [Bin("p", (0, 2), 4), Bin("q", (1,), 2)]


def test_no_files_make_no_bins():
    assert bins_of([], [], 100) == []
    assert tasks_of([], 4) == []


def test_small_bins_of_many_partitions_share_a_task():
    bins = [Bin(f"p{n}", (n,), 1000) for n in range(100)]

    assert tasks_of(bins, 2) == [bins]


def test_large_bins_have_tasks_of_their_own():
    bins = [Bin(f"p{n}", (n,), 200 * MIB) for n in range(3)]

    assert tasks_of(bins, 2) == [[one] for one in bins]


def test_work_is_spread_over_the_tasks_that_run_at_once():
    bins = [Bin(f"p{n}", (n,), 5 * MIB) for n in range(8)]

    assert [len(task) for task in tasks_of(bins, 4)] == [2, 2, 2, 2]


FILES = st.lists(st.tuples(st.sampled_from("pqr"), st.integers(0, 300 * MIB)), max_size=40)


@given(FILES, st.integers(1, 400 * MIB), st.integers(1, 8))
def test_each_file_is_in_one_bin_and_each_bin_in_one_task(files, most, parallelism):
    partitions, sizes = [file[0] for file in files], [file[1] for file in files]
    bins = bins_of(partitions, sizes, most)
    tasks = tasks_of(bins, parallelism)

    assert sorted(chain.from_iterable(one.places for one in bins)) == list(range(len(files)))
    assert all(one.bytes <= most or len(one.places) == 1 for one in bins)
    assert all(one.bytes == sum(sizes[place] for place in one.places) for one in bins)
    assert all(partitions[place] == one.partition for one in bins for place in one.places)
    assert sorted(chain.from_iterable(tasks), key=bins.index) == bins
    assert all(len({one.partition for one in task}) == len(task) for task in tasks)
