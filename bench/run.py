"""Ours, delta-spark and plain Parquet, side by side in one run, as ratios.

    python bench/run.py            writes bench/RESULTS.md

Each side runs `bench/operations.py` in a process of its own, one after the other, so that what else
the machine does hits all sides alike. delta-spark runs through the oracle tool (`tools/oracle.py`,
or the one that PUREDELTA_ORACLE names).
"""

import os
import platform
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from changes import changes
from constraints import constraints
from convert import convert
from generated import generated
from large_log import large_log
from maintenance import maintenance
from merge_cases import merge_cases
from operations import PEAK
from sides import SIDES, comparison, run, side
from streams import streams
from ways import ways

HERE = Path(__file__).resolve().parent
OPERATIONS = HERE / "operations.py"
ROUNDS = 1

# What each operation is held against, and the ratio to reach.
GOALS = {
    "append 10 rows (INSERT VALUES)": ("delta-spark", 0.25),
    "append 10 rows (DataFrame)": ("delta-spark", 0.5),
    "small read": ("delta-spark", 0.5),
    "history": ("delta-spark", 0.5),
    "detail": ("delta-spark", 0.5),
    "write into 1,000 partitions": ("delta-spark", 0.7),
    "overwrite one of 1,000 partitions": ("delta-spark", 0.5),
    "bulk write, 8,000,000 rows": ("parquet", 1.1),
    "scan with aggregate": ("parquet", 1.05),
}

START = """
import time
started = time.perf_counter()
from pyspark.sql import SparkSession
builder = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false"))
if {ours}:
    import puredelta
    builder = puredelta.configure(builder)
spark = builder.getOrCreate()
spark.range(1).collect()
print("RESULT", time.perf_counter() - started)
"""


def session_start() -> dict[str, float]:
    """Return the seconds from nothing to the first query, plain and with us (warm cache)."""
    times: dict[str, list[float]] = {"plain": [], "ours": []}
    for _ in range(4):
        for name, ours in (("plain", False), ("ours", True)):
            text = run([sys.executable, "-c", START.format(ours=ours)])
            times[name].append(float(text))
    return {name: min(seconds) for name, seconds in times.items()}


def main() -> None:
    """Run all sides and write the tables."""
    seen: dict[str, dict[str, list[float]]] = {name: {} for name in SIDES}
    for _ in range(ROUNDS):
        for name in SIDES:
            for operation, seconds in side(name, OPERATIONS).items():
                seen[name].setdefault(operation, []).extend(seconds)
    text = report(seen, session_start())
    for section in (
        constraints,
        generated,
        convert,
        changes,
        merge_cases,
        large_log,
        maintenance,
        streams,
        ways,
    ):
        text += section()
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


def report(sides: dict[str, dict[str, list[float]]], start: dict[str, float]) -> str:
    """Return the results as a page."""
    day = datetime.now(tz=timezone.utc).date().isoformat()
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, `local[2]`"
    lines = [
        "# Results",
        "",
        f"{day}, {machine}. Medians in milliseconds; the ratio is ours to the peer of the goal.",
        "Reproduce with `make bench`.",
        "",
        *comparison(GOALS, sides),
        "",
        "Peak memory of the driver, Python and JVM together, over all of these: "
        + ", ".join(f"{name} {found[PEAK][0]:,.0f} MB" for name, found in sides.items())
        + ".",
    ]
    more = start["ours"] - start["plain"]
    verdict = "reached" if more <= 0.3 else "missed"
    seconds = f"plain PySpark {start['plain']:.2f} s, with us {start['ours']:.2f} s"
    lines += ["", "Session start to the first query, warm cache, best of 4:"]
    lines += [f"{seconds}: +{more:.2f} s (goal +0.3 s, {verdict}).", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    begun = time.perf_counter()
    main()
    print(f"{time.perf_counter() - begun:.0f} s in all")
