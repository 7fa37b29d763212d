"""`puredelta vacuum` deletes what no version needs, says what it did, and needs no JVM."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from deltalake import DeltaTable, write_deltalake

from puredelta.cli.main import main
from puredelta.log import open_table
from puredelta.testing import assert_history

ROWS = pa.table({"id": [1, 2, 3]})
MONTH = 30 * 86_400


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A table of deltalake: versions 0 to 2, of which the first two need a file each."""
    folder = tmp_path / "a lake"
    for _ in range(3):
        write_deltalake(folder, ROWS, mode="overwrite")
    return folder


def age(folder: Path, seconds: float = MONTH) -> None:
    """Make all files, commits included, older than they are."""
    for path in folder.rglob("*"):
        found = path.stat()
        os.utime(path, (found.st_atime - seconds, found.st_mtime - seconds))


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["vacuum", *map(str, arguments)], input=text)


def data_files(folder: Path) -> int:
    return len(list(folder.rglob("*.parquet")))


def test_files_of_the_last_week_stay(lake):
    result = run(lake)

    assert result.exit_code == 0, result.output
    assert result.stdout == "Deleted 0 files and directories in a total of 1 directories.\n"
    assert data_files(lake) == 3


def test_short_retention_is_refused_and_can_be_forced(lake):
    refused = run(lake, "--retain-hours", 0)
    forced = run(lake, "--retain-hours", 0, "--no-retention-check")

    assert refused.exit_code == 1
    assert "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT" in refused.stderr
    assert forced.exit_code == 0, forced.output
    assert forced.stdout.startswith("Deleted 2 files")
    assert DeltaTable(lake).to_pyarrow_table().num_rows == 3
    assert_history(lake, ["VACUUM START", ("VACUUM END", {"numDeletedFiles": 2})], after=2)


def test_dry_run_says_which_versions_are_lost(lake):
    result = run(lake, "--retain-hours", 0, "--no-retention-check", "--dry-run")

    assert result.exit_code == 0, result.output
    assert "deletes: 2 files" in result.stdout
    assert "versions lost: 0 to 1 (2 of 3)" in result.stdout
    assert data_files(lake) == 3
    assert open_table(str(lake)).version == 2


def test_json_has_all_of_it(lake):
    force = ("--retain-hours", 0, "--no-retention-check", "--json")
    preview = json.loads(run(lake, *force, "--dry-run").stdout)
    done = json.loads(run(lake, *force).stdout)

    assert preview["lostVersions"] == [0, 1]
    assert len(preview["paths"]) == preview["files"] == done["files"] == 2
    assert preview["bytes"] == done["bytes"] > 0
    assert (done["kind"], done["failed"], done["visitedFolders"]) == ("FULL", 0, 1)


def test_lite_lists_nothing(lake):
    (lake / "stray").write_bytes(b"1")

    result = run(lake, "--lite", "--retain-hours", 0, "--no-retention-check")

    assert result.stdout == "Deleted 2 files and directories in a total of 1 directories.\n"
    assert (lake / "stray").exists()


@pytest.mark.parametrize(("answer", "left", "status"), [("y\n", 1, 0), ("n\n", 3, 1), ("", 3, 1)])
def test_terminal_is_asked(lake, monkeypatch, answer, left, status):
    monkeypatch.setattr("puredelta.cli.vacuum.is_terminal", lambda: True)

    result = run(lake, "--retain-hours", 0, "--no-retention-check", text=answer)

    assert result.exit_code == status, result.output
    assert "versions lost: 0 to 1" in result.stderr
    assert data_files(lake) == left


def test_yes_asks_nothing(lake, monkeypatch):
    monkeypatch.setattr("puredelta.cli.vacuum.is_terminal", lambda: True)

    result = run(lake, "--retain-hours", 0, "--no-retention-check", "--yes")

    assert result.stderr == ""
    assert data_files(lake) == 1


def test_folder_without_a_table_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"1")

    result = run(tmp_path)

    assert result.exit_code == 1
    assert "DELTA_PATH_DOES_NOT_EXIST" in result.stderr
    assert (tmp_path / "x").exists()


def test_negative_retention_is_refused(lake):
    assert run(lake, "--retain-hours", -1).exit_code == 2


def test_deltalake_reads_what_is_left_of_an_old_table(lake):
    age(lake)
    write_deltalake(lake, ROWS, mode="append")

    result = run(lake)

    assert result.exit_code == 0, result.output
    assert DeltaTable(lake).to_pyarrow_table().num_rows == 6
