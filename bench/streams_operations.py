"""Streams, timed by the progress that Spark reports of each batch.

Run by `bench/streams.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BATCHES = 20
FILES_OF_BATCH = 10
BACKLOG_FILES = 100_000
COMMITS = 1_000

BATCH = "a batch of 10 small files, table to table"
BACKLOG = "first batch of a backlog of 100,000 files, planned"
CATCH_UP = "catch-up of 1,000 commits, 50 files a batch"
IDLE = "an idle trigger, after 1,000 commits"


def main(spark: Any) -> None:
    """Run all operations of one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    # One progress report for each trigger that finds nothing, and the next trigger at once.
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "0")
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "1000")
    taken: dict[str, list[float]] = {}
    try:
        for steps in (small_batches, backlog, catch_up):
            for operation, value in steps(spark, folder):
                taken.setdefault(operation, []).append(value)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(taken), flush=True)


def small_batches(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time each batch of ten files of ten rows each, after the first five."""
    source = folder / "batches"
    files = BATCHES * FILES_OF_BATCH
    spark.range(files * 10).repartition(files).write.format("delta").save(str(source))
    query = _copied_by_stream(spark, source, folder / "batches-copy", FILES_OF_BATCH)
    for progress in [found for found in query.recentProgress if found["numInputRows"]][5:]:
        yield BATCH, progress["durationMs"]["triggerExecution"] / 1000


def backlog(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time what the first batch of a large table costs before its files are read."""
    source = folder / "backlog"
    spark.range(10).coalesce(1).write.format("delta").save(str(source))
    _multiply_files(source, BACKLOG_FILES)
    for repeat in range(3):
        reader = spark.readStream.format("delta").option("maxFilesPerTrigger", 10)
        query = _started(reader.load(str(source)), folder / f"backlog-copy-{repeat}")
        _wait_for_rows(query)
        query.stop()
        durations = query.recentProgress[0]["durationMs"]
        yield BACKLOG, sum(durations[step] for step in ("latestOffset", "getBatch")) / 1000


def catch_up(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time a stream that starts at version 0 of 1,000 commits of a file each."""
    source = folder / "commits"
    spark.range(10).coalesce(1).write.format("delta").save(str(source))
    _multiply_commits(source, COMMITS)
    for repeat in range(3):
        begin = time.perf_counter()
        _copied_by_stream(spark, source, folder / f"commits-copy-{repeat}", 50, startingVersion=0)
        yield CATCH_UP, time.perf_counter() - begin
    yield IDLE, _idle_trigger(spark, source, folder / "idle")


def _idle_trigger(spark: Any, source: Path, target: Path) -> float:
    """Return the mean seconds of a trigger that finds no new commit, over some thousands."""
    reader = spark.readStream.format("delta").option("startingVersion", "latest")
    query = _started(reader.load(str(source)), target)
    time.sleep(20)
    query.stop()
    # Spark reports whole milliseconds, of which an idle trigger takes few.
    taken = [found["durationMs"]["latestOffset"] for found in query.recentProgress]
    return sum(taken[len(taken) // 2 :]) / 1000 / max(1, len(taken) // 2)


def _copied_by_stream(spark: Any, source: Path, target: Path, files: int, **options: int) -> Any:
    reader = spark.readStream.format("delta").option("maxFilesPerTrigger", files)
    rows = reader.options(**options).load(str(source))
    writer = rows.writeStream.format("delta").trigger(availableNow=True)
    query = writer.option("checkpointLocation", f"{target}-checkpoint").start(str(target))
    query.awaitTermination()
    return query


def _started(rows: Any, target: Path) -> Any:
    writer = rows.writeStream.format("delta").trigger(processingTime="0 seconds")
    return writer.option("checkpointLocation", f"{target}-checkpoint").start(str(target))


def _multiply_files(table: Path, files: int) -> None:
    """Commit copies of the table's one file, as the version after its first."""
    add = _first_add(table)
    with (table / "_delta_log" / f"{1:020}.json").open("w") as commit:
        for index in range(files):
            commit.write(json.dumps({"add": _copied(table, add, index)}) + "\n")


def _multiply_commits(table: Path, commits: int) -> None:
    """Commit a copy of the table's one file in each of many versions."""
    add = _first_add(table)
    for version in range(1, commits):
        copied = _copied(table, add, version)
        (table / "_delta_log" / f"{version:020}.json").write_text(
            json.dumps({"add": copied}) + "\n", encoding="utf-8"
        )


def _first_add(table: Path) -> dict[str, Any]:
    lines = (table / "_delta_log" / f"{0:020}.json").read_text(encoding="utf-8").splitlines()
    return next(action["add"] for action in map(json.loads, lines) if "add" in action)


def _copied(table: Path, add: dict[str, Any], index: int) -> dict[str, Any]:
    name = f"part-{index:06}.parquet"
    shutil.copyfile(table / add["path"], table / name)
    return {**add, "path": name}


def _wait_for_rows(query: Any) -> None:
    while not any(found["numInputRows"] for found in query.recentProgress):
        time.sleep(0.05)


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
