"""Writers are killed at every step of their commits: no row is lost, and none is doubled.

After each kill the table holds what was acknowledged, or that and the whole of the commit that was
on its way; the next write works; and `check` finds nothing but harmless leftovers.
"""

import contextlib
import multiprocessing
import os
import random
import shutil
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.table.check import Severity, check_table
from tests.faults import writer
from tests.faults.writer import ROWS, STEPS, KillAt, append, create, rows_of, states
from tests.parts import rest

RANDOM_KILLS = 40
NEXT = {-1, -2, -3}
# What the exit code reads when the process that forks did not get to tell it.
UNTOLD = 255


@pytest.fixture(scope="module")
def processes():
    """Processes that start from one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.writer"])
    return context


def run(processes, path, kill_at, work=writer.write):
    """Let a writer write, killed at a step or not at all, and give back what it told."""
    ours, theirs = processes.Pipe(duplex=False)
    process = processes.Process(target=work, args=(path, kill_at, theirs))
    process.start()
    theirs.close()
    told = list(messages(ours))
    process.join()
    assert process.exitcode in ({0} if kill_at is None else {-signal.SIGKILL, UNTOLD})
    return told


def for_each(work, count):
    """Do something for each number, a few at a time: a process of ours waits for one of theirs."""
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(count)))


def messages(pipe):
    with pipe, contextlib.suppress(EOFError):
        while True:
            yield pipe.recv()


def rows(path):
    """The rows of the table, read afresh, in order."""
    found = TableLog(LocalStore(path)).latest().files["path"].to_pylist()
    return sorted(
        one for name in found for one in pq.read_table(f"{path}/{name}")["id"].to_pylist()
    )


def assert_sound(path):
    report = check_table(path)
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []


def assert_whole(path, done):
    """Look whether the table is at the last acknowledged commit, or at the one that was begun."""
    log = TableLog(LocalStore(path))
    if not log.exists():
        assert done == 0
        return
    found = rows(path)
    assert found in [sorted(state) for state in states()[done : done + 2]]
    assert_sound(path)
    append(log, NEXT)
    assert rows(path) == sorted([*NEXT, *found])
    assert_sound(path)


def test_a_writer_that_nobody_kills(processes, tmp_path):
    *done, (_, calls) = run(processes, str(tmp_path / "t"), None)

    assert done == [("done", number) for number in range(len(STEPS))]
    assert_whole(str(tmp_path / "t"), len(STEPS))
    # What the other tests go through, one by one.
    assert calls["before"] == calls["after"]
    assert sum(calls.values()) + RANDOM_KILLS >= 200


@pytest.mark.parametrize("kind", [rest("before"), rest("after"), "os"])
def test_a_writer_killed_at_each_step(processes, tmp_path, kind):
    (_, calls) = run(processes, str(tmp_path / "alive"), None)[-1]

    def killed_at(number):
        path = str(tmp_path / str(number))
        told = run(processes, path, KillAt(kind, number))
        assert_whole(path, len(told))

    for_each(killed_at, calls[kind])


def table_with_old_versions(path):
    """Make nine versions long ago, so that the next one has most of them cleaned up."""
    log = TableLog(LocalStore(path))
    create(log)
    for number in range(8):
        append(log, rows_of(number))
    long_ago = time.time() - 100 * 86400
    for file in Path(path, "_delta_log").iterdir():
        os.utime(file, (long_ago, long_ago))
    append(log, rows_of(8))


def test_a_writer_killed_at_each_step_of_log_cleanup(processes, tmp_path):
    table_with_old_versions(str(tmp_path / "old"))
    shutil.copytree(tmp_path / "old", tmp_path / "alive")
    (_, calls) = run(processes, str(tmp_path / "alive"), None, writer.write_once)[-1]
    assert not (tmp_path / "alive/_delta_log" / f"{1:020}.json").exists()
    before = sorted(row for number in range(9) for row in rows_of(number))

    def killed_at(number):
        path = str(tmp_path / str(number))
        # The times of the files go along.
        shutil.copytree(tmp_path / "old", path)
        run(processes, path, KillAt("before", number), writer.write_once)
        found = rows(path)
        assert found in (before, [*before, *sorted(rows_of(100))])
        assert_sound(path)
        append(TableLog(LocalStore(path)), NEXT)
        assert rows(path) == sorted([*NEXT, *found])
        assert_sound(path)

    for_each(killed_at, calls["before"])


def test_writers_killed_at_random_times(processes, tmp_path):
    """Two at a time; the seed is fixed, the timing is not."""
    chance = random.Random(1)
    for number in range(RANDOM_KILLS // 2):
        path = str(tmp_path / str(number))
        create(TableLog(LocalStore(path)))
        begun = killed_after(processes, path, [chance.uniform(0, 0.08) for _ in range(2)])

        found = Counter(rows(path))
        assert set(found.values()) <= {1}
        for one, count in enumerate(begun):
            mine = {row for row in found if row // 1_000_000 == one}
            whole = {one * 1_000_000 + row for row in range(count * ROWS)}
            last = {one * 1_000_000 + row for row in range((count - 1) * ROWS)}
            assert mine in (whole, last)
        assert_sound(path)
        append(TableLog(LocalStore(path)), NEXT)
        assert rows(path) == sorted([*NEXT, *found])


def killed_after(processes, path, delays):
    """Start writers, kill each some seconds after its first sign, and say how often each began."""
    pipes = [processes.Pipe(duplex=False) for _ in delays]
    running = [
        processes.Process(target=writer.write_for_ever, args=(path, number, theirs))
        for number, (_, theirs) in enumerate(pipes)
    ]
    for process in running:
        process.start()
    begun = []
    for process, (ours, theirs), delay in zip(running, pipes, delays, strict=True):
        theirs.close()
        ours.recv()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        begun.append(1 + len(list(messages(ours))))
    return begun
