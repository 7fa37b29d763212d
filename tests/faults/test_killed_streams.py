"""A stream is killed again and again: each batch is in the table exactly once in the end."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from tests.parts import rest

SCRIPT = Path(__file__).parent / "stream_runner.py"
FILES, ROWS = 24, 5
# `PUREDELTA_KILLS=50` stops the stream more often.
KILLS = int(os.environ.get("PUREDELTA_KILLS", "3"))


def make_files(folder):
    """Write files whose rows are: a key of its own, and `at`, which grows."""
    folder.mkdir()
    for number in range(FILES):
        rows = [{"id": number * ROWS + place, "at": number} for place in range(ROWS)]
        # A row that changes with each file, and comes late in every other one.
        rows.append({"id": -1, "at": number if number % 2 else -number})
        file = folder / f"{number:05}.json"
        file.write_text("\n".join(map(json.dumps, rows)))
        os.utime(file, (1_700_000_000 + number,) * 2)


def run(*arguments, seconds=None):
    """Stream until all is done, or kill the process some seconds after it began."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "began\n"
        killer = threading.Timer(seconds or 0, lambda: os.killpg(process.pid, signal.SIGKILL))
        if seconds is not None:
            killer.start()
        is_done = process.stdout.readline() == "done\n"
        killer.cancel()
        return is_done


@pytest.mark.parametrize("kind", [rest("append"), rest("upsert")])
def test_each_batch_is_there_once(spark, tmp_path, kind):
    path, files = str(tmp_path / "t"), tmp_path / "in"
    make_files(files)
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")
    chance = random.Random(7)
    arguments = (kind, str(files), path, str(tmp_path / "checkpoint"))

    for _ in range(KILLS):
        if run(*arguments, seconds=chance.uniform(0.3, 4)):
            break
    assert run(*arguments)

    found = spark.read.format("delta").load(path).orderBy("id", "at").collect()
    once = [(number, number // ROWS) for number in range(FILES * ROWS)]
    repeated = [(-1, number if number % 2 else -number) for number in range(FILES)]
    expected = sorted(once + (repeated if kind == "append" else [max(repeated)]))
    assert [tuple(row) for row in found] == expected
    batches = [
        json.loads(line)["txn"]["version"]
        for commit in sorted(Path(path, "_delta_log").glob("*.json"))
        for line in commit.read_text().splitlines()
        if "txn" in json.loads(line)
    ]
    assert batches == list(range(FILES))
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
