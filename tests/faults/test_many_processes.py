"""Two and eight processes append and overwrite at once: a serial history, and no update lost."""

import json
import multiprocessing
import random
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.table.check import Severity, check_table
from tests.faults.writer import append, create, overwrite

OVERWRITES = 0.1
"""The share of commits that replace the whole table."""


def write(path, writer, commits, start, told):
    """Make commits of one row each; tell each version with what it did."""
    log = TableLog(LocalStore(path))
    chance = random.Random(writer)
    start.wait()
    done = []
    while len(done) < commits:
        row = writer * 1_000_000 + len(done)
        change = overwrite if chance.random() < OVERWRITES else append
        try:
            done.append((change(log, {row}).version, change.__name__, row))
        except DeltaConcurrentModificationError:
            continue
    told.send(done)


def race(path, processes, commits):
    """Let processes write at once; give back what they did, by version."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.writer"])
    start = context.Barrier(processes)
    pipes = [context.Pipe(duplex=False) for _ in range(processes)]
    running = [
        context.Process(target=write, args=(path, number, commits, start, theirs))
        for number, (_, theirs) in enumerate(pipes)
    ]
    for process in running:
        process.start()
    told = [ours.recv() for ours, _ in pipes]
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0] * processes
    return [one for done in told for one in done]


def history(path):
    """Every commit, oldest first, as its lines."""
    names = sorted((Path(path) / "_delta_log").glob("*.json"))
    assert [int(name.stem) for name in names] == list(range(len(names)))
    return [[json.loads(line) for line in name.read_text().splitlines()] for name in names]


def row_in(path, name):
    (row,) = pq.read_table(f"{path}/{name}")["id"].to_pylist()
    return row


@pytest.mark.parametrize(("processes", "commits"), [(2, 100), (8, 100)])
def test_the_history_is_serial_and_no_update_is_lost(tmp_path, processes, commits):
    path = str(tmp_path / "t")
    create(TableLog(LocalStore(path)), {"delta.checkpointInterval": "7"})

    done = race(path, processes, commits)

    log = history(path)
    assert sorted(version for version, _, _ in done) == list(range(1, 1 + processes * commits))
    assert len(log) == 1 + processes * commits
    live: set[str] = set()
    for version, change, row in sorted(done):
        removed = {line["remove"]["path"] for line in log[version] if "remove" in line}
        (added,) = (line["add"]["path"] for line in log[version] if "add" in line)
        assert row_in(path, added) == row
        # Who replaced the table had seen every file that there was.
        assert removed == (live if change == "overwrite" else set())
        live = (live - removed) | {added}
    assert Counter(change for _, change, _ in done)["overwrite"] > 0
    found = TableLog(LocalStore(path)).latest().files["path"].to_pylist()
    assert sorted(found) == sorted(live)
    # Every checkpoint and checksum that was written meanwhile tells what the commits tell.
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []
    assert len(list((tmp_path / "t/_delta_log").glob("*.checkpoint.parquet"))) > 10
