"""Processes that append to one table that numbers its rows: no number twice, no row lost."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta import DeltaTable
from puredelta.commands.table_ref import TableRef
from puredelta.table.check import Severity, check_table
from puredelta.table.expressions.identity_columns import identity_columns
from puredelta.tables import IdentityGenerator
from tests.faults.identity_writer import ROWS
from tests.parts import rest

SCRIPT = Path(__file__).parent / "identity_writer.py"
WRITES = 20


@pytest.fixture
def path(spark, tmp_path) -> str:
    place = str(tmp_path / "t")
    made = DeltaTable.create(spark).location(place)
    made = made.addColumn("id", "BIGINT", generatedAlwaysAs=IdentityGenerator(start=5, step=3))
    made.addColumn("v", "BIGINT").execute()
    return place


def started(path, writer, times):
    """Start a process, and wait until it could write."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), path, str(writer), str(times)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def rows(spark, path):
    return spark.read.format("delta").load(path).collect()


def check_numbers(path, found):
    """No number twice, none that is not the column's, none behind the mark."""
    given = [row.id for row in found]
    assert len(set(given)) == len(given)
    assert all(one >= 5 and (one - 5) % 3 == 0 for one in given)
    [column] = identity_columns(TableRef(root="file:" + path).log().latest().schema)
    assert column.mark >= max(given)
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []


def test_two_processes_give_each_number_once(spark, path):
    processes = [started(path, writer, WRITES) for writer in (1, 2)]

    for process in processes:
        go(process)
    for process in processes:
        with process:
            assert len(process.stdout.readlines()) == WRITES
        assert process.returncode == 0

    found = rows(spark, path)
    wanted = [(writer * 1000 + number) * ROWS for writer in (1, 2) for number in range(WRITES)]
    assert sorted(row.v for row in found) == [
        one for first in wanted for one in range(first, first + ROWS)
    ]
    check_numbers(path, found)


@pytest.mark.parametrize("seconds", [rest(0.3), 1.1])
def test_killed_process_leaves_no_number_to_be_given_twice(spark, path, seconds):
    process = started(path, 1, 1000)
    go(process)
    with process:
        assert process.stdout.readline() == "done 1\n"
        time.sleep(seconds)
        for number in range(3):
            one = spark.range(-ROWS * (number + 1), -ROWS * number, 1, 2).toDF("v")
            one.write.format("delta").mode("append").save(path)
        os.killpg(process.pid, signal.SIGKILL)
        done = 1 + len(process.stdout.readlines())
    spark.range(-1000, -990).toDF("v").write.format("delta").mode("append").save(path)

    found = rows(spark, path)
    ours = 3 * ROWS + 10
    assert len(found) in (done * ROWS + ours, (done + 1) * ROWS + ours)
    check_numbers(path, found)
