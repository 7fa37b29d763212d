"""How time and memory grow with the files of a table and the commits of its log.

python bench/scale.py             writes its part of RESULTS.md and the pictures of "Large tables"
python bench/scale.py 10000       prints what tables up to so many files give

Each table is measured in a process of its own, so that its memory is that of one table. Files are
in a V2 checkpoint with sidecars, and each has statistics of three columns. Where deltalake is
installed, it lists the same files. Plans are those of Spark, whose heap has 4 GB. The largest table
takes some minutes and six gigabytes to make.
"""

import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from log_scale import INFO, METADATA, PLAIN_PROTOCOL, SCHEMA, add, make_checkpoint
from operations import peak_memory
from pyspark.sql import SparkSession
from results_page import SCALE, put
from sides import run

import puredelta
from puredelta.log import open_table
from puredelta.log.actions import encode_commit
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.rows.filters import text_filter
from puredelta.schema.codec import schema_from_json
from puredelta.storage.local import LocalStore
from puredelta.table.checkpoint_options import checkpoint_form
from puredelta.table.skipping.pruning import prune_files
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

FILES = (10_000, 100_000, 1_000_000, 10_000_000)
COMMITS = (1_000, 10_000, 100_000)
# So many commits follow the checkpoint of a long log.
_AFTER = 5

PICTURES = Path(__file__).parents[1] / "docs/explanation/pictures"
PEAK = "peak memory, MB"

Measured = dict[str, float]
Steps = Sequence[tuple[str, Callable[[], Any]]]


def make_commits(root: Path, commits: int) -> None:
    """Make a table of many commits of one file each, with a checkpoint near the end."""
    log = root / "_delta_log"
    log.mkdir()
    for version in range(commits):
        if version == commits - _AFTER:
            opened = TableLog(LocalStore(str(root)))
            form = checkpoint_form(PLAIN_PROTOCOL, METADATA)
            write_checkpoint(opened.latest(), tombstones_since=0, form=form)
        first = [METADATA, PLAIN_PROTOCOL] if version == 0 else []
        name = Path(commit_name(version)).name
        (log / name).write_bytes(encode_commit([INFO, *first, add(version)]))


def steps_of_files(root: Path) -> Steps:
    """Name what is measured on a table of many files."""
    log = TableLog(LocalStore(str(root)))
    condition = text_filter("id = 4711500", schema_from_json(SCHEMA)).condition

    def find() -> None:
        snapshot = log.latest()
        assert prune_files(snapshot, snapshot.files, [condition]).mask.sum() == 1

    return (
        ("open", lambda: log.latest().metadata),
        ("list all files", lambda: log.latest().files),
        ("find the file of a row, first", find),
        ("find the file of a row, again", find),
        ("commit a file", lambda: commit(log, 10**9)),
        ("find the file of a row, after it", find),
    )


def steps_of_commits(root: Path) -> Steps:
    """Name what is measured on a table of many commits."""
    log = TableLog(LocalStore(str(root)))
    return (
        ("open", lambda: log.latest().metadata),
        ("the newest ten of its history", lambda: open_table(str(root)).history(10)),
        ("commit a file", lambda: commit(log, 10**9)),
        ("commit another", lambda: commit(log, 10**9 + 1)),
        ("the whole history", lambda: open_table(str(root)).history()),
    )


def steps_of_plans(root: Path, least: int) -> Steps:
    """Name what is measured of plans of queries.

    Args:
        root: The table.
        least: From so many files on, jobs over the checkpoint plan a query.
    """
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.puredelta.bigLog.minFiles", least)
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    with tempfile.TemporaryDirectory() as warm:
        spark.range(10).write.format("delta").mode("append").save(warm)
        assert spark.read.format("delta").load(warm).where("id = 7").count() == 1

    def plan(condition: str) -> None:
        frame = spark.read.format("delta").load(str(root)).where(condition)
        # What is asked for is known once the files are chosen; none of them is read.
        assert frame._jdf.rdd().getNumPartitions() > 0  # noqa: SLF001

    steps = (
        ("plan by partition", lambda: plan("p = '7'")),
        ("plan by statistics", lambda: plan("id = 4711500")),
        ("plan by statistics, again", lambda: plan("id = 8711500")),
    )
    return (*steps, (PEAK, lambda: peak_memory(spark)))


def steps_of_deltalake(root: Path) -> Steps:
    """Name what is measured with deltalake."""
    deltalake = importlib.import_module("deltalake")
    return (
        ("open", lambda: deltalake.DeltaTable(str(root))),
        ("list all files", lambda: deltalake.DeltaTable(str(root)).get_add_actions()),
    )


def commit(log: TableLog, number: int) -> None:
    """Commit a file as an append does."""
    Transaction(log, log.latest()).commit([add(number)], Operation("WRITE"))


