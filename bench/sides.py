"""Running one text of operations on each side, in a process of its own."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent

SIDES = ("puredelta", "delta-spark", "parquet")

_OURS = """
import runpy, sys, tempfile
import puredelta
from pyspark.sql import SparkSession
spark = (puredelta.configure if {form!r} == "delta" else (lambda b: b))(
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
sys.argv = [{path!r}, {form!r}, *{more!r}]
runpy.run_path({path!r}, init_globals={{"spark": spark}}, run_name="__main__")
"""


def side(name: str, operations: Path, *more: str) -> dict[str, list[float]]:
    """Run operations on one side; return the seconds of each repetition by operation.

    Args:
        name: one of `SIDES`; delta-spark runs through the oracle tool.
        operations: a script that finds `spark` ready, gets the format as its first argument, and
            prints RESULT and a JSON object.
        more: further arguments of the script.
    """
    form = "parquet" if name == "parquet" else "delta"
    if name == "delta-spark":
        command = [sys.executable, str(_oracle()), "exec", str(operations), form, *more]
    else:
        text = _OURS.format(form=form, path=str(operations), more=list(more))
        command = [sys.executable, "-c", text]
    result: dict[str, list[float]] = json.loads(run(command))
    return result


def run(command: list[str]) -> str:
    """Run a command and return the result it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if not lines:
        sys.exit(f"{command[:3]} gave no result:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return lines[-1].removeprefix("RESULT ")


def comparison(
    goals: Mapping[str, tuple[str, float]], seen: Mapping[str, Mapping[str, list[float]]]
) -> list[str]:
    """Write what was seen as the lines of a Markdown table: milliseconds and ratios of medians.

    Args:
        goals: what each operation is held against, and the ratio to reach.
        seen: the seconds of each repetition by operation, by side.
    """
    lines = [
        "| operation | puredelta | delta-spark | Parquet | against | ratio | goal | |",
        "|---|---:|---:|---:|---|---:|---:|---|",
    ]
    for operation, (peer, goal) in goals.items():
        times = {name: found[operation] for name, found in seen.items() if operation in found}
        ratio = statistics.median(times["puredelta"]) / statistics.median(times[peer])
        shown = [spread(times[name]) if name in times else "" for name in SIDES]
        verdict = "reached" if ratio <= goal else "missed"
        lines.append(
            f"| {operation} | {' | '.join(shown)} | {peer} | {ratio:.2f} | {goal} | {verdict} |"
        )
    return lines


def spread(seconds: list[float]) -> str:
    """Write the median of repetitions in milliseconds, with the lowest and the highest."""
    middle = f"{statistics.median(seconds) * 1000:,.0f}"
    if len(seconds) == 1:
        return middle
    return f"{middle} ({min(seconds) * 1000:,.0f} to {max(seconds) * 1000:,.0f})"


def _oracle() -> Path:
    named = os.environ.get("PUREDELTA_ORACLE")
    return Path(named) if named else HERE.parent / "tools" / "oracle.py"
