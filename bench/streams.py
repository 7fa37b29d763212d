"""Streams out of and into Delta tables, ours and delta-spark's.

python bench/streams.py    prints the table that `run.py` adds to RESULTS.md
"""

from pathlib import Path

from sides import comparison, side
from streams_operations import BACKLOG, BATCH, CATCH_UP, IDLE

OPERATIONS = Path(__file__).resolve().parent / "streams_operations.py"

GOALS = {
    BATCH: ("delta-spark", 0.5),
    BACKLOG: ("delta-spark", 0.3),
    CATCH_UP: ("delta-spark", 0.5),
    IDLE: ("delta-spark", 0.3),
}


def streams() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    seen = {name: side(name, OPERATIONS) for name in ("puredelta", "delta-spark")}
    lines = [
        "",
        "Streams from a Delta table into a Delta table (`python bench/streams.py`):",
        "",
        *comparison(GOALS, seen),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(streams())
