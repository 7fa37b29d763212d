"""Generated and identity columns: what they cost a bulk write, and how one day of 1,000 is found.

python bench/generated.py        writes its part of RESULTS.md, as `run.py` does with all others
"""

import statistics
from collections.abc import Mapping
from pathlib import Path

from generated_operations import (
    COMPUTED,
    COUNTED,
    DAYS,
    FILES,
    FREE,
    GIVEN,
    PLANNED,
    ROWS,
)
from results_page import GENERATED, put
from sides import comparison, side

HERE = Path(__file__).resolve().parent
OPERATIONS = HERE / "generated_operations.py"

# What each operation is held against, and the ratio to reach.
GOALS = {
    COMPUTED: ("delta-spark", 1.0),
    GIVEN: ("delta-spark", 1.0),
    COUNTED: ("delta-spark", 1.0),
    PLANNED: ("delta-spark", 0.5),
}
_MORE = 1.1


def generated() -> str:
    """Measure both sides of Delta and return the results as a section of a page."""
    seen = {name: side(name, OPERATIONS, name) for name in ("puredelta", "delta-spark")}
    turns = f"The same rows written without any rule, taking turns (goal {_MORE} when generated):"
    lines = [
        "",
        f"{GENERATED}{ROWS:,} rows (`python bench/generated.py`):",
        "",
        *comparison(GOALS, seen),
        "",
        turns,
        "",
        *(f"- {line}" for name, found in seen.items() for line in _costs(name, found)),
        "",
        f"Files read for one day of {DAYS:,}, asked by timestamp: "
        + ", ".join(f"{name} {found[FILES][0]:.0f}" for name, found in seen.items())
        + ".",
        "",
    ]
    return "\n".join(lines)


def _costs(name: str, found: Mapping[str, list[float]]) -> list[str]:
    free = statistics.median(found[FREE])
    return [
        f"{name}, {operation}: {cost:.2f} s to {free:.2f} s, {cost / free:.2f}"
        for operation in (COMPUTED, GIVEN, COUNTED)
        for cost in (statistics.median(found[operation]),)
    ]


if __name__ == "__main__":
    told = generated()
    put(GENERATED, told)
    print(told)
