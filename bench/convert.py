"""CONVERT TO DELTA beside delta-spark: 2,000 files, and if asked 100,000.

python bench/convert.py           writes its part of RESULTS.md, as `run.py` does with all others
python bench/convert.py 100000    prints what so many files take, once on each side
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from convert_operations import INT96, NO_STATISTICS, REPEATS, STATISTICS
from results_page import CONVERT, put
from sides import comparison, side

HERE = Path(__file__).resolve().parent
OPERATIONS = HERE / "convert_operations.py"

FILES = 2_000
SOURCES = 100
ROWS = 2_000
GOAL = 0.3


def write_sources(folder: Path, *, int96: bool) -> None:
    """Write files of twelve columns, the last of them points in time."""
    folder.mkdir()
    for number in range(SOURCES):
        ids = np.arange(number * ROWS, (number + 1) * ROWS)
        columns = {f"whole_{at}": ids * at for at in range(4)}
        columns |= {f"part_{at}": ids / (at + 1) for at in range(3)}
        columns |= {f"text_{at}": [f"text {row % 97} {at}" for row in ids] for at in range(4)}
        columns["at"] = pa.array(ids * 1_000_000 + (1 << 50), pa.timestamp("us", "UTC"))
        place = folder / f"{number:03}.parquet"
        pq.write_table(pa.table(columns), place, use_deprecated_int96_timestamps=int96)
        if int96:
            _as_java_writes(place)


def _as_java_writes(place: Path) -> None:
    """Let a file say that parquet-java wrote it, as the INT96 of Spark and Hive does."""
    name = f"parquet-cpp-arrow version {pa.__version__}".encode()
    java = b"parquet-mr version 1.15.2".ljust(len(name))
    place.write_bytes(place.read_bytes().replace(name, java))


def seen(files: int, repeats: int) -> dict[str, dict[str, list[float]]]:
    """Measure both sides over the same files."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_sources(folder / "micros", int96=False)
        write_sources(folder / "int96", int96=True)
        told = (str(folder), str(files), str(repeats))
        return {name: side(name, OPERATIONS, *told) for name in ("puredelta", "delta-spark")}


def convert() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    goals = {
        name.format(files=FILES): ("delta-spark", GOAL)
        for name in (STATISTICS, NO_STATISTICS, INT96)
    }
    lines = [
        "",
        f"{CONVERT}Parquet files with 12 columns in 100 partitions (`python bench/convert.py`):",
        "",
        *comparison(goals, seen(FILES, REPEATS)),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(seen(int(sys.argv[1]), 1))
    else:
        told = convert()
        put(CONVERT, told)
        print(told)
