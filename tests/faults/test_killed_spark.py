"""A Spark process is killed in the middle of `df.write`: the table reads, the next write works."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from tests.faults.spark_writer import state_after
from tests.parts import rest

SCRIPT = Path(__file__).parent / "spark_writer.py"


def killed_after(path, seconds):
    """Let a process write, kill it and its JVM some seconds after its first write; count writes."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), path],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done 1\n"
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        return 1 + len(process.stdout.readlines())


@pytest.mark.parametrize("seconds", [rest(0.2), 0.9, rest(3.1)])
def test_the_table_holds_whole_writes_only(spark, tmp_path, seconds):
    path = str(tmp_path / "t")

    done = killed_after(path, seconds)

    found = [row.id for row in spark.read.format("delta").load(path).orderBy("id").collect()]
    assert found in [sorted(state_after(done)), sorted(state_after(done + 1))]
    spark.range(-5, 0).selectExpr("id", "'next' AS s").write.format("delta").mode("append").save(
        path
    )
    assert spark.read.format("delta").load(path).count() == len(found) + 5
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
