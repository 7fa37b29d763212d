"""A VACUUM is killed at every step: the table stays readable, and VACUUM runs again."""

import multiprocessing
import shutil

import pytest

from puredelta.log import open_table
from tests.faults import vacuumer, writer
from tests.faults.test_killed_writers import assert_sound, rows, run
from tests.faults.writer import KillAt

LEFT = sorted(writer.states()[-1])


@pytest.fixture(scope="module")
def processes():
    """Processes that start from one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.vacuumer"])
    return context


@pytest.fixture
def table(processes, tmp_path):
    """A table with an overwrite in its history, and a file that no version names."""
    path = tmp_path / "t"
    run(processes, str(path), None)
    (path / "stray.parquet").write_bytes(b"1")
    (path / "empty").mkdir()
    return path


def data_files(path):
    return sorted(
        str(one.relative_to(path))
        for one in path.rglob("[!._]*.parquet")
        if "_delta_log" not in one.parts
    )


def needed(path):
    return sorted(open_table(str(path)).files()["path"].to_pylist())


def test_vacuum_that_nobody_kills(processes, table):
    before = len(data_files(table))

    (done, (_, calls)) = run(processes, str(table), None, vacuumer.vacuum)

    assert done == ("done", before - len(needed(table)))
    assert data_files(table) == needed(table)
    assert rows(str(table)) == LEFT
    # What the next test goes through, one by one.
    assert calls["os"] > 3 * before


def test_vacuum_killed_at_each_call_of_the_system(processes, table, tmp_path):
    shutil.copytree(table, tmp_path / "alive")
    (_, (_, calls)) = run(processes, str(tmp_path / "alive"), None, vacuumer.vacuum)

    halves = 0
    for number in range(calls["os"]):
        path = tmp_path / str(number)
        shutil.copytree(table, path)
        run(processes, str(path), KillAt("os", number), vacuumer.vacuum)
        halves += len(needed(path)) < len(data_files(path)) < len(data_files(table))
        assert rows(str(path)) == LEFT
        assert_sound(str(path))

        vacuumer.command(path).run()

        assert data_files(path) == needed(path)
        assert rows(str(path)) == LEFT
        assert_sound(str(path))
        shutil.rmtree(path)

    # Some were killed while they deleted.
    assert halves
