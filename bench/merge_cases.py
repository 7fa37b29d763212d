"""MERGE as delta-spark's own published benchmark has it: small and large parts of files and rows.

python bench/merge_cases.py           writes its part of RESULTS.md, as `run.py` does
python bench/merge_cases.py 0.02      prints what a table of a fiftieth of the rows gives, once
"""

import sys
from pathlib import Path

from merge_operations import CASES, FILES, REPEATS, ROWS
from results_page import MERGE_CASES, put
from sides import comparison, side

OPERATIONS = Path(__file__).resolve().parent / "merge_operations.py"
GOAL = 0.8


def merge_cases(scale: float = 1) -> str:
    """Measure both sides of Delta and return the results as a section of a page.

    Args:
        scale: by which the number of rows is multiplied.
    """
    rows = max(1, int(ROWS * scale) // (100 * FILES)) * 100 * FILES
    repeats = REPEATS if scale >= 1 else 1
    told = str(rows), str(repeats)
    seen = {name: side(name, OPERATIONS, *told) for name in ("puredelta", "delta-spark")}
    lines = [
        "",
        f"{MERGE_CASES}{rows:,} rows like TPC-DS' `web_returns`",
        f"in {FILES} files, as delta-spark's published benchmark does. A source is made of some of",
        "the files: a part of their rows, and a part of them under keys that the target lacks",
        "(`python bench/merge_cases.py`):",
        "",
        *comparison({case.name: ("delta-spark", GOAL) for case in CASES}, seen),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(merge_cases(float(sys.argv[1])))
    else:
        section = merge_cases()
        put(MERGE_CASES, section)
        print(section)
