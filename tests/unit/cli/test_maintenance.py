"""`puredelta restore`, `generate` and `health` on a table that another engine wrote."""

import json

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from puredelta.cli.main import main
from puredelta.log import open_table


@pytest.fixture
def path(tmp_path) -> str:
    """Write a table of three versions: three rows in two partitions, one row, then one in place."""
    folder = str(tmp_path / "a b")
    first = pa.table({"id": [1, 2, 3], "half": [1, 0, 1]})
    deltalake.write_deltalake(folder, first, partition_by=["half"])
    deltalake.write_deltalake(folder, pa.table({"id": [4], "half": [0]}), mode="append")
    deltalake.write_deltalake(folder, pa.table({"id": [5], "half": [7]}), mode="overwrite")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def ids(path: str) -> list[int]:
    return sorted(deltalake.DeltaTable(path).to_pyarrow_table()["id"].to_pylist())


def test_restore_brings_rows_back(path):
    result = run("restore", path, "--version", "1")

    assert result.exit_code == 0, result.output
    assert "version 3 restores version 1, 3 files came back and 1 left" in result.stdout
    assert ids(path) == [1, 2, 3, 4]
    [commit] = json.loads(run("history", path, "--limit", "1", "--json").stdout)
    assert (commit["operation"], commit["readVersion"]) == ("RESTORE", 2)


def test_restore_prints_json(path):
    shown = json.loads(run("restore", path, "--version", "0", "--json").stdout)

    assert (shown["version"], shown["restored"]) == (3, 0)
    assert (shown["num_restored_files"], shown["num_removed_files"]) == (2, 1)


def test_restore_to_a_time(path):
    time = open_table(path).history()[1]["timestamp"]

    result = run("restore", path, "--timestamp", time)

    assert result.exit_code == 0, result.output
    assert ids(path) == [1, 2, 3, 4]


def test_dry_run_writes_nothing(path):
    result = run("restore", path, "--version", "1", "--dry-run")

    assert result.exit_code == 0, result.output
    assert "restores: 3 files" in result.stdout
    assert open_table(path).version == 2


def test_missing_files_are_named(path, tmp_path):
    gone = open_table(path, 1).files()["path"].to_pylist()[0]
    (tmp_path / "a b" / gone).unlink()

    result = run("restore", path, "--version", "1", "--json")

    assert result.exit_code == 1
    error = json.loads(result.stderr)["error"]
    assert error["condition"] == "PUREDELTA_RESTORE_FILES_MISSING"
    assert error["parameters"]["files"] == gone
    assert run("restore", path, "--version", "1", "--dry-run").exit_code == 1
    assert open_table(path).version == 2
    assert run("restore", path, "--version", "1", "--ignore-missing-files").exit_code == 0


@pytest.mark.parametrize("arguments", [(), ("--version", "1", "--timestamp", "2024-01-01")])
def test_restore_takes_a_version_or_a_time(path, arguments):
    assert run("restore", path, *arguments).exit_code == 2


def test_a_version_that_is_not_there(path):
    result = run("restore", path, "--version", "9")

    assert result.exit_code == 1
    assert "DELTA_CANNOT_RESTORE_TABLE_VERSION" in result.stderr


def test_the_newest_version_is_no_work(path):
    result = run("restore", path, "--version", "2")

    assert result.exit_code == 0
    assert "nothing to do" in result.stdout
    assert open_table(path).version == 2


def test_generate_writes_manifests(path, tmp_path):
    result = run("generate", path, "--json")

    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["manifests"] == 1
    manifest = tmp_path / "a b" / "_symlink_format_manifest" / "half=7" / "manifest"
    assert manifest.read_text().startswith(f"file:{path}/half=7/")


def test_health_exits_with_1_where_there_is_something_to_mend(path):
    healthy = run("health", path)
    for number in range(30):
        rows = pa.table({"id": [number], "half": [7]})
        deltalake.write_deltalake(path, rows, mode="append")

    found = run("health", path, "--json")

    assert (healthy.exit_code, found.exit_code) == (0, 1)
    [finding] = json.loads(found.stdout)["findings"]
    assert finding["statement"] == f"OPTIMIZE delta.`{path}`"
    assert "small-files" in run("health", path).stdout
