"""CHECK constraints: added by proof and by a scan, and what they cost a bulk write.

python bench/constraints.py      prints the table that `run.py` adds to RESULTS.md
"""

import statistics
from collections.abc import Mapping
from pathlib import Path

from constraints_operations import FREE, KEPT, PROVEN, ROWS, SCANNED
from sides import comparison, side

OPERATIONS = Path(__file__).resolve().parent / "constraints_operations.py"

# What each operation is held against, and the ratio to reach.
GOALS = {PROVEN: ("delta-spark", 0.1), SCANNED: ("delta-spark", 0.8), KEPT: ("delta-spark", 1.0)}
_MORE = 1.1


def constraints() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    seen = {name: side(name, OPERATIONS) for name in ("puredelta", "delta-spark")}
    lines = [
        "",
        f"Constraints on a table of {ROWS:,} rows (`python bench/constraints.py`):",
        "",
        *comparison(GOALS, seen),
        "",
        "The same bulk write with three constraints and without, taking turns: "
        + "; ".join(_cost(name, found) for name, found in seen.items())
        + f" (goal {_MORE}).",
        "",
    ]
    return "\n".join(lines)


def _cost(name: str, found: Mapping[str, list[float]]) -> str:
    kept, free = statistics.median(found[KEPT]), statistics.median(found[FREE])
    return f"{name} {kept:.2f} s to {free:.2f} s, {kept / free:.2f}"


if __name__ == "__main__":
    print(constraints())
