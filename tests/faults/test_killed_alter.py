"""A Spark process is killed in the middle of ALTER TABLE: the statement is done or never was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from puredelta.tables import DeltaTable
from tests.faults.spark_alterer import ROWS, STATEMENTS, state_after
from tests.parts import rest

SCRIPT = Path(__file__).parent / "spark_alterer.py"


def killed_after(path, seconds):
    """Let a process alter, kill it and its JVM some seconds later; count what it has done."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), path],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        return len(process.stdout.readlines())


def state_of(table):
    frame = table.toDF()
    properties = table.detail().first().properties
    prefix = "delta.constraints."
    names = [key.removeprefix(prefix) for key in properties if key.startswith(prefix)]
    return frame.columns[1], names


@pytest.mark.parametrize("seconds", [rest(0.3), 1.9])
def test_a_killed_statement_is_done_or_never_was(spark, tmp_path, seconds):
    path = str(tmp_path / "t")

    done = killed_after(path, seconds)

    table = DeltaTable.forPath(spark, path)
    found = state_of(table)
    assert found in [state_after(done), state_after(done + 1)]
    assert table.toDF().count() == ROWS
    assert table.toDF().where(f"`{found[0]}` IS NULL").isEmpty()
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
    done += found != state_after(done)
    for number in range(done, done + len(STATEMENTS)):
        spark.sql(STATEMENTS[number % len(STATEMENTS)].replace("{t}", f"delta.`{path}`"))
    assert state_of(table) == state_after(done)
    assert table.toDF().count() == ROWS
