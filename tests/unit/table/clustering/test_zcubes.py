"""Which files an OPTIMIZE of a clustered table takes, and into how many cubes it puts them."""

import pytest

from puredelta.log.actions import AddFile
from puredelta.table.clustering.zcubes import (
    ZCube,
    ZCubeFile,
    ZCubeSizes,
    cube_of,
    in_cube,
    plan_zcubes,
)

COLUMNS = ("a", "b")
SIZES = ZCubeSizes(stable=100, target=150)


def file(size=10, cube=None, columns=COLUMNS, *, live=None, provider=None):
    return ZCubeFile(
        size=size,
        live_size=size if live is None else live,
        cube=None if cube is None else ZCube(cube, columns),
        provider=provider or (None if cube is None else "liquid"),
    )


def plan(*files, full=False):
    return plan_zcubes(files, COLUMNS, SIZES, full=full)


def test_files_without_a_cube_become_one():
    found = plan(file(1), file(2), file(3))

    assert found.bins == [(0, 1, 2)]
    assert (found.in_cubes, found.others, found.cubes) == ((0, 0), (3, 6), 0)


def test_one_file_without_a_cube_is_clustered():
    assert plan(file()).bins == [(0,)]


def test_no_files_need_nothing():
    assert plan().bins == []


def test_a_single_cube_stays():
    found = plan(file(cube="x"), file(cube="x"))

    assert found.bins == []
    assert (found.in_cubes, found.cubes) == ((2, 20), 1)


def test_a_small_cube_is_merged_with_new_files_which_come_first():
    assert plan(file(cube="x"), file(), file(cube="x")).bins == [(1, 0, 2)]


def test_two_small_cubes_are_merged():
    assert plan(file(cube="y"), file(cube="x")).bins == [(1, 0)]


def test_large_cube_stays_and_new_files_get_a_cube_of_their_own():
    found = plan(file(60, cube="x"), file(40, cube="x"), file(5))

    assert found.bins == [(2,)]
    assert (found.in_cubes, found.others, found.cubes) == ((2, 100), (1, 5), 1)


def test_deleted_rows_do_not_count_for_the_size_of_a_cube():
    assert plan(file(120, cube="x", live=99), file(5)).bins == [(1, 0)]


def test_new_cubes_are_filled_one_after_the_other():
    assert plan(file(90), file(70), file(80), file(200), file(1)).bins == [
        (0,), (1, 2), (3,), (4,),
    ]  # fmt: skip


def test_stable_size_is_the_smallest_limit_of_a_cube():
    sizes = ZCubeSizes(stable=100, target=10)

    assert plan_zcubes([file(40), file(50)], COLUMNS, sizes, full=False).bins == [(0, 1)]


@pytest.mark.parametrize(
    "foreign",
    [
        file(cube="x", columns=("a",)),
        file(cube="x", columns=("b", "a")),
        file(cube="x", provider="other"),
        file(provider="other"),
    ],
)
def test_foreign_files_are_left_to_full_runs(foreign):
    found = plan(foreign)

    assert found.bins == []
    assert found.others == (1, 10)
    assert plan(foreign, full=True).bins == [(0,)]
    assert plan(foreign, file(), full=True).bins in ([(0, 1)], [(1, 0)])


def test_full_run_counts_cubes_of_other_columns_as_input():
    found = plan(file(cube="x", columns=("a",)), full=True)

    assert (found.in_cubes, found.others, found.cubes) == ((1, 10), (0, 0), 1)


def test_full_run_rewrites_large_cubes_of_other_columns_only():
    found = plan(file(100, cube="x", columns=("a",)), file(100, cube="y"), full=True)

    assert found.bins == [(0,)]


def test_full_run_without_foreign_files_is_a_normal_one():
    assert plan(file(cube="x"), full=True).bins == []
    assert plan(file(cube="x"), file(cube="y"), full=True).bins == [(0, 1)]


def test_tags_name_the_cube():
    add = AddFile(
        path="a", partition_values={}, size=1, modification_time=1, data_change=False,
        tags={"OTHER": "1", "ZCUBE_ZORDER_CURVE": "hilbert"},
    )  # fmt: skip

    found = in_cube(add, ZCube("id", ("a", "s.x")))

    assert found.clustering_provider == "liquid"
    assert found.tags == {"OTHER": "1", "ZCUBE_ID": "id", "ZCUBE_ZORDER_BY": '["a","s.x"]'}
    assert cube_of(found.tags) == ZCube("id", ("a", "s.x"))


@pytest.mark.parametrize(
    "tags",
    [
        None,
        {"ZCUBE_ID": "x"},
        {"ZCUBE_ZORDER_BY": '["a"]'},
        {"ZCUBE_ID": "x", "ZCUBE_ZORDER_BY": "a"},
        {"ZCUBE_ID": None, "ZCUBE_ZORDER_BY": '["a"]'},
    ],
)
def test_files_whose_tags_name_no_cube(tags):
    assert cube_of(tags) is None
