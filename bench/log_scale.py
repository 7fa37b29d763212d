"""How long the log of a large table takes, and how much memory, as a Markdown table.

    python bench/log_scale.py [FILES_IN_COMMITS] [FILES_IN_CHECKPOINT]

The tables are made with our own writer; no Spark takes part. Each table is measured in a process of
its own, so that the memory told is that of one table; it counts the interpreter and Arrow, about
100 MB. On a machine that does other things too, the time of the processors says more than that of
the clock. Where deltalake is installed, it opens the same tables.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from puredelta.log import open_table
from puredelta.log.actions import (
    Action,
    AddFile,
    CommitInfo,
    Format,
    Metadata,
    Protocol,
    encode_commit,
)
from puredelta.log.checkpoint.hint import write_last_checkpoint
from puredelta.log.files import TOMBSTONES, files_table
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_v2 import write_v2
from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.table.checkpoint_options import checkpoint_form

COMMITS = 100
HISTORY = 1000
_BATCH = 50_000

SCHEMA = json.dumps(
    {
        "type": "struct",
        "fields": [
            {"name": name, "type": kind, "nullable": True, "metadata": {}}
            for name, kind in (("id", "long"), ("name", "string"), ("x", "double"), ("p", "string"))
        ],
    }
)
METADATA = Metadata(
    id="scale",
    format=Format(),
    schema_string=SCHEMA,
    partition_columns=["p"],
    configuration={"delta.checkpointPolicy": "v2"},
    created_time=1,
)
PROTOCOL = Protocol(
    min_reader_version=3,
    min_writer_version=7,
    reader_features=["v2Checkpoint"],
    writer_features=["v2Checkpoint"],
)
PLAIN_PROTOCOL = Protocol(min_reader_version=1, min_writer_version=2)
INFO = CommitInfo(timestamp=1, operation="WRITE", operation_parameters={"mode": "Append"})


def add(number: int) -> AddFile:
    """Make one file with statistics of three columns."""
    bounds = {"id": number * 1000, "name": f"name {number:09d}", "x": number / 7}
    stats = {
        "numRecords": 1000,
        "minValues": bounds,
        "maxValues": {**bounds, "id": number * 1000 + 999},
        "nullCount": {"id": 0, "name": 3, "x": 0},
    }
    return AddFile(
        path=f"p={number % 100}/part-{number:09d}-3f1c9d52-9d0e-4a47-8c64-5d1a6c0f5c1e.parquet",
        partition_values={"p": str(number % 100)},
        size=1_000_000 + number,
        modification_time=1_700_000_000_000 + number,
        data_change=True,
        stats=json.dumps(stats, separators=(",", ":")),
    )


def make_commits(root: Path, files: int) -> None:
    """Make a table whose files lie in JSON commits, without a checkpoint."""
    store = LocalStore(str(root))
    each = files // COMMITS
    for version in range(COMMITS):
        first = [METADATA, PLAIN_PROTOCOL] if version == 0 else []
        adds = map(add, range(version * each, (version + 1) * each))
        store.put_if_absent(commit_name(version), encode_commit([INFO, *first, *adds]))


def make_checkpoint(root: Path, files: int) -> None:
    """Make a table whose files lie in a V2 checkpoint, and a commit after it."""
    store = LocalStore(str(root))
    tables = [
        files_table([add(number) for number in range(start, min(start + _BATCH, files))])
        for start in range(0, files, _BATCH)
    ]
    small: list[Action] = [PROTOCOL, METADATA]
    store.put_if_absent(commit_name(10), encode_commit([INFO]))
    form = checkpoint_form(PROTOCOL, METADATA)
    rows = pa.concat_tables(tables)
    write_last_checkpoint(store, write_v2(store, 10, small, rows, TOMBSTONES.empty_table(), form))
    store.put_if_absent(commit_name(11), encode_commit([INFO, add(files)]))


def make_history(root: Path, _files: int) -> None:
    """Make a table of many small commits."""
    store = LocalStore(str(root))
    for version in range(HISTORY):
        first = [METADATA, PLAIN_PROTOCOL] if version == 0 else []
        store.put_if_absent(commit_name(version), encode_commit([INFO, *first, add(version)]))


def steps_of_files(root: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name what is measured on a table of many files, and how."""
    log = TableLog(LocalStore(str(root)))
    yield "first snapshot: protocol, metadata", lambda: log.latest().metadata
    yield "its files", lambda: log.latest().files
    after = log.latest().version + 1
    log.store.put_if_absent(commit_name(after), encode_commit([INFO, add(10**9)]))
    yield "refresh after one commit", log.latest
    yield "files after it", lambda: log.latest().files
    snapshot = log.latest()
    form = checkpoint_form(PROTOCOL, METADATA)
    yield "V2 checkpoint", lambda: write_checkpoint(snapshot, tombstones_since=0, form=form)


def steps_of_history(root: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name what is measured on a table of many commits, and how."""
    yield f"history of {HISTORY:,} commits", lambda: open_table(str(root)).history()
    yield "the same again", lambda: open_table(str(root)).history()


def steps_of_deltalake(root: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name what is measured with deltalake, and how."""
    deltalake = importlib.import_module("deltalake")

    def files() -> object:
        return deltalake.DeltaTable(str(root)).get_add_actions()

    yield "deltalake: open", lambda: deltalake.DeltaTable(str(root))
    yield "deltalake: open, list the files", files


CASES = {
    "commits": (make_commits, steps_of_files),
    "checkpoint": (make_checkpoint, steps_of_files),
    "history": (make_history, steps_of_history),
}
TITLES = {
    "commits": "{:,} files in 100 JSON commits",
    "checkpoint": "{:,} files in a V2 checkpoint",
    "history": "small commits",
}


def measure(steps: Iterator[tuple[str, Callable[[], object]]]) -> None:
    """Do the steps one after the other, and print how long each took and the memory by then."""
    for name, step in steps:
        started, cpu = time.perf_counter(), time.process_time()
        step()
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"| {name} | {took * 1000:,.0f} ms | {cpu * 1000:,.0f} ms | {peak:,.0f} MB |",
            flush=True,
        )


def child(arguments: list[str]) -> None:
    """Run a part of this script in a process of its own."""
    subprocess.run([sys.executable, __file__, *arguments], check=True)


def main(arguments: list[str]) -> None:
    """Make each table, and measure it."""
    if arguments[:1] == ["--make"]:
        CASES[arguments[1]][0](Path(arguments[2]), int(arguments[3]))
        return
    if arguments[:1] == ["--measure"]:
        measure(CASES[arguments[1]][1](Path(arguments[2])))
        return
    if arguments[:1] == ["--deltalake"]:
        measure(steps_of_deltalake(Path(arguments[1])))
        return
    sizes = [*map(int, arguments), *(100_000, 1_000_000)[len(arguments) :], HISTORY]
    for case, files in zip(CASES, sizes, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            child(["--make", case, folder, str(files)])
            print(f"\n| {TITLES[case].format(files)} | time | of all processors | peak memory |")
            print("|---|---:|---:|---:|", flush=True)
            if importlib.util.find_spec("deltalake") and case != "history":
                child(["--deltalake", folder])
            child(["--measure", case, folder])


if __name__ == "__main__":
    main(sys.argv[1:])
