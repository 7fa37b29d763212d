"""What is timed on a table of many files, the same text for each side; run by `large_log.py`.

Arguments: the format, the table of many files, the one with deletion vectors. Prints the seconds
of each repetition by operation.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WARM_REPEATS = 15
SCAN_REPEATS = 7


def timed(action: Callable[[], Any], repeats: int) -> list[float]:
    """Return the seconds of each repetition."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return seconds


def many_files(spark: Any, path: str) -> dict[str, list[float]]:
    """Ask a table of 100,000 files for one of its 10,000 partitions, and for all its files."""

    def point() -> None:
        found = spark.read.format("delta").load(path).where("p = '00007'").collect()
        assert len(found) == 100, len(found)

    def count() -> None:
        found = spark.read.format("delta").load(path).count()
        assert found == 1_000_000, found

    def skipping() -> None:
        found = spark.read.format("delta").load(path).where("id > 100").collect()
        assert not found, found

    spark.range(1).count()
    first = timed(point, 1)
    warm = timed(point, WARM_REPEATS)
    listing = timed(lambda: len(spark.read.format("delta").load(path)._jdf.inputFiles()), 3)  # noqa: SLF001
    in_python = timed(lambda: spark.read.format("delta").load(path).inputFiles(), 3)
    return {
        "first point query": first,
        "point query, warm": warm,
        "COUNT(*)": timed(count, WARM_REPEATS),
        "query that statistics leave no file": timed(skipping, WARM_REPEATS),
        "list all files": listing,
        "the same, as a list in Python": in_python,
        "point query after another commit": [
            timed(point, 1)[0] for _ in range(WARM_REPEATS) if commit_elsewhere(path)
        ],
        "checkpoint": timed(lambda: checkpoint(spark, path), 3),
    }


def commit_elsewhere(path: str) -> bool:
    """Add a version as another program would, with a file of another partition."""
    log = Path(path) / "_delta_log"
    version = max(int(file.stem) for file in log.glob("*.json")) + 1
    add = {
        "path": f"p=other/part-{version}.parquet",
        "partitionValues": {"p": "other"},
        "size": 1,
        "modificationTime": version,
        "dataChange": True,
        "stats": '{"numRecords":10,"minValues":{"id":0},"maxValues":{"id":9},"nullCount":{"id":0}}',
    }
    info = {"timestamp": 1_700_000_000_000 + version, "operation": "WRITE"}
    lines = [json.dumps({"commitInfo": info}), json.dumps({"add": add})]
    (log / f"{version:020}.json").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return True


def checkpoint(spark: Any, path: str) -> None:
    """Write a checkpoint by the function that each side has for it."""
    if find_spec("puredelta") is None:
        jvm = spark.sparkContext._jvm  # noqa: SLF001
        log = jvm.org.apache.spark.sql.delta.DeltaLog
        log.forTable(spark._jsparkSession, path).checkpoint()  # noqa: SLF001
        return
    opened = import_module("puredelta.log.table_log").open_log(path)
    after = import_module("puredelta.txn.post_commit")
    after.checkpoint_version(opened.latest(), int(time.time() * 1000), after.DEFAULT_SETTINGS)


def scans(frame: Callable[[], Any]) -> list[float]:
    """Scan 8,000,000 rows with an aggregate."""

    def scan() -> None:
        frame().selectExpr("sum(i)", "max(v)", "sum(d)", "count(*)").collect()

    scan()
    return timed(scan, SCAN_REPEATS)


if __name__ == "__main__":
    session: Any = globals()["spark"]
    form, many, deleted = sys.argv[1:4]
    if form == "delta":
        result = many_files(session, many)
        load = lambda: session.read.format("delta").load(deleted)  # noqa: E731
    else:
        result = {}
        names = [f"{deleted}/{name}" for name in os.listdir(deleted) if name.endswith(".parquet")]  # noqa: PTH208
        load = lambda: session.read.parquet(*names)  # noqa: E731
    result["scan with deletion vectors"] = scans(load)
    print("RESULT", json.dumps(result))
