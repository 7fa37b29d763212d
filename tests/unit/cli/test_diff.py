"""`puredelta diff` on a table that another engine wrote."""

import csv
import io
import json

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write a table that gets more rows, another column and a property, and loses a row."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    deltalake.write_deltalake(folder, pa.table({"id": [1, 2, 3]}))
    more = pa.table({"id": [4], "note": ["x"]})
    deltalake.write_deltalake(folder, more, mode="append", schema_mode="merge")
    deltalake.DeltaTable(folder).delete("id = 2")
    table = deltalake.DeltaTable(folder)
    table.alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})
    return folder


def run(*arguments: str):
    result = CliRunner().invoke(main, ["diff", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_summary_for_people(path):
    shown = run(path, "0", "3").splitlines()

    assert shown[0].endswith("from version 0 to version 3")
    assert [line for line in shown if ": " in line and "table" not in line] == [
        next(line for line in shown if line.startswith("  added: 2 files")),
        next(line for line in shown if line.startswith("  removed: 1 file,")),
        "  column: note: added, STRING",
        "  property: delta.logRetentionDuration: not set -> interval 9 days",
    ]


def test_latest_version_is_compared_where_only_one_is_given(path):
    assert run(path, "1") == run(path, "1", "3")


def test_files_are_listed_where_they_are_asked_for(path):
    assert "change  path" not in run(path, "0", "2")
    shown = run(path, "0", "2", "--files")

    assert [line.split()[0] for line in shown.splitlines()[-3:]] == ["added", "added", "removed"]


def test_json_has_the_summary_and_the_files(path):
    found = json.loads(run(path, "2", "1", "--json", "--files"))

    assert (found["before"], found["after"]) == (2, 1)
    assert (found["added"]["rows"], found["removed"]["rows"]) == (3, 2)
    assert [row["change"] for row in found["files"]] == ["added", "removed"]
    assert "files" not in json.loads(run(path, "2", "1", "--json"))


def test_programs_get_a_row_a_file(path):
    lines = run(path, "1", "2", "--format", "ndjson").splitlines()
    rows = list(csv.DictReader(io.StringIO(run(path, "1", "2", "--format", "csv"))))

    assert [json.loads(line)["num_records"] for line in lines] == [2, 3]
    assert [row["change"] for row in rows] == ["added", "removed"]


def test_version_that_is_not_there(path):
    result = CliRunner().invoke(main, ["diff", path, "0", "9"])

    assert result.exit_code == 1
    assert "DELTA_VERSION_NOT_FOUND" in result.stderr
