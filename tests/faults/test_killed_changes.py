"""Processes that change rows, killed in the middle or two at once: no row is lost or doubled."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from tests.faults.spark_changer import create, keys_after, state_after
from tests.parts import rest

SCRIPT = Path(__file__).parent / "spark_changer.py"


def started(path, *asked):
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), path, *map(str, asked)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def killed_after(path, seconds):
    """Let a process change rows, kill it some seconds after its first change; count the changes."""
    with started(path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done 1\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        return 1 + len(process.stdout.readlines())


def rows(spark, path):
    found = spark.read.format("delta").load(path).collect()
    assert len({row.id for row in found}) == len(found)
    return {row.id: row.v for row in found}


def is_sound(path):
    report = check_table(path)
    return [one for one in report.findings if one.severity is not Severity.INFO] == []


@pytest.mark.parametrize(("seconds", "vectors"), [rest(0.3, True), (2.1, False), (5.2, True)])
def test_the_table_holds_whole_changes_only(spark, tmp_path, seconds, vectors):
    path = str(tmp_path / "t")
    create(spark, path, vectors=vectors)

    done = killed_after(path, seconds)

    assert rows(spark, path) in [state_after(done), state_after(done + 1)]
    assert is_sound(path)
    spark.sql(f"UPDATE delta.`{path}` SET v = -1 WHERE id = 7")
    assert rows(spark, path)[7] == -1


@pytest.mark.timeout(600)
def test_two_processes_change_rows_of_one_file(spark, tmp_path):
    path = str(tmp_path / "t")
    create(spark, path, rows=6, vectors=True)

    with started(path, 3, 0, 2) as one, started(path, 3, 3, 5) as other:
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [process.stdout.readlines() for process in (one, other)]

    assert told == [["done\n"], ["done\n"]]
    assert rows(spark, path) == {1: 0, 4: 0, **keys_after([0, 2], 3), **keys_after([3, 5], 3)}
    assert is_sound(path)
