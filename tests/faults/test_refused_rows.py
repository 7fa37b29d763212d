"""Rows that a rule refuses, in tasks on executors: the error reaches Python as what it is."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "refused_writer.py"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What a process said of each write, by its name."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path_factory.mktemp("refused") / "t")],
        capture_output=True,
        text=True,
        check=False,
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(told) == 4, done.stderr[-4000:]
    return {one["name"]: one for one in told}


@pytest.mark.parametrize(
    ("name", "condition", "parameters"),
    [
        (
            "check",
            "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
            {
                "constraintName": "c",
                "expression": "(d > '2020-01-01' OR id < 90)",
                "values": " - d : 2019-12-31\n - id : 99",
            },
        ),
        ("required", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", {"columnName": "n"}),
        (
            "length",
            "DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
            {"value": "abcd", "expr": "varchar(3) of the column v"},
        ),
    ],
)
def test_violation_on_an_executor_is_typed_and_leaves_nothing(
    outcomes, name, condition, parameters
):
    told = outcomes[name]

    assert told["error"] == "DeltaInvariantViolationException"
    assert told["condition"] == condition
    assert told["parameters"] == parameters
    assert (told["version"], told["rows"]) == (1, 0)


def test_rows_that_keep_all_rules_are_written(outcomes):
    assert outcomes["good"] == {"name": "good", "error": None, "version": 2, "rows": 100}
