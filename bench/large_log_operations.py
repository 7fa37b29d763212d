"""What is timed on a table of many files, the same text for each side; run by `large_log.py`.

Arguments: the format, the folder of the tables. Prints seconds of each repetition by operation.
"""

import json
import os
import sys
import time
from collections.abc import Callable
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


def many_files(spark: Any, folder: str) -> dict[str, list[float]]:
    """Ask a table of 100,000 files for one of its 10,000 partitions, and for all its files."""
    path = f"{folder}/many"

    def point() -> None:
        found = spark.read.format("delta").load(path).where("p = '00007'").count()
        assert found == 100, found

    spark.range(1).count()
    first = timed(point, 1)
    warm = timed(point, WARM_REPEATS)
    listing = timed(lambda: len(spark.read.format("delta").load(path)._jdf.inputFiles()), 3)  # noqa: SLF001
    in_python = timed(lambda: spark.read.format("delta").load(path).inputFiles(), 3)
    return {
        "first point query": first,
        "point query, warm": warm,
        "list all files": listing,
        "the same, as a list in Python": in_python,
    }


def scans(frame: Callable[[], Any]) -> list[float]:
    """Scan 8,000,000 rows with an aggregate."""

    def scan() -> None:
        frame().selectExpr("sum(i)", "max(v)", "sum(d)", "count(*)").collect()

    scan()
    return timed(scan, SCAN_REPEATS)


if __name__ == "__main__":
    session: Any = globals()["spark"]
    form, root = sys.argv[1], sys.argv[2]
    deleted = f"{root}/deleted"
    if form == "delta":
        result = many_files(session, root)
        load = lambda: session.read.format("delta").load(deleted)  # noqa: E731
    else:
        result = {}
        names = [f"{deleted}/{name}" for name in os.listdir(deleted) if name.endswith(".parquet")]  # noqa: PTH208
        load = lambda: session.read.parquet(*names)  # noqa: E731
    result["scan with deletion vectors"] = scans(load)
    print("RESULT", json.dumps(result))
