"""Conversions are killed at every step, race each other, and lose files that they have listed.

A folder is plain Parquet until its table is whole: then it is a table. In between there is nothing,
and whatever was left behind, the folder converts again.
"""

import hashlib
import multiprocessing
import os
import random
import shutil
import signal
import threading
import time

import pyarrow.parquet as pq
import pytest

from puredelta.errors import ConcurrentWriteError, DeltaRuntimeError
from puredelta.log.names import commit_name
from puredelta.log.table_log import TableLog
from puredelta.storage.local import LocalStore
from puredelta.table.check import Severity, check_table
from tests.faults import converter
from tests.faults.converter import FILES, ROWS, command, make_folder
from tests.faults.test_killed_writers import messages, run
from tests.faults.writer import KillAt

RANDOM_KILLS = 12
RACES = 6
ALL = list(range(FILES * ROWS))


@pytest.fixture(scope="module")
def processes():
    """Processes that start from one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.converter"])
    return context


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "t"
    make_folder(path)
    return path


def contents(path):
    """The data files and what is in them."""
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(path.rglob("*.parquet"))
        if "_delta_log" not in file.parts
    }


def rows(path):
    """The rows of the table, read afresh, in order."""
    found = TableLog(LocalStore(str(path))).latest().files["path"].to_pylist()
    return sorted(one for name in found for one in pq.read_table(path / name)["id"].to_pylist())


def plain_rows(path):
    """The rows of the folder for those who know nothing of logs."""
    return sorted(pq.read_table(path, partitioning="hive")["id"].to_pylist())


def assert_sound(path):
    report = check_table(str(path))
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []


def assert_table_or_folder(path, files, *, is_done):
    """Look whether there is the whole table or none, and convert what is not converted."""
    assert contents(path) == files
    assert plain_rows(path) == ALL
    is_table = TableLog(LocalStore(str(path))).exists()
    assert is_table or not is_done
    done = command(path).run()
    assert done.is_delta_already == is_table
    assert rows(path) == ALL
    assert contents(path) == files
    assert_sound(path)


def test_a_conversion_that_nobody_kills(processes, folder):
    files = contents(folder)

    (done, (_, calls)) = run(processes, str(folder), None, converter.convert)

    assert done == ("done", 0)
    assert_table_or_folder(folder, files, is_done=True)
    left = sorted(one.name for one in (folder / "_delta_log").iterdir())
    assert left == [
        *(f"{0:020}.{kind}" for kind in ("checkpoint.parquet", "crc", "json")),
        "_last_checkpoint",
    ]
    # What the next test goes through, one by one.
    assert calls["os"] > 3 * FILES


def test_a_conversion_killed_at_each_call_of_the_system(processes, tmp_path):
    make_folder(tmp_path / "alive")
    (_, (_, calls)) = run(processes, str(tmp_path / "alive"), None, converter.convert)

    tables = 0
    for number in range(calls["os"]):
        path = tmp_path / str(number)
        make_folder(path)
        files = contents(path)
        told = run(processes, str(path), KillAt("os", number), converter.convert)
        tables += (path / commit_name(0)).exists()
        assert_table_or_folder(path, files, is_done=bool(told))
        shutil.rmtree(path)

    # Some were killed before their table was there, and some after that.
    assert 0 < tables < calls["os"]


def test_conversions_killed_at_random_times(processes, tmp_path):
    chance = random.Random(1)
    for number in range(RANDOM_KILLS):
        path = tmp_path / str(number)
        make_folder(path)
        files = contents(path)
        ours, theirs = processes.Pipe(duplex=False)
        process = processes.Process(target=converter.convert_slowly, args=(str(path), None, theirs))
        process.start()
        theirs.close()
        ours.recv()
        time.sleep(chance.uniform(0, 0.08))
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        told = list(messages(ours))
        assert_table_or_folder(path, files, is_done=("done", 0) in told)


def test_of_two_conversions_at_once_one_converts_and_the_other_is_told(processes, tmp_path):
    ends = []
    for number in range(RACES):
        path = tmp_path / str(number)
        make_folder(path)
        files = contents(path)
        ends += raced(processes, path)
        assert_table_or_folder(path, files, is_done=True)
        assert [one.name for one in (path / "_delta_log").glob("*.json")] == [f"{0:020}.json"]

    assert ends.count(("converted", 0)) == RACES
    others = {("told", "DELTA_CONCURRENT_WRITE"), ("already", None)}
    assert {end for end in ends if end != ("converted", 0)} <= others


def raced(processes, path):
    """Let two processes convert a folder at once, and say how each ended."""
    start = processes.Event()
    pipes = [processes.Pipe(duplex=False) for _ in range(2)]
    running = [
        processes.Process(target=converter.convert_when_told, args=(str(path), start, theirs))
        for _, theirs in pipes
    ]
    for process, (ours, theirs) in zip(running, pipes, strict=True):
        process.start()
        theirs.close()
        assert ours.recv() == "ready"
    start.set()
    ends = [ours.recv() for ours, _ in pipes]
    for process in running:
        process.join()
    return ends


def test_conversion_that_is_overtaken_while_it_writes_is_told_and_leaves_nothing(folder):
    late = command(folder)
    hurried = late.create_delta_actions

    def overtaken(table):
        yield from hurried(table)
        assert command(folder).run().version == 0

    late.create_delta_actions = overtaken

    with pytest.raises(ConcurrentWriteError, match="CONVERT") as raised:
        late.run()

    assert raised.value.condition == "DELTA_CONCURRENT_WRITE"
    assert rows(folder) == ALL
    assert list((folder / "_delta_log").glob(".*")) == []
    assert_sound(folder)


@pytest.mark.parametrize("moment", ["before footers are read", "while the commit is written"])
def test_files_that_appear_meanwhile_are_no_part_of_the_table(folder, moment):
    def appear():
        shutil.copy(folder / "p=0/0.parquet", folder / "p=0/new.parquet")

    running = command(folder)
    steps = {
        "before footers are read": "footers",
        "while the commit is written": "create_delta_actions",
    }
    original = getattr(running, steps[moment])

    def interrupted(*arguments):
        appear()
        return original(*arguments)

    setattr(running, steps[moment], interrupted)

    assert running.run().files == FILES
    assert rows(folder) == ALL
    assert (folder / "p=0/new.parquet").exists()


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_file_that_vanishes_before_its_footer_is_read_is_named(folder, policy):
    running = command(folder, on_bad_file=policy)
    original = running.footers

    def interrupted(*arguments):
        (folder / "p=1/4.parquet").unlink()
        return original(*arguments)

    running.footers = interrupted

    if policy == "fail":
        with pytest.raises(DeltaRuntimeError, match=r"p=1/4\.parquet"):
            running.run()
        assert not (folder / "_delta_log").exists()
        return
    done = running.run()
    assert [one.path for one in done.skipped] == ["p=1/4.parquet"]
    assert rows(folder) == [one for one in ALL if one // ROWS != 4]


def test_file_that_becomes_shorter_before_its_footer_is_read_is_named(folder):
    running = command(folder)
    original = running.footers

    def interrupted(*arguments):
        (folder / "p=1/4.parquet").write_bytes(b"PAR1")
        return original(*arguments)

    running.footers = interrupted

    with pytest.raises(DeltaRuntimeError, match=r"p=1/4\.parquet"):
        running.run()

    assert not (folder / "_delta_log").exists()


def test_conversion_that_is_interrupted_leaves_no_temporary_file(folder):
    running = command(folder)
    hurried = running.create_delta_actions

    def interrupted(table):
        yield next(iter(hurried(table)))
        signal.raise_signal(signal.SIGINT)

    running.create_delta_actions = interrupted

    with pytest.raises(KeyboardInterrupt):
        running.run()

    assert list((folder / "_delta_log").iterdir()) == []
    assert command(folder).run().version == 0


def test_conversions_in_threads_of_one_process_make_one_table(folder):
    ends = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        try:
            done = command(folder).run()
        except ConcurrentWriteError:
            ends.append("told")
        else:
            ends.append("already" if done.is_delta_already else "converted")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert ends.count("converted") == 1
    assert len(ends) == 4
    assert rows(folder) == ALL
