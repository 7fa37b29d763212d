"""This tree beside another commit: the same small statements, in processes that take turns.

python bench/compare.py 1a2b3c4           five rounds
python bench/compare.py 1a2b3c4 9         nine rounds

Machines are faster at one time than at another, by more than a change of the code often brings. So
each round runs both trees, the one that came second in the last round first, and what counts is the
ratio within a round. The table shows the median of the rounds, and their lowest and highest.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sides import side

HERE = Path(__file__).resolve().parent
STATEMENTS = HERE / "compare_operations.py"
ROUNDS = 5

Times = dict[str, list[float]]


def times_of(tree: Path) -> Times:
    """Time the statements with the package of a tree; return the seconds of each repetition."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(tree / "src"), str(HERE)])
    try:
        return side("puredelta", STATEMENTS)
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def compare(commit: str, rounds: int) -> str:
    """Measure both trees and return the results as a Markdown table.

    Args:
        commit: the other one, as git names it.
        rounds: how often each tree runs.
    """
    now = HERE.parent
    with tempfile.TemporaryDirectory() as folder:
        then = Path(folder) / "then"
        _git("worktree", "add", "--detach", str(then), commit)
        try:
            seen: dict[Path, list[Times]] = {then: [], now: []}
            for number in range(rounds):
                for tree in (then, now) if number % 2 == 0 else (now, then):
                    seen[tree].append(times_of(tree))
        finally:
            _git("worktree", "remove", "--force", str(then))
    return "\n".join(_lines(commit, seen[then], seen[now]))


def _lines(commit: str, then: list[Times], now: list[Times]) -> list[str]:
    lines = [
        f"| statement | {commit}, ms | this tree, ms | ratio | in the rounds |",
        "|---|---:|---:|---:|---|",
    ]
    for name in now[0]:
        old, new = (
            [statistics.median(times[name]) * 1000 for times in rounds] for rounds in (then, now)
        )
        ratios = sorted(after / before for before, after in zip(old, new, strict=True))
        lines.append(
            f"| {name} | {statistics.median(old):,.0f} | {statistics.median(new):,.0f} "
            f"| {statistics.median(ratios):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} |"
        )
    return lines


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=HERE.parent, check=True, capture_output=True)


if __name__ == "__main__":
    print(compare(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS))
