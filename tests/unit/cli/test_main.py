"""Commands read a table that another engine wrote, and fail with a condition, not a traceback."""

import json

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from puredelta.cli.main import main


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write a table of two versions: three rows in two partitions, then one row."""
    folder = str(tmp_path_factory.mktemp("table") / "a b")
    first = pa.table({"id": [1, 2, 3], "half": [1, 0, 1]})
    deltalake.write_deltalake(folder, first, partition_by=["half"])
    second = pa.table({"id": [4], "half": [0]})
    deltalake.write_deltalake(folder, second, mode="append")
    return folder


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_history_lists_the_newest_commit_first(path):
    commits = json.loads(run("history", path, "--json").stdout)

    assert [commit["version"] for commit in commits] == [1, 0]
    assert commits[0]["operation"] == "WRITE"


def test_history_stops_at_its_limit(path):
    assert len(json.loads(run("history", path, "--limit", "1", "--json").stdout)) == 1


def test_history_as_text_names_operations(path):
    result = run("history", path)

    assert result.exit_code == 0
    assert result.stdout.count("WRITE") == 2


def test_detail_tells_partitioning_and_size(path):
    detail = json.loads(run("detail", path, "--json").stdout)

    assert detail["partitionColumns"] == ["half"]
    assert detail["numFiles"] == 3


def test_detail_tells_the_schema(path):
    detail = json.loads(run("detail", path, "--json").stdout)

    assert detail["columns"] == [
        {"name": "id", "type": "bigint", "nullable": True, "partition": None, "comment": None},
        {"name": "half", "type": "bigint", "nullable": True, "partition": 1, "comment": None},
    ]
    assert [field["name"] for field in detail["schema"]["fields"]] == ["id", "half"]
    assert run("detail", path).stdout.count("bigint") == 2


def test_detail_of_an_older_version(path):
    detail = json.loads(run("detail", path, "--version", "0", "--json").stdout)

    assert detail["numFiles"] == 2


def test_files_have_rows_and_typed_partition_values(path):
    files = json.loads(run("files", path, "--json").stdout)

    rows = [(file["partition"]["half"], file["num_records"]) for file in files]
    assert sorted(rows) == [(0, 1), (0, 1), (1, 2)]


def test_files_at_the_time_of_a_commit(path):
    first = json.loads(run("history", path, "--json").stdout)[-1]

    files = run("files", path, "--timestamp", first["timestamp"], "--json")

    assert len(json.loads(files.stdout)) == 2


def test_missing_table_fails_with_its_condition(tmp_path):
    result = run("history", str(tmp_path / "gone"))

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: [DELTA_")
    assert str(tmp_path / "gone") in result.stderr


def test_missing_version_fails_as_json_when_json_was_asked_for(path):
    result = run("files", path, "--version", "9", "--json")

    error = json.loads(result.stderr)["error"]
    assert error["condition"] == "DELTA_VERSION_NOT_FOUND"
    assert error["sqlState"] == "22003"
    assert "9" in error["parameters"].values()


def test_version_of_the_package_is_told():
    from puredelta.version import __version__

    assert run("--version").stdout.strip().endswith(__version__)


@pytest.mark.parametrize("command", ["history", "detail", "files", "check"])
def test_options_of_the_store_reach_it(command):
    given = ["--option", "colour=blue", "-o", "aws_region=here"]

    told = CliRunner().invoke(main, [command, "s3://bucket/t", *given])

    assert told.exit_code in {1, 2}
    assert "DELTA_STORAGE_OPTIONS_INVALID" in told.stderr
    assert "colour" in told.stderr


def test_option_without_a_value_is_a_mistake_in_the_call():
    told = CliRunner().invoke(main, ["history", "/t", "-o", "colour"])

    assert told.exit_code == 2
    assert "NAME=VALUE" in told.stderr


def test_error_names_a_table_with_escapes(tmp_path):
    failed = run("history", str(tmp_path / "a\u202e\x1b[2Jb"))

    assert "a\\u202e\\x1b[2Jb" in failed.stderr
    assert failed.stderr.replace("\n", "").isprintable()
