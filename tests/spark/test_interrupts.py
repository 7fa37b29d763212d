"""Statements that the user interrupts cancel their jobs, commit nothing and leave no file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("interrupted_process.py")


@pytest.mark.timeout(240)
def test_interrupted_statements_leave_nothing_and_the_session_goes_on(tmp_path):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == 11
    for name, moment, became in outcomes:
        assert became == {
            "outcome": became["outcome"] if moment == "committed" else "interrupted",
            "committed": int(moment == "committed"),
            "orphans": [],
            "jobs": [],
            "rows": True,
        }, (name, moment)
        if moment == "committed":
            assert became["outcome"] == "ended" or "version 2 of" in became["outcome"]
    assert "Traceback" not in done.stderr, done.stderr
