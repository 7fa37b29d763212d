"""Rows marked in deletion vectors: what is written, and what the log says of it."""

import json

import msgspec
import pytest
from pyroaring import BitMap64

from puredelta.log.actions import AddFile
from puredelta.log.files import add_files, files_table
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors.vectors import read_vector
from puredelta.table.deletion_vectors.writing import TableVectors, wide_stats, write_vectors

ROOT = "memory:///t"
STATS = '{"numRecords":10,"minValues":{"n":1.10},"nullCount":{"n":0},"tightBounds":true}'


@pytest.fixture
def vectors():
    return TableVectors(MemoryStore(ROOT))


def a_file(name="a.parquet", stats=STATS, vector=None):
    return AddFile(
        path=name,
        partition_values={},
        size=7,
        modification_time=1,
        data_change=False,
        stats=stats,
        deletion_vector=vector,
        base_row_id=40,
        default_row_commit_version=3,
    )


def deleted(vectors, file):
    return set(read_vector(vectors.store, ROOT, file.deletion_vector))


def test_marked_rows_are_in_a_vector_of_the_same_file(vectors):
    file = a_file()

    marked = vectors.mark([file], [BitMap64([2, 3])], [10])

    [after] = marked.after
    assert deleted(vectors, after) == {2, 3}
    kept = msgspec.structs.replace(
        after, deletion_vector=None, stats=file.stats, data_change=file.data_change
    )
    assert kept == file
    assert after.data_change
    assert (marked.before, marked.rows) == ([file], 2)
    assert (marked.vectors_added, marked.vectors_removed, marked.vectors_updated) == (1, 0, 0)


def test_rows_that_were_deleted_stay_deleted(vectors):
    [before] = vectors.mark([a_file()], [BitMap64([2, 3])], [10]).after

    marked = vectors.mark([before], [BitMap64([7])], [10])

    assert deleted(vectors, marked.after[0]) == {2, 3, 7}
    assert marked.after[0].deletion_vector.cardinality == 3
    assert (marked.vectors_added, marked.vectors_removed, marked.vectors_updated) == (1, 1, 1)


def test_file_without_rows_left_goes(vectors):
    [before] = vectors.mark([a_file()], [BitMap64(range(9))], [10]).after

    marked = vectors.mark([before], [BitMap64([9])], [10])

    assert (marked.before, marked.after, marked.rows) == ([before], [], 1)
    assert (marked.vectors_added, marked.vectors_removed, marked.vectors_updated) == (0, 1, 0)


def test_vectors_of_many_files_are_packed_together():
    store = MemoryStore(ROOT)

    written = write_vectors(
        {f"{number}.parquet": BitMap64([number]) for number in range(7)}, store, file_size=100
    )

    assert [set(read_vector(store, ROOT, vector)) for vector in written.values()] == [
        {number} for number in range(7)
    ]
    places = {vector.path_or_inline_dv for vector in written.values()}
    assert len(places) == len(store.list_from("")) == 3


def test_stats_keep_their_numbers_and_say_that_bounds_are_wide():
    told = wide_stats(STATS, 10)

    assert json.loads(told)["tightBounds"] is False
    assert '"n":1.10' in told


def test_file_without_stats_gets_its_number_of_rows():
    assert json.loads(wide_stats(None, 4)) == {"numRecords": 4, "tightBounds": False}


def test_scan_without_some_rows_lacks_those_that_are_deleted_too(vectors):
    files = files_table(vectors.mark([a_file()], [BitMap64([1])], [10]).after)

    hidden = add_files(vectors.hiding(files, [BitMap64([4])]))

    assert deleted(vectors, hidden[0]) == {1, 4}


def test_scan_of_some_rows_lacks_all_others(vectors):
    files = files_table(vectors.mark([a_file()], [BitMap64([1])], [10]).after)

    shown = add_files(vectors.showing(files, [BitMap64([4, 9])], [10]))

    assert set(range(10)) - deleted(vectors, shown[0]) == {4, 9}


def test_scan_of_all_rows_needs_no_vector(vectors):
    files = files_table([a_file()])

    assert add_files(vectors.showing(files, [BitMap64(range(10))], [10]))[0].deletion_vector is None
