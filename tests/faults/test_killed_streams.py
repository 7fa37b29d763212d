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


def make_table(spark, path):
    """Create a table of one file a version, each with one row more than the one before."""
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")
    for number in range(FILES):
        rows = spark.range(number + 1).selectExpr(f"{number} * 100 + id AS id", f"{number} AS at")
        rows.coalesce(1).write.format("delta").mode("append").save(path)


def commits_of(path):
    """Return, for each version of a table, its transaction's number and the rows it adds."""
    found = []
    for commit in sorted(Path(path, "_delta_log").glob("*.json")):
        actions = [json.loads(line) for line in commit.read_text().splitlines()]
        numbers = [one["txn"]["version"] for one in actions if "txn" in one]
        added = [json.loads(one["add"]["stats"])["numRecords"] for one in actions if "add" in one]
        assert len(numbers) <= 1
        found.append((numbers[0] if numbers else None, sum(added)))
    return found


def rows_up_to(offset, source):
    """Count the rows of a table's one-file versions that an offset of a stream covers."""
    last = (offset["reservoirVersion"], offset["index"])
    return sum(rows for version, (_, rows) in enumerate(source) if (version, 0) <= last)


def rows_of_batches(checkpoint, source):
    """Return how many rows each batch has by the log of offsets."""
    ends = [
        json.loads((checkpoint / "offsets" / str(number)).read_text().splitlines()[-1])
        for number in range(FILES)
    ]
    totals = [rows_up_to(end, source) for end in ends]
    return [after - before for before, after in zip([0, *totals], totals, strict=False)]


def is_sound(path):
    report = check_table(path)
    return [one for one in report.findings if one.severity is not Severity.INFO] == []


def kill_and_finish(*arguments, seed):
    """Kill the stream at random moments, let it finish, and return how often it was killed."""
    chance = random.Random(seed)
    kills = 0
    while kills < KILLS and not run(*arguments, seconds=chance.uniform(0, 4)):
        kills += 1
    if kills == KILLS:
        assert run(*arguments)
    return kills


@pytest.mark.timeout(180 + 30 * KILLS)
@pytest.mark.parametrize("trigger", ["AvailableNow", "ProcessingTime"])
@pytest.mark.parametrize("kind", [rest("append"), rest("upsert")])
def test_each_batch_is_there_once(spark, tmp_path, kind, trigger):
    path, files = str(tmp_path / "t"), tmp_path / "in"
    make_files(files)
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")

    kills = kill_and_finish(kind, trigger, str(files), path, str(tmp_path / "checkpoint"), seed=7)

    found = spark.read.format("delta").load(path).orderBy("id", "at").collect()
    once = [(number, number // ROWS) for number in range(FILES * ROWS)]
    repeated = [(-1, number if number % 2 else -number) for number in range(FILES)]
    expected = sorted(once + (repeated if kind == "append" else [max(repeated)]))
    assert [tuple(row) for row in found] == expected
    commits = [commit for commit in commits_of(path) if commit[0] is not None]
    assert [number for number, _ in commits] == list(range(FILES))
    if kind == "append":
        assert [rows for _, rows in commits] == [ROWS + 1] * FILES
    assert is_sound(path)
    print(f"{trigger}, {kind}: {kills} kills")


@pytest.mark.timeout(180 + 30 * KILLS)
@pytest.mark.parametrize("trigger", [rest("AvailableNow"), rest("ProcessingTime")])
def test_each_version_of_a_source_is_read_once(spark, tmp_path, trigger):
    source, path = str(tmp_path / "s"), str(tmp_path / "t")
    checkpoint = tmp_path / "checkpoint"
    make_table(spark, source)

    kills = kill_and_finish("relay", trigger, source, path, str(checkpoint), seed=11)

    read, written = (
        spark.read.format("delta").load(table).orderBy("id").collect() for table in (source, path)
    )
    assert read == written
    batches = rows_of_batches(checkpoint, commits_of(source))
    assert batches == [number + 1 for number in range(FILES)]
    commits = [commit for commit in commits_of(path) if commit[0] is not None]
    assert commits == list(enumerate(batches))
    assert is_sound(path)
    print(f"{trigger}, relay: {kills} kills")
