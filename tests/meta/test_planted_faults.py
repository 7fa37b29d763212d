"""The faults of `tools/planted_faults.toml` can be planted: they fit the code and the tests."""

from dataclasses import replace

import pytest

from tools.planted_faults import is_test, problems, read_faults

FAULTS = read_faults()
FIRST = FAULTS[0]
# One of each layer; the layer of the first has a second.
OTHERS = list({fault.layer: fault for fault in FAULTS}.values())
SCENARIO = "parity/test_parity.py::test_scenario_shows_what_delta_spark_shows"


def test_each_fault_can_be_planted_and_each_layer_has_some():
    assert problems(FAULTS) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"id": "Two Words"}, "the id is not kebab-case"),
        ({"layer": "cli"}, "is in the layer"),
        ({"file": "errors/nothing.py"}, "no such file"),
        ({"old": "no such text"}, "the old text occurs 0 times"),
        ({"new": FIRST.old}, "it changes nothing"),
        ({"new": "[["}, "cannot be compiled with it"),
        ({"what": " "}, "what goes wrong is not said"),
        ({"tests": ()}, "no test is named"),
        ({"tests": ("meta/test_nothing.py",)}, "no such test"),
    ],
)
def test_fault_that_cannot_be_planted_is_noticed(changes, problem):
    found = problems([replace(FIRST, **changes), *OTHERS])

    assert len(found) == 1
    assert problem in found[0]


def test_two_faults_of_one_name_are_noticed():
    assert problems([FIRST, FIRST, *OTHERS]) == [f"{FIRST.id}: 2 faults have this id"]


def test_layer_without_a_fault_is_noticed():
    assert problems([fault for fault in OTHERS if fault.layer != "cli"]) == ["cli: no fault"]


@pytest.mark.parametrize(
    ("name", "exists"),
    [
        ("meta/test_planted_faults.py", True),
        ("meta/test_planted_faults.py::test_two_faults_of_one_name_are_noticed", True),
        ("meta/test_planted_faults.py::test_nothing", False),
        ("conftest.py", False),
        (f"{SCENARIO}[describe-history_forms]", True),
        (f"{SCENARIO}[describe-nothing]", False),
    ],
)
def test_tests_are_known_by_name(name, exists):
    assert is_test(name) is exists