STEPS: dict[str, dict[str, Callable[[Path], Steps]]] = {
    "files": {"puredelta": steps_of_files, "deltalake": steps_of_deltalake},
    "plans": {
        "in the driver": lambda root: steps_of_plans(root, 10**9),
        "by jobs": lambda root: steps_of_plans(root, 1),
    },
    "commits": {"puredelta": steps_of_commits},
}
"""What is measured, by case and side."""

MAKE = {"files": make_checkpoint, "plans": make_checkpoint, "commits": make_commits}


def measure(steps: Steps) -> Measured:
    """Do the steps one after the other; return the milliseconds of each, and the peak memory."""
    found: Measured = {}
    for name, step in steps:
        started = time.perf_counter()
        result = step()
        found[name] = result if name == PEAK else (time.perf_counter() - started) * 1000
    of_python = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found.setdefault(PEAK, of_python)
    return found


def in_process(*arguments: str) -> Measured:
    """Run a part of this script in a process of its own; return what it prints."""
    command = [sys.executable, __file__, *arguments]
    if arguments[0] == "--make":
        subprocess.run(command, check=True)
        return {}
    found: Measured = json.loads(run(command))
    return found


def grow(case: str, sizes: Sequence[int]) -> dict[str, dict[int, Measured]]:
    """Measure tables of some sizes; returns what was measured by side and size."""
    sides = [
        side
        for side in STEPS[case]
        if side != "deltalake" or importlib.util.find_spec("deltalake") is not None
    ]
    found: dict[str, dict[int, Measured]] = {side: {} for side in sides}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            in_process("--make", case, folder, str(size))
            # Ours commits to the table, so it comes last.
            for side in reversed(sides):
                found[side][size] = in_process("--measure", case, side, folder)
                print(case, side, size, found[side][size], file=sys.stderr, flush=True)
    return found


def table_lines(title: str, sides: Mapping[str, Mapping[int, Measured]]) -> list[str]:
    """Write what was measured as the lines of a Markdown table."""
    sizes = list(next(iter(sides.values())))
    lines = [
        f"| {title} | " + " | ".join(f"{size:,}" for size in sizes) + " |",
        "|---|" + "---:|" * len(sizes),
    ]
    for side, found in sides.items():
        for step in found[sizes[0]]:
            cells = " | ".join(f"{found[size][step]:,.0f}" for size in sizes)
            lines.append(f"| {side}: {step} | {cells} |")
    return lines


def draw(name: str, label: str, sides: Mapping[str, Mapping[int, Measured]]) -> None:
    """Draw time and memory over sizes, both logarithmic, side by side."""
    mpl = importlib.import_module("matplotlib")
    mpl.rcParams["svg.hashsalt"] = "puredelta"
    figure = importlib.import_module("matplotlib.figure").Figure(
        figsize=(7.2, 3.4), layout="constrained"
    )
    times, memory = figure.subplots(1, 2)
    for (side, found), style in zip(sides.items(), ("-", "--"), strict=False):
        sizes = list(found)
        for step in found[sizes[0]]:
            axes = memory if step == PEAK else times
            text = side if step == PEAK else f"{side}: {step}" if len(sides) > 1 else step
            numbers = [found[size][step] for size in sizes]
            axes.plot(sizes, numbers, style, marker="o", ms=3, label=text)
    for axes, title in ((times, "milliseconds"), (memory, "peak memory, MB")):
        axes.set(xscale="log", yscale="log", xlabel=label)
        axes.set_title(title, loc="left", fontsize="medium")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize="x-small", frameon=False)
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / f"scale-{name}.svg", metadata={"Date": None})


def scale(most: int | None = None) -> str:
    """Measure all sizes and return the results as a section of a page.

    Args:
        most: The largest size; where it is not given, pictures are drawn, too.
    """
    files = grow("files", [size for size in FILES if size <= (most or size)])
    plans = grow("plans", [size for size in FILES if size <= (most or size)])
    commits = grow("commits", [size for size in COMMITS if size <= (most or size)])
    if most is None:
        draw("files", "files of the table", files)
        draw("plans", "files of the table", plans)
        draw("commits", "commits of the log", commits)
    lines = [
        f"{SCALE}, in ms (`python bench/scale.py`):",
        "",
        *table_lines("files in a V2 checkpoint", files),
        "",
        *table_lines("plans of queries, memory of Python and JVM", plans),
        "",
        *table_lines("commits, the newest five after a checkpoint", commits),
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Do what the command line asks for."""
    match arguments:
        case ["--make", case, folder, size]:
            MAKE[case](Path(folder), int(size))
        case ["--measure", case, side, folder]:
            print("RESULT " + json.dumps(measure(STEPS[case][side](Path(folder)))))
        case [most]:
            print(scale(int(most)))
        case _:
            section = scale()
            put(SCALE, section)
            print(section)


if __name__ == "__main__":
    main(sys.argv[1:])
