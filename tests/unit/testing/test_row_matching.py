"""As many rows as possible are paired, however their floats overlap."""

import random

import pyarrow as pa
import pytest

from puredelta.testing.row_matching import Tolerance, freeze_rows, unmatched

HALF = Tolerance(0.0, 0.5)


def rows(*floats):
    columns = zip(*floats, strict=True)
    arrays = {f"c{n}": pa.array(values, pa.float64()) for n, values in enumerate(columns)}
    return freeze_rows(pa.table(arrays))


def test_row_gives_up_its_partner_for_one_that_has_no_other():
    # The first row is close to both expected rows, and the second one to the first of them alone.
    found, expected = rows([0, 0], [0.1, 0.8]), rows([0, 0.4], [0.1, -0.4])

    assert unmatched(found, expected, HALF) == ([], [])


def test_rows_of_two_floats_are_paired_by_both():
    found, expected = rows([0, 0], [0, 1], [0, 2]), rows([0, 2.2], [0.4, 0.1], [0, 5])

    assert unmatched(found, expected, HALF) == ([1], [2])


@pytest.mark.parametrize("seed", range(20))
def test_shuffled_rows_with_small_errors_all_have_a_partner(seed):
    chance = random.Random(seed)
    floats = [[chance.uniform(0, 3), chance.uniform(0, 3)] for _ in range(60)]
    near = [[x + chance.uniform(-0.4, 0.4), y + chance.uniform(-0.4, 0.4)] for x, y in floats]
    chance.shuffle(near)

    assert unmatched(rows(*floats), rows(*near), HALF) == ([], [])


def test_equal_rows_count_as_often_as_they_occur():
    found, expected = rows([1], [1], [2]), rows([1], [2], [2], [2])

    assert unmatched(found, expected, Tolerance(0.0, 0.0)) == ([1], [2, 3])


def test_many_equal_rows_take_no_time_to_speak_of():
    found = freeze_rows(pa.table({"x": pa.array([0.5] * 20_000)}))

    assert unmatched(found, found[:-1], HALF) == ([19_999], [])
