"""Statements of Spark SQL: the Python that commits is killed, alone or with driver and JVM."""

import contextlib

import pytest

from tests.endurance.kills.interposer import Interposer
from tests.endurance.kills.spark_cases import CASES
from tests.endurance.kills.spark_sessions import beside, whole
from tests.endurance.kills.spark_trials import SparkTrials
from tests.endurance.profile import IS_LONG

# Each kill is followed by the start of a Python, or of Spark.
pytestmark = pytest.mark.rest

KILLS = 18 if IS_LONG else 2
WHOLE_KILLS = 10 if IS_LONG else 1
KILLED_WHOLE = ("INSERT", "MERGE", "UPDATE with vectors", "OPTIMIZE")


@pytest.fixture(scope="module")
def interposer(tmp_path_factory):
    return Interposer(tmp_path_factory.mktemp("interposer"))


@pytest.fixture(scope="module")
def process(interposer, tmp_path_factory):
    with beside(tmp_path_factory.mktemp("beside"), interposer.variables()) as started:
        yield started


@pytest.mark.timeout(120 + 20 * KILLS)
@pytest.mark.parametrize("name", CASES)
def test_statement_whose_python_is_killed_happens_as_a_whole_or_not_at_all(
    interposer, process, tmp_path, name
):
    trials = SparkTrials(interposer, tmp_path, name)
    trials.make(process)

    tally = trials.try_beside(process, KILLS)

    print(f"{name}: {tally}")
    assert tally.kept == []


@pytest.mark.timeout(120 + 60 * WHOLE_KILLS)
@pytest.mark.parametrize("name", KILLED_WHOLE)
def test_statement_whose_driver_and_jvm_are_killed_happens_as_a_whole_or_not_at_all(
    interposer, tmp_path, name
):
    trials = SparkTrials(interposer, tmp_path, name)
    with contextlib.ExitStack() as running:
        tally = trials.try_whole(
            lambda: running.enter_context(whole(tmp_path, interposer.variables())), WHOLE_KILLS
        )

    print(f"{name}, whole: {tally}")
    assert tally.kept == []
