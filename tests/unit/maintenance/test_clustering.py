"""The plan of an OPTIMIZE of a clustered table, from what the log says of its files."""

import json

import pytest
from pyroaring import BitMap64

from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.maintenance.clustering import plan_clustering
from puredelta.table.clustering.zcubes import ZCubeSizes
from puredelta.table.deletion_vectors.vectors import inline

SIZES = ZCubeSizes(stable=100, target=150)


def file(size, *, cube=None, rows=10, deleted=0):
    tags = {"ZCUBE_ID": cube, "ZCUBE_ZORDER_BY": json.dumps(["a"])}
    return AddFile(
        path=f"{size}.parquet",
        partition_values={},
        size=size,
        modification_time=0,
        data_change=True,
        stats=None if rows is None else f'{{"numRecords":{rows}}}',
        deletion_vector=inline(BitMap64(range(deleted))) if deleted else None,
        tags=tags if cube else None,
        clustering_provider="liquid" if cube else None,
    )


def planned(*files):
    plan = plan_clustering(files_table(files), ["a"], SIZES, is_full=False)
    return [[plan.files["size"][place].as_py() for place in group.places] for group in plan.bins]


def test_files_without_a_cube_are_clustered_and_a_large_cube_stays():
    assert planned(file(120, cube="x"), file(10), file(20)) == [[10, 20]]


@pytest.mark.parametrize(("deleted", "bins"), [(1, [[10]]), (2, [[10, 120]])])
def test_cube_whose_live_rows_are_few_is_merged(deleted, bins):
    assert planned(file(120, cube="x", deleted=deleted), file(10)) == bins


def test_file_that_does_not_say_how_many_rows_it_has_counts_in_full():
    assert planned(file(120, cube="x", rows=None, deleted=9), file(10)) == [[10]]


def test_bins_say_how_large_they_are():
    plan = plan_clustering(files_table([file(10), file(20)]), ["a"], SIZES, is_full=False)

    assert [(group.partition, group.bytes) for group in plan.bins] == [("", 30)]
