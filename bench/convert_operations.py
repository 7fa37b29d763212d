"""CONVERT TO DELTA, timed: real Parquet files by hard links, anew for each repetition.

Run by `bench/convert.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PARTITIONS = 100
REPEATS = 3
WARM_UP = 20

STATISTICS = "{files:,} files"
NO_STATISTICS = "{files:,} files, NO STATISTICS"
INT96 = "{files:,} files, one column without bounds in footers (INT96)"


def linked(sources: Path, folder: Path, files: int) -> None:
    """Make a folder of partitions whose files are those of others."""
    shutil.rmtree(folder, ignore_errors=True)
    for partition in range(PARTITIONS):
        (folder / f"p={partition}").mkdir(parents=True)
    real = sorted(sources.iterdir())
    for number in range(files):
        place = folder / f"p={number % PARTITIONS}" / f"part-{number:06}.parquet"
        os.link(real[number % len(real)], place)


def seconds(action: Callable[[], Any]) -> float:
    """Return how long an action took."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main() -> None:
    """Time each operation, after some that warm up."""
    folder, files, repeats = Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    many = files > 10_000
    spark = globals()["spark"]

    def convert(sources: str, count: int, clause: str) -> float:
        table = folder / f"table-{sys.argv[1]}"
        linked(folder / sources, table, count)
        text = f"CONVERT TO DELTA parquet.`{table}` {clause} PARTITIONED BY (p INT)"
        taken = seconds(lambda: spark.sql(text))
        assert spark.sql(f"DESCRIBE DETAIL delta.`{table}`").first().numFiles == count
        shutil.rmtree(table)
        return taken

    forms = {STATISTICS: ("micros", ""), NO_STATISTICS: ("micros", "NO STATISTICS")}
    if not many:
        forms[INT96] = ("int96", "")
    for sources, clause in forms.values():
        convert(sources, WARM_UP, clause)
    found = {
        name.format(files=files): [convert(sources, files, clause) for _ in range(repeats)]
        for name, (sources, clause) in forms.items()
    }
    print("RESULT " + json.dumps(found))


if __name__ == "__main__":
    main()
