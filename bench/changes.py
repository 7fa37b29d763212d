"""Changes of rows beside delta-spark: MERGE, UPDATE and DELETE on a table of 8,000,000 rows.

python bench/changes.py           writes its part of RESULTS.md, as `run.py` does with all others
python bench/changes.py 0.01      prints what a table of a hundredth of the rows gives, once
"""

import statistics
import sys
from pathlib import Path

from changes_operations import (
    CLUSTERED,
    DELETE_FEW,
    FILES,
    MERGE_MANY,
    MERGE_ONE,
    REPEATS,
    ROWS,
    SCAN,
    SPREAD,
    UNCHECKED,
    UPDATE_MARKED,
    UPDATE_ONE,
)
from operations import PEAK
from results_page import CHANGES, put
from sides import SIDES, comparison, side

OPERATIONS = Path(__file__).resolve().parent / "changes_operations.py"

# What each operation is held against, and the ratio to reach.
GOALS = {
    **{
        operation[table]: ("delta-spark", 0.5)
        for operation in (MERGE_MANY, MERGE_ONE, UPDATE_ONE)
        for table in (SPREAD, CLUSTERED)
    },
    DELETE_FEW: ("delta-spark", 0.7),
    UPDATE_MARKED: ("delta-spark", 0.5),
    SCAN: ("parquet", 1.1),
}
# Rows are a multiple of it, so that all of their parts are whole.
_ROUND = 80_000
_TURNS = f"`{MERGE_MANY[SPREAD]}` with the count of rows before its commit and without, in turns:"


def changes(scale: float = 1) -> str:
    """Measure all sides and return the results as a section of a page.

    Args:
        scale: by which the number of rows is multiplied.
    """
    rows = max(1, int(ROWS * scale) // _ROUND) * _ROUND
    repeats = REPEATS if scale >= 1 else 1
    seen = {name: side(name, OPERATIONS, name, str(rows), str(repeats)) for name in SIDES}
    ours = seen["puredelta"]
    checked, free = (statistics.median(ours[one]) for one in (MERGE_MANY[SPREAD], UNCHECKED))
    peaks = {name: seen[name][PEAK][0] for name in ("puredelta", "delta-spark")}
    verdict = "reached" if peaks["puredelta"] <= peaks["delta-spark"] else "missed"
    lines = [
        "",
        f"{CHANGES}{rows:,} rows, 12 columns, {FILES} files (`python bench/changes.py`):",
        "",
        *comparison(GOALS, seen),
        "",
        f"{_TURNS} {checked:.2f} s to {free:.2f} s, {checked / free:.2f}.",
        "",
        "Peak memory of the driver, Python and JVM together, over all of these: "
        + ", ".join(f"{name} {megabytes:,.0f} MB" for name, megabytes in peaks.items())
        + f" (goal: no more, {verdict}).",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(changes(float(sys.argv[1])))
    else:
        section = changes()
        put(CHANGES, section)
        print(section)
