"""A MERGE killed at any moment: the table reads, no row is lost or doubled, and it can run again.

What SIGKILL leaves on disk at a moment is what is there while a process is stopped: so a process is
stopped in the middle of one MERGE after the other, each time its table is copied, and at last it is
killed. `PUREDELTA_KILLS=50` says how many such tables are tried.
"""

import os
import random
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from tests.faults.spark_merger import create, state_after, statement

SCRIPT = Path(__file__).parent / "spark_merger.py"
KILLS = int(os.environ.get("PUREDELTA_KILLS", "4"))
OF_ONE_PROCESS = 25
# Seconds between two moments, at most.
APART = 1.5
# How often the next moment is in the next MERGE, not further on in the same.
NEXT = 0.4
STARTS = range(-(-KILLS // OF_ONE_PROCESS))


def begun(process):
    """Wait for the next MERGE to begin, and return its number."""
    word, number = process.stdout.readline().split()
    assert word == b"begun"
    return int(number)


def running(process, number):
    """Return the number of the MERGE in which a process was stopped, the last one it told of."""
    with selectors.DefaultSelector() as told:
        told.register(process.stdout, selectors.EVENT_READ)
        while told.select(timeout=0):
            number = begun(process)
    return number


def cut_short(path, copies, count, chance):
    """Let a process merge, keep its table as it is at moments in the middle, and at last kill it.

    Returns:
        The tables, each with the number of the MERGE that was running.
    """
    found = []
    command = [sys.executable, str(SCRIPT), path]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
    ) as process:
        try:
            # The first one takes long, as all that is first does.
            while (number := begun(process)) == 1:
                pass
            while True:
                time.sleep(chance.uniform(0, APART))
                # Python and its JVM are one group.
                os.killpg(process.pid, signal.SIGSTOP)
                number = running(process, number)
                if len(found) == count - 1:
                    break
                copy = str(copies / str(len(found)))
                shutil.copytree(path, copy)
                found.append((copy, number))
                os.killpg(process.pid, signal.SIGCONT)
                if chance.random() < NEXT:
                    number = begun(process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    return [*found, (path, number)]


def rows(spark, path):
    found = spark.read.format("delta").load(path).collect()
    assert len({row.id for row in found}) == len(found)
    return {row.id: row.v for row in found}


def is_sound(path):
    report = check_table(path)
    return [one for one in report.findings if one.severity is not Severity.INFO] == []


@pytest.mark.timeout(60 + 60 * min(KILLS, OF_ONE_PROCESS))
@pytest.mark.parametrize("start", STARTS)
def test_a_merge_happens_as_a_whole_or_not_at_all(spark, tmp_path, start):
    path = str(tmp_path / "t")
    create(spark, path, vectors=start % 2 == 0)
    count = min(OF_ONE_PROCESS, KILLS - start * OF_ONE_PROCESS)

    tables = cut_short(path, tmp_path, count, random.Random(start))

    done = 0
    for table, number in tables:
        found = rows(spark, table)
        assert found in [state_after(number - 1), state_after(number)], (table, number)
        done += found == state_after(number)
        assert is_sound(table)
        spark.sql(statement(table, number))
        assert rows(spark, table) == state_after(number)
        assert is_sound(table)
    print(f"{len(tables)} tables, in {done} of which the MERGE had been committed")
