"""Processes of several engines write one table at once: a serial order explains all they saw."""

import signal
from collections import Counter

import pytest

from puredelta.table.check import Severity, check_table
from tests.endurance.profile import IS_LONG
from tests.endurance.writers.checker import replay, violations
from tests.endurance.writers.race import Race, engine
from tests.endurance.writers.records import MADE, UNKNOWN
from tests.interop.oracle import find_oracle, oracle_environment

SECONDS = 5
COMMITS = 2000


def assert_explained(race):
    """Look whether one order of commits explains all; return what was asked."""
    history = race.history()
    assert violations(history) == []
    version, rows = race.rows()
    states = replay(history, {one.operation.token: one for one in history.asked})
    assert version == len(history.tokens)
    assert rows == states[-1]
    report = check_table(str(race.path))
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
    outcomes = Counter((one.operation.kind, one.outcome) for one in history.asked)
    print(f"{version} commits, {len(history.reads)} reads, {dict(sorted(outcomes.items()))}")
    return history


@pytest.mark.timeout(60 + 3 * SECONDS)
def test_two_processes_without_spark_and_one_that_is_killed(tmp_path):
    race = Race(tmp_path)
    for _ in range(2):
        race.start(engine("plain_engine"))
    killed = race.start(engine("plain_engine"))
    race.go()
    race.wait(lambda: race.version > 20, SECONDS * 4)
    killed.send_signal(signal.SIGKILL)
    race.wait(lambda: False, SECONDS)
    race.end()

    history = assert_explained(race)

    made = Counter(one.operation.kind for one in history.asked if one.outcome == MADE)
    assert set(made) == {"append", "update", "delete", "merge", "optimize", "overwrite"}
    # The one that was killed may have been in the middle of a statement.
    assert sum(one.outcome == UNKNOWN for one in history.asked) <= 1
    assert len(history.reads) > 20


@pytest.mark.rest
@pytest.mark.skipif(not IS_LONG, reason="PUREDELTA_ENDURANCE=long asks for it")
@pytest.mark.timeout(5400)
def test_four_processes_of_three_engines(tmp_path):
    oracle = find_oracle()
    if oracle is None:
        pytest.skip("no oracle.py found (set PUREDELTA_ORACLE)")
    race = Race(tmp_path)
    theirs = oracle_environment(tmp_path)
    # Those without Spark are fast: each has its share, so that Spark makes as many.
    race.start(engine("plain_engine"), COMMITS // 4)
    race.start(engine("spark_engine"), COMMITS // 4)
    race.start(engine("deltalake_engine"), COMMITS // 4)
    race.start(engine("spark_engine", str(oracle), "exec"), COMMITS // 4, **theirs)
    race.go()
    race.wait(race.is_over, 5000)
    race.end()

    history = assert_explained(race)

    # What changes nothing need not be committed.
    assert len(history.tokens) >= 0.9 * COMMITS
    assert {one.operation.token[0] for one in history.asked if one.outcome == MADE} == set("0123")
