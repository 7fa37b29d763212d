"""The gate's tests on Spark are those that run the most lines in the least time."""

import re
from pathlib import Path

import numpy as np

from tests.parts import CHOSEN_FOR_REST
from tools.choose_gate import choose, named_for_faults

ROOT = Path(__file__).parents[2]

# Tests and lines: the third runs what the first two run, but takes longer than both.
LINES = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]], np.float32)
COSTS = np.array([1, 1, 9, 2], np.float32)


def test_each_line_is_run_by_the_cheapest_tests():
    assert choose(LINES, COSTS, set(), 4) == {0, 1, 3}


def test_time_that_is_left_runs_lines_again():
    assert choose(LINES, COSTS, set(), 99) == {0, 1, 2, 3}


def test_tests_that_must_stay_count_first():
    assert choose(LINES, COSTS, {2}, 10) == {2, 3}


def test_tests_named_for_planted_faults_stay():
    tests = ["tests/spark/test_update.py::test_a[1]", "tests/spark/test_nobody.py::test_a"]

    assert named_for_faults(tests) == {0}


def test_tests_of_the_rest_exist():
    names = {name.partition("[")[0] for name in CHOSEN_FOR_REST.read_text("utf-8").splitlines()}

    gone = [
        name
        for name in sorted(names)
        for file, _, test in [name.partition("::")]
        if not (ROOT / file).is_file()
        or not re.search(rf"\bdef {test}\(", (ROOT / file).read_text("utf-8"))
    ]

    assert gone == []
