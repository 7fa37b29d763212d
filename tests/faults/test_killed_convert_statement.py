"""CONVERT TO DELTA as a statement, killed and overtaken: folders are Parquet, or whole tables."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.commands.convert.run import SessionConversion
from puredelta.engine.exceptions import ConcurrentWriteException
from puredelta.log.names import commit_name
from puredelta.table.check import Severity, check_table
from tests.faults.converter import FILES, ROWS, command, make_folder
from tests.faults.spark_converter import FILES as MANY
from tests.faults.spark_converter import FOLDERS
from tests.faults.spark_converter import ROWS as FEW
from tests.parts import rest

SCRIPT = Path(__file__).parent / "spark_converter.py"


def convert(spark, path):
    spark.sql(f"CONVERT TO DELTA parquet.`{path}` PARTITIONED BY (p INT)")


def killed_after(path, seconds):
    """Let a process convert, kill it and its JVM some seconds later; count what it has done."""
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
        return sum(line.startswith("done") for line in process.stdout)


@pytest.mark.parametrize("seconds", [rest(0.4), 1.7])
def test_folders_of_a_killed_process_are_parquet_or_tables(spark, tmp_path, seconds):
    done = killed_after(str(tmp_path), seconds)

    tables = [(tmp_path / str(one) / commit_name(0)).exists() for one in range(FOLDERS)]
    assert tables in ([one < count for one in range(FOLDERS)] for count in (done, done + 1))
    for number in range(FOLDERS):
        path = str(tmp_path / str(number))
        if not tables[number]:
            assert spark.read.parquet(path).count() == MANY * FEW
        convert(spark, path)
        found = spark.read.format("delta").load(path)
        assert (found.count(), found.select("id").distinct().count()) == (MANY * FEW,) * 2
        report = check_table(path)
        assert [one for one in report.findings if one.severity is not Severity.INFO] == []


def test_folder_with_the_leftovers_of_a_kill_is_parquet_and_converts(spark, tmp_path):
    make_folder(tmp_path)
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / "_delta_log" / f".{0:020}.json.1f.tmp").write_text('{"commitInfo":{"oper')
    (tmp_path / ".puredelta-1f").touch()

    assert spark.read.parquet(str(tmp_path)).count() == FILES * ROWS
    convert(spark, tmp_path)

    assert spark.read.format("delta").load(str(tmp_path)).count() == FILES * ROWS


def test_statement_that_is_overtaken_is_told_as_spark_tells_it(spark, tmp_path, monkeypatch):
    make_folder(tmp_path)
    hurried = SessionConversion.create_delta_actions

    def overtaken(self, table):
        yield from hurried(self, table)
        monkeypatch.undo()
        assert command(tmp_path).run().version == 0

    monkeypatch.setattr(SessionConversion, "create_delta_actions", overtaken)

    with pytest.raises(ConcurrentWriteException, match="CONVERT") as raised:
        convert(spark, tmp_path)

    assert raised.value.getCondition() == "DELTA_CONCURRENT_WRITE"
    assert spark.read.format("delta").load(str(tmp_path)).count() == FILES * ROWS
