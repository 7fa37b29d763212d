"""Spark itself on a server that speaks S3: data through Hadoop's client, the log through ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import puredelta.log
from puredelta.cli.main import main
from tests.stores.minio import options

pytestmark = pytest.mark.minio

PROGRAM = "tests.stores.spark_on_s3"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def seen(minio, s3a_jars):
    jars = ",".join(map(str, s3a_jars))
    done = subprocess.run(
        [sys.executable, "-m", PROGRAM, str(minio.port), jars],
        cwd=ROOT,
        env={**os.environ, "TZ": "UTC"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_frames_and_statements_write_and_read(seen):
    assert (seen["rows"], seen["first version"], seen["history"]) == (20_006, 5, 3)


def test_one_set_of_options_opens_data_and_log(seen):
    assert seen["the session's"] == seen["without Spark"] == 2


def test_options_of_one_table_open_its_data_and_log(seen):
    assert (seen["by its own options"], seen["written by its own"]) == (20_006, 20_009)


def test_statements_of_maintenance_run(seen):
    assert seen["maintained"] == {
        "optimized": [4, 1],
        "deleted": 30,
        "restored": [1, 40],
        "would go": True,
        "left": 0,
        "rows": 40,
        "rows of the clone": 41,
    }


def test_table_that_spark_wrote_is_read_without_spark(seen, minio):
    table = puredelta.log.open_table(seen["place"], storage_options=options(minio.port))

    assert sum(table.files()["num_records"].to_pylist()) == 20_009


def test_command_line_takes_the_options(seen, minio):
    given = [part for pair in options(minio.port).items() for part in ("-o", "=".join(pair))]

    told = CliRunner().invoke(main, ["history", seen["place"], "--json", *given])

    assert told.exit_code == 0, told.output
    assert [row["version"] for row in json.loads(told.stdout)] == [3, 2, 1, 0]
