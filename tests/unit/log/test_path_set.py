"""Paths that come twice among many."""

import pytest

from puredelta.log.path_set import PathSet


@pytest.mark.parametrize(("first", "second"), [(0, 1), (0, 3), (0, 19), (5, 17), (18, 19), (3, 4)])
def test_path_that_comes_twice_is_named_wherever_it_stands(first, second):
    paths = [f"p={number}/é\udc80.parquet" for number in range(20)]
    paths[second] = paths[first]
    known = PathSet(at_once=4)

    found = [known.repeated(paths[start : start + 3]) for start in range(0, 20, 3)]

    assert {*found, known.repeated_at_last()} - {None} == {paths[first]}


def test_paths_that_differ_pass():
    known = PathSet(at_once=4)

    found = [known.repeated([f"{number}.parquet"]) for number in range(50)]

    assert {*found, known.repeated_at_last()} == {None}
