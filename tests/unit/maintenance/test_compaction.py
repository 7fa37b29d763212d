"""Which files compaction rewrites, and in how many commits."""

import pytest
from pyroaring import BitMap64

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.maintenance.batches import batches_of
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.compaction import CompactionLimits, plan_compaction
from puredelta.maintenance.partition_counts import PartitionCounts
from puredelta.table.deletion_vectors.vectors import inline


def file(size, rows=10, deleted=0, partition="x"):
    return AddFile(
        path=f"{partition}-{size}-{deleted}.parquet",
        partition_values={"p": partition},
        size=size,
        modification_time=0,
        data_change=True,
        stats=None if rows is None else f'{{"numRecords":{rows}}}',
        deletion_vector=inline(BitMap64(range(deleted))) if deleted else None,
    )


def planned(*files, **limits):
    def partitions(listed):
        return [dict(values)["p"] for values in listed["partition_values"].to_pylist()]

    plan = plan_compaction(files_table(files), partitions, CompactionLimits(**limits))
    return [[plan.files["size"][place].as_py() for place in group.places] for group in plan.bins]


def test_small_files_of_each_partition_are_put_together():
    files = [file(size, partition=name) for name in "xy" for size in (30, 10, 20, 100)]

    assert planned(*files, min_file_size=100, max_file_size=1000) == [[10, 20, 30], [10, 20, 30]]


def test_file_of_the_least_size_is_no_candidate():
    assert planned(file(100), file(101), min_file_size=100) == []


def test_large_file_with_a_vector_that_does_not_count_its_rows_is_chosen():
    files = [file(500, rows=None, deleted=1), file(10)]

    assert planned(*files, min_file_size=100) == [[10, 500]]


def test_lone_file_stays_whatever_of_it_is_deleted():
    assert planned(file(10, deleted=9)) == []


def test_bin_that_is_full_is_not_filled_up_with_smaller_gaps():
    files = map(file, (10, 20, 60, 70))

    assert planned(*files, max_file_size=80) == [[10, 20]]


@pytest.mark.parametrize(("deleted", "is_chosen"), [(1, False), (2, True)])
def test_large_file_is_chosen_for_more_deleted_rows_than_the_ratio(deleted, is_chosen):
    files = [file(500, rows=10, deleted=deleted), file(400, rows=10, deleted=9)]

    found = planned(*files, min_file_size=1, max_deleted_ratio=0.1)
    assert found == ([[400, 500]] if is_chosen else [])


def test_vector_of_a_file_without_counts_makes_it_a_candidate():
    files = [file(500, rows=None, deleted=1), file(400, rows=None, deleted=1)]

    assert planned(*files, min_file_size=1) == [[400, 500]]


BINS = [Bin("p", (n,), size) for n, size in enumerate((50, 10, 30, 20))]


def test_all_bins_are_one_commit_without_limits():
    assert batches_of(BINS) == [BINS]
    assert batches_of([]) == []


def test_batches_are_filled_with_small_bins_first():
    sizes = [[group.bytes for group in batch] for batch in batches_of(BINS, 60)]

    assert sizes == [[10, 20, 30], [50]]


def test_batch_has_so_many_bins_at_most():
    assert [len(batch) for batch in batches_of(BINS, None, 3)] == [3, 1]


def test_partition_is_due_once_and_then_from_a_count_on():
    counts = PartitionCounts()
    counts.add("t", {"x": 1}, most_tables=5)
    assert counts.due("t", ["x", "y"], 3) == ["x", "y"]
    counts.start_again("t", ["x"])
    counts.add("t", {"x": 4}, most_tables=5)
    counts.add("t", {"x": -2}, most_tables=5)

    assert counts.due("t", ["x"], 3) == []
    counts.add("t", {"x": 1}, most_tables=5)
    assert counts.due("t", ["x"], 3) == ["x"]


def test_tables_that_were_not_seen_for_long_are_forgotten():
    counts = PartitionCounts()
    counts.start_again("t", ["x"])
    counts.add("u", {"x": 1}, most_tables=1)

    assert counts.due("t", ["x"], 50) == ["x"]


def test_partition_that_another_thread_compacts_is_left_alone():
    counts = PartitionCounts()
    with counts.reserved("t", ["x"]) as first, counts.reserved("t", ["x", "y"]) as second:
        assert (first, second) == (["x"], ["y"])
    with counts.reserved("t", ["x"]) as again:
        assert again == ["x"]
