"""RESTORE of a table of 2,000 files, forth and back.

python bench/restore.py      prints the table that `run.py` adds to RESULTS.md
"""

from pathlib import Path

from restore_operations import FILES, RESTORE
from sides import comparison, side

OPERATIONS = Path(__file__).resolve().parent / "restore_operations.py"

GOALS = {RESTORE: ("delta-spark", 0.2)}


def restore() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    seen = {name: side(name, OPERATIONS) for name in ("puredelta", "delta-spark")}
    lines = [
        "",
        f"RESTORE of {FILES:,} files that were all replaced (`python bench/restore.py`):",
        "",
        *comparison(GOALS, seen),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(restore())
