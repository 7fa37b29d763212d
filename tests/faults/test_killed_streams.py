"""A stream is killed again and again: each batch is in the table exactly once in the end."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from puredelta.table.check import Severity, check_table
from tests.parts import rest

SCRIPT = Path(__file__).parent / "stream_runner.py"
# `PUREDELTA_KILLS=17` stops each of the six streams that often: a hundred kills in all.
KILLS = int(os.environ.get("PUREDELTA_KILLS", "3"))
# Enough batches that a stream is not done before its last kill.
FILES, ROWS = max(24, 4 * KILLS), 5


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


def run(*arguments, kill=None):
    """Stream until all is done, or until `kill`, beside it, has waited and the process is killed.

    Returns:
        Whether all was done.
    """
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "began\n"
        if kill is not None:
            kill()
            os.killpg(process.pid, signal.SIGKILL)
        return process.stdout.readline() == "done\n"


def make_table(spark, path):
    """Create a table of one file a version, each with one row more than the one before."""
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")
    for number in range(FILES):
        rows = spark.range(number + 1).selectExpr(f"{number} * 10000 + id AS id", f"{number} AS at")
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


def changes_of(path):
    """Return the rows that each merge of a table has inserted and updated."""
    names = ("numTargetRowsInserted", "numTargetRowsUpdated")
    infos = [
        json.loads(line)["commitInfo"]
        for commit in sorted(Path(path, "_delta_log").glob("*.json"))
        for line in commit.read_text().splitlines()
        if line.startswith('{"commitInfo"')
    ]
    metrics = [info["operationMetrics"] for info in infos if info["operation"] == "MERGE"]
    return [tuple(int(one[name]) for name in names) for one in metrics]


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


def files_of_batches(checkpoint):
    """Return the numbers of the files that each batch has by the log of offsets.

    A batch has two where the process was killed between Spark's logs of files and of offsets.
    """
    logs = sorted(Path(checkpoint, "offsets").glob("[0-9]*"), key=lambda log: int(log.name))
    ends = [json.loads(log.read_text().splitlines()[-1])["logOffset"] + 1 for log in logs]
    return [range(start, end) for start, end in zip([0, *ends], ends, strict=False)]


def is_sound(path):
    report = check_table(path)
    return [one for one in report.findings if one.severity is not Severity.INFO] == []


def batches_noted(checkpoint, log):
    """Count the batches that a log of a checkpoint holds."""
    folder = Path(checkpoint, log)
    return sum(file.name.isdigit() for file in folder.iterdir()) if folder.exists() else 0


def moment(chance, checkpoint):
    """Return what waits for a random moment: some batches from now, somewhere within the next."""
    after = batches_noted(checkpoint, "offsets") + chance.randrange(4)
    seconds, limit = chance.uniform(0, 1), time.monotonic() + 30

    def wait():
        while batches_noted(checkpoint, "offsets") < min(after, FILES) and time.monotonic() < limit:
            time.sleep(0.01)
        time.sleep(seconds)

    return wait


def kill_and_finish(*arguments, seed):
    """Kill the stream at random moments, let it finish, and print how often it was killed."""
    chance = random.Random(seed)
    kind, trigger, *_, checkpoint = arguments
    within = 0
    for kills in range(1, KILLS + 1):
        # A stream that is done too soon has not been tried as often as was asked for.
        assert not run(*arguments, kill=moment(chance, checkpoint))
        planned, done = (batches_noted(checkpoint, log) for log in ("offsets", "commits"))
        within += planned > done
        print(f"{trigger}, {kind}: kill {kills}, {within} within a batch, {done} done", flush=True)
    assert run(*arguments)


@pytest.mark.timeout(180 + 30 * KILLS)
@pytest.mark.parametrize("trigger", ["AvailableNow", rest("ProcessingTime")])
@pytest.mark.parametrize("kind", ["append", rest("upsert")])
def test_each_batch_is_there_once(spark, tmp_path, kind, trigger):
    path, files = str(tmp_path / "t"), tmp_path / "in"
    make_files(files)
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, at INT) USING delta")

    kill_and_finish(kind, trigger, str(files), path, str(tmp_path / "checkpoint"), seed=7)

    found = spark.read.format("delta").load(path).orderBy("id", "at").collect()
    once = [(number, number // ROWS) for number in range(FILES * ROWS)]
    repeated = [(-1, number if number % 2 else -number) for number in range(FILES)]
    expected = sorted(once + (repeated if kind == "append" else [max(repeated)]))
    assert [tuple(row) for row in found] == expected
    batches = files_of_batches(tmp_path / "checkpoint")
    assert sum(map(len, batches)) == FILES
    commits = [commit for commit in commits_of(path) if commit[0] is not None]
    assert [number for number, _ in commits] == list(range(len(batches)))
    if kind == "append":
        assert [rows for _, rows in commits] == [(ROWS + 1) * len(batch) for batch in batches]
    else:
        # The repeated row is new in the first batch, and late in the files with even numbers.
        first, *later = batches
        changed = [(ROWS * len(files), int(any(n % 2 for n in files))) for files in later]
        assert changes_of(path) == [(ROWS * len(first) + 1, 0), *changed]
    assert is_sound(path)


@pytest.mark.timeout(180 + 30 * KILLS)
@pytest.mark.parametrize("trigger", [rest("AvailableNow"), rest("ProcessingTime")])
def test_each_version_of_a_source_is_read_once(spark, tmp_path, trigger):
    source, path = str(tmp_path / "s"), str(tmp_path / "t")
    checkpoint = tmp_path / "checkpoint"
    make_table(spark, source)

    kill_and_finish("relay", trigger, source, path, str(checkpoint), seed=11)

    read, written = (
        spark.read.format("delta").load(table).orderBy("id").collect() for table in (source, path)
    )
    assert read == written
    batches = rows_of_batches(checkpoint, commits_of(source))
    assert batches == [number + 1 for number in range(FILES)]
    commits = [commit for commit in commits_of(path) if commit[0] is not None]
    assert commits == list(enumerate(batches))
    assert is_sound(path)
