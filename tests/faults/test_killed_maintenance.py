"""RESTORE, SHALLOW CLONE and GENERATE are killed at every step: they happened or they did not.

After each kill the table has the rows of before or of after, the statement runs again, VACUUM
deletes what is left over, and no file of the table or of a clone's source is lost.
"""

import multiprocessing
import os
import shutil
import time
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.maintenance.manifest import MODE
from puredelta.storage.location import absolute, local_path
from tests.faults import maintainer, vacuumer
from tests.faults.maintainer import CASES, SOURCE, TABLE, snapshot_of
from tests.faults.test_killed_vacuum import data_files
from tests.faults.test_killed_writers import assert_sound, for_each, run
from tests.faults.writer import KillAt
from tests.parts import rest

MANIFEST = f"_{MODE}/manifest"


@pytest.fixture(scope="module")
def processes():
    """Processes that start from one that has loaded everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.maintainer"])
    return context


def live_files(path):
    """The files of the newest version, wherever they lie."""
    snapshot = snapshot_of(path)
    return [
        Path(local_path(absolute(snapshot.store.url, name)))
        for name in snapshot.files["path"].to_pylist()
    ]


def rows(path):
    """The rows of the table, read afresh, in order; none where there is no table."""
    if not maintainer.log_of(path).exists():
        return ()
    return tuple(
        sorted(row for file in live_files(path) for row in pq.read_table(file)["id"].to_pylist())
    )


def own_files(path):
    """The names of live files in the folder of the table."""
    return sorted(
        str(file.relative_to(path)) for file in live_files(path) if file.is_relative_to(path)
    )


def run_again(case, folder):
    """Run a statement that was killed; one that had made its clone says so."""
    if case.run is maintainer.clone and rows(folder / TABLE):
        with pytest.raises(DeltaIllegalStateError, match="DELTA_UNSUPPORTED_NON_EMPTY_CLONE"):
            case.run(folder)
    else:
        case.run(folder)


def let_time_pass(manifest):
    """Make everything beside a manifest two hours old."""
    before = time.time() - 2 * 3600
    for one in manifest.parent.iterdir():
        os.utime(one, (before, before))


def listed(path):
    """The data files that the manifest lists."""
    return (path / MANIFEST).read_text().splitlines()


@pytest.mark.parametrize("name", ["restore", "clone", rest("clone that replaces"), "generate"])
def test_statement_killed_at_each_call_of_the_system(processes, tmp_path, name):
    case, work = CASES[name], partial(maintainer.maintain, name=name)
    before, alive = tmp_path / "before", tmp_path / "alive"
    case.make(before)
    shutil.copytree(before, alive)
    (_, (_, calls)) = run(processes, alive, None, work)
    assert (rows(alive / TABLE), calls["os"] > 5) == (case.after, True)
    seen = set()

    def killed_at(number):
        folder = tmp_path / str(number)
        table = folder / TABLE
        # Paths of the source are absolute in a clone: its files stay where they are.
        shutil.copytree(before, folder)
        sources = data_files(folder / SOURCE)

        run(processes, folder, KillAt("os", number), work)

        seen.add(rows(table))
        assert rows(table) in (case.before, case.after)
        if maintainer.log_of(table).exists():
            assert_sound(str(table))
        if case.run is maintainer.generate:
            # Whole lists of files that are there, whichever of the two it is.
            assert len(listed(table)) == 2
            assert all(Path(file.removeprefix("file:")).is_file() for file in listed(table))

        run_again(case, folder)
        assert rows(table) == case.after
        if case.run is maintainer.generate:
            let_time_pass(table / MANIFEST)
            run_again(case, folder)
            assert [one.name for one in (table / MANIFEST).parent.iterdir()] == ["manifest"]
            assert sorted(listed(table)) == sorted(f"file:{file}" for file in live_files(table))

        vacuumer.command(table).run()
        assert data_files(table) == own_files(table)
        assert data_files(folder / SOURCE) == sources
        assert rows(table) == case.after
        assert_sound(str(table))
        shutil.rmtree(folder)

    for_each(killed_at, calls["os"])

    # Some were killed before the commit, and some behind it.
    assert seen == {case.before, case.after}
