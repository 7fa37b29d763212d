"""OPTIMIZE, ZORDER, clustering, VACUUM, RESTORE and CLONE of ours and of delta-spark.

python bench/maintenance.py    prints the tables that `run.py` adds to RESULTS.md
"""

import statistics
from pathlib import Path

from maintenance_operations import (
    CLONE,
    CLUSTER_ALL,
    CLUSTER_MORE,
    OPTIMIZE,
    RESTORE,
    REWRITTEN_BYTES,
    REWRITTEN_FILES,
    VACUUM_LARGE,
    VACUUM_SMALL,
    ZORDER,
)
from sides import comparison, side

OPERATIONS = Path(__file__).resolve().parent / "maintenance_operations.py"

GOALS = {
    OPTIMIZE: ("delta-spark", 0.5),
    ZORDER: ("delta-spark", 0.7),
    VACUUM_SMALL: ("delta-spark", 0.02),
    VACUUM_LARGE: ("delta-spark", 1.0),
    RESTORE: ("delta-spark", 0.2),
    CLONE: ("delta-spark", 0.2),
    CLUSTER_ALL: ("delta-spark", 1.0),
    CLUSTER_MORE: ("delta-spark", 1.0),
}


def maintenance() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    seen = {name: side(name, OPERATIONS) for name in ("puredelta", "delta-spark")}
    lines = [
        "",
        "Maintenance (`python bench/maintenance.py`):",
        "",
        *comparison(GOALS, seen),
        "",
        "Rewritten by the OPTIMIZE after 1 % of new rows in a clustered table: "
        + "; ".join(
            f"{name} {statistics.median(found[REWRITTEN_FILES]):,.0f} files, "
            f"{statistics.median(found[REWRITTEN_BYTES]) / 1e6:,.1f} MB"
            for name, found in seen.items()
        )
        + " (goal: no more than delta-spark).",
        "",
        "Seconds of each repetition: "
        + "; ".join(
            f"{operation}: "
            + ", ".join(
                f"{name} {' '.join(f'{value:.2f}' for value in found[operation])}"
                for name, found in seen.items()
            )
            for operation in GOALS
        )
        + ".",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(maintenance())
