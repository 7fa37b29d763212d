"""Tasks on executors fail once, are speculated on, or fail for good: each row is there once."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta.log import open_table
from puredelta.table.check import Severity, check_table
from tests.faults.cluster_writer import ROWS

SCRIPT = Path(__file__).parent / "cluster_writer.py"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What a process said of each table, by its name."""
    folder = tmp_path_factory.mktemp("cluster")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(told) == 4, done.stderr[-4000:]
    return {Path(one["path"]).name: one for one in told}


def named(path):
    """The files that the newest version names."""
    return open_table(path).files()["path"].to_pylist()


def rows(path):
    """The ids in the files that the newest version names."""
    tables = (pq.ParquetFile(Path(path) / name).read(["id"]) for name in named(path))
    return sorted(value for table in tables for value in table["id"].to_pylist())


def on_disk(path):
    return {str(file.relative_to(path)) for file in Path(path).rglob("part-*.parquet")}


@pytest.mark.parametrize("name", ["retried", "retried_in_partitions", "speculated"])
def test_each_row_is_written_once(outcomes, name):
    told = outcomes[name]

    assert told["outcome"] == "done"
    assert rows(told["path"]) == list(range(ROWS))
    assert len(named(told["path"])) == len(set(named(told["path"])))
    assert set(named(told["path"])) <= on_disk(told["path"])


@pytest.mark.parametrize("name", ["retried", "retried_in_partitions"])
def test_a_failed_attempt_leaves_no_file(outcomes, name):
    path = outcomes[name]["path"]

    assert on_disk(path) == set(named(path))


def test_a_copy_of_a_slow_task_finishes_the_write(outcomes):
    assert outcomes["speculated"]["seconds"] < 20


def test_a_failed_job_makes_no_version_and_leaves_only_orphans(outcomes):
    told = outcomes["failed"]

    assert told["outcome"] != "done"
    assert open_table(told["path"]).version == 0
    assert rows(told["path"]) == [ROWS]


def test_tables_are_sound(outcomes):
    for told in outcomes.values():
        report = check_table(told["path"])
        assert [one for one in report.findings if one.severity is not Severity.INFO] == []
