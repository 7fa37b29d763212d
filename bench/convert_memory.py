"""What a conversion takes of memory and time as its files become more, without Spark.

python bench/convert_memory.py [FILES ...]      by default 1,000, 10,000 and 100,000

Each conversion runs in a process of its own, over hard links of a hundred real Parquet files; its
highest memory is what the system says of it at the end. A million files take minutes.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ConvertTarget

SIZES = (1_000, 10_000, 100_000)
SOURCES, PARTITIONS = 100, 1_000
ROWS = 20


def write_sources(folder: Path) -> list[Path]:
    """Write files whose columns have statistics of several types."""
    sources = []
    for number in range(SOURCES):
        rows = range(number * ROWS, (number + 1) * ROWS)
        columns = {f"whole_{at}": pa.array([row * at for row in rows]) for at in range(4)}
        columns |= {f"part_{at}": pa.array([row / (at + 1) for row in rows]) for at in range(4)}
        columns |= {f"text_{at}": pa.array([f"text {row}" for row in rows]) for at in range(4)}
        sources.append(folder / f"{number}.parquet")
        pq.write_table(pa.table(columns), sources[-1])
    return sources


def link_files(folder: Path, sources: list[Path], files: int) -> None:
    """Make a folder of partitions whose files are those of others."""
    for partition in range(min(PARTITIONS, files)):
        (folder / f"p={partition}").mkdir(parents=True)
    for number in range(files):
        place = folder / f"p={number % PARTITIONS}" / f"part-{number:09}.parquet"
        os.link(sources[number % len(sources)], place)


def convert(folder: str) -> None:
    """Convert a folder, and print how many seconds and megabytes that took."""
    begun, before = time.perf_counter(), _peak()
    target = ConvertTarget(provider="parquet", location=folder, label=folder)
    done = ConvertToDeltaCommandBase(
        target=target, request=ConvertRequest(infer_partitions=True)
    ).run()
    print(f"{done.files} {time.perf_counter() - begun:.2f} {before:.0f} {_peak():.0f}")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(sizes: list[int]) -> None:
    """Convert ever more files, and print a row for each number of them."""
    print("| files | seconds | MB at the start | MB at most |")
    print("|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory(prefix="convert-memory-") as folder:
        sources = write_sources(Path(folder))
        for files in sizes:
            table = Path(folder, f"t{files}")
            link_files(table, sources, files)
            told = subprocess.run(
                [sys.executable, __file__, "--convert", str(table)],
                check=True,
                capture_output=True,
                text=True,
            )
            print("|", " | ".join(told.stdout.split()), "|", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--convert"]:
        convert(sys.argv[2])
    else:
        main([int(one) for one in sys.argv[1:]] or list(SIZES))
