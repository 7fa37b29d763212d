"""Sessions that start from kept classes, made by the command line as a user makes them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import puredelta
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = puredelta.configure(builder).getOrCreate()
spark.range(3).write.format("delta").save("t")
beans = spark._jvm.java.lang.management.ManagementFactory
print("rows", spark.read.format("delta").load("t").count())
print("given", [one for one in beans.getRuntimeMXBean().getInputArguments() if "Archive" in one])
"""


def run(command, folder, cache):
    environment = {**os.environ, "PUREDELTA_CACHE_DIR": str(cache)}
    # The tests' own archive is not the one of the user.
    environment.pop("SPARK_SUBMIT_OPTS", None)
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.rest
def test_sessions_start_from_kept_classes(tmp_path):
    cache, work = tmp_path / "cache", tmp_path / "work"
    cache.mkdir(mode=0o700)
    work.mkdir()

    made = run(["-m", "puredelta", "cache", "classes"], work, cache)
    (archive,) = cache.glob("classes-*")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(str(archive))
    assert list(work.iterdir()) == []

    started = run(["-c", PROGRAM], work, cache)
    assert "rows 3" in started.stdout, started.stderr
    assert f"given ['-XX:SharedArchiveFile={archive}']" in started.stdout


@pytest.mark.rest
def test_an_archive_that_does_not_fit_does_no_harm(tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    with_path = "from puredelta.engine.bridge.class_archive import _path; print(_path())"
    archive = run(["-c", with_path], tmp_path, cache).stdout.strip()
    Path(archive).write_bytes(b"no classes" * 1000)

    started = run(["-c", PROGRAM], tmp_path, cache)
    assert "rows 3" in started.stdout, started.stderr
    assert archive in started.stdout
