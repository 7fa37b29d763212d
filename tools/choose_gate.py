"""Choose which tests on Spark the gate takes: those that run the most lines in the least time.

    pytest -n 2 tests/spark tests/parity --junitxml=TIMES --cov=puredelta --cov-context=test
    choose_gate.py .coverage TIMES --seconds 900

Every line of the package that some test runs is run by one test of the gate, then by two, and so
on, as long as there is time. Tests stay that are named for a planted fault, that take no time worth
saving, or that work in processes of their own, where lines are not seen. The others go into
tests/rest.txt, and a test that is new is in the gate until this runs again.

With `pytest --part gate` in place of the first command, only tests of the gate are chosen from, and
those in tests/rest.txt stay there.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from coverage import CoverageData
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.parts import CHOSEN_FOR_REST  # noqa: E402  # the root is not on the path before
from tools.planted_faults import read_faults  # noqa: E402  # likewise
from tools.test_times import read  # noqa: E402  # likewise

CANDIDATES = ("tests/spark/", "tests/parity/")
# Seconds that are not worth saving.
SHORT = 0.1
# A test that runs fewer lines works elsewhere.
FEW_LINES = 20


def lines_by_test(file: Path, tests: list[str]) -> NDArray[np.float32]:
    """Return a matrix of tests and lines: 1 where the test runs the line."""
    data = CoverageData(str(file))
    data.read()
    numbers = {name: number for number, name in enumerate(tests)}
    columns = []
    for measured in sorted(data.measured_files()):
        for contexts in data.contexts_by_lineno(measured).values():
            names = {context.rpartition("|")[0] for context in contexts}
            rows = [numbers[name] for name in names if name in numbers]
            if rows:
                column = np.zeros(len(tests), np.float32)
                column[rows] = 1
                columns.append(column)
    return np.stack(columns, axis=1)


def named_for_faults(tests: list[str]) -> set[int]:
    """Return the tests that a planted fault names, by itself or by its file."""
    named = {f"tests/{name}" for fault in read_faults() for name in fault.tests}
    return {
        number
        for number, test in enumerate(tests)
        if test in named or test.partition("::")[0] in named or test.partition("[")[0] in named
    }


def choose(
    lines: NDArray[np.float32], costs: NDArray[np.float32], kept: set[int], seconds: float
) -> set[int]:
    """Return the tests of the gate, as row numbers.

    Args:
        lines: which test runs which line, as `lines_by_test` returns it.
        costs: how many seconds each test takes.
        kept: tests that are in the gate anyway.
        seconds: how many all of them may take.
    """
    gate = set(kept)
    spent = float(costs[sorted(gate)].sum())
    times_run = lines[sorted(gate)].sum(axis=0)
    wanted = 1
    while spent < seconds and len(gate) < len(costs):
        missing = (times_run < wanted).astype(np.float32)
        worth = (lines @ missing) / costs
        worth[sorted(gate)] = 0
        best = int(worth.argmax())
        if worth[best] == 0:
            wanted += 1
            continue
        gate.add(best)
        spent += float(costs[best])
        times_run += lines[best]
    print(f"{len(gate):,} of {len(costs):,} tests in {spent:,.0f} s; each line {wanted} times")
    return gate


def main() -> None:
    """Write which tests are in the rest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("coverage", type=Path)
    parser.add_argument("times", type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    arguments = parser.parse_args()
    timed = {t.nodeid: t.seconds for t in read(arguments.times) if t.nodeid.startswith(CANDIDATES)}
    tests = sorted(timed)
    costs = np.array([max(timed[test], 0.02) for test in tests], np.float32)
    lines = lines_by_test(arguments.coverage, tests)
    unseen = set(np.flatnonzero(lines.sum(axis=1) < FEW_LINES).tolist())
    short = set(np.flatnonzero(costs < SHORT).tolist())
    gate = choose(lines, costs, named_for_faults(tests) | unseen | short, arguments.seconds)
    unmeasured = set(CHOSEN_FOR_REST.read_text("utf-8").splitlines()) - set(tests)
    rest = {test for number, test in enumerate(tests) if number not in gate} | unmeasured
    CHOSEN_FOR_REST.write_text("".join(f"{test}\n" for test in sorted(rest)), "utf-8")


if __name__ == "__main__":
    main()
