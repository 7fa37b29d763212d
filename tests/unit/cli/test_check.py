"""`puredelta check` as text, as JSON and as an exit code."""

import json
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture
def path(tmp_path):
    """A table that another engine wrote, with a checkpoint."""
    folder = str(tmp_path / "t")
    for number in range(3):
        rows = pa.table({"id": [number, 2, 3], "half": [1, 0, 1]})
        deltalake.write_deltalake(folder, rows, partition_by=["half"], mode="append")
    deltalake.DeltaTable(folder).create_checkpoint()
    # A name that looks like markup, and that deltalake would not take.
    return str((tmp_path / "t").rename(tmp_path / "[bold]t"))


def run(*arguments):
    return CliRunner().invoke(main, ["check", *arguments])


def first_file(path):
    return min(Path(path).glob("half=*/*.parquet"))


def test_a_whole_table(path):
    result = run(path)

    assert result.exit_code == 0
    assert result.stdout == "version 2 with 6 files: sound\n"


@pytest.mark.parametrize("option", [[], ["--quick"]])
def test_a_damaged_table(path, option):
    file = first_file(path)
    file.write_bytes(file.read_bytes() + b"x")

    result = run(path, *option)

    assert result.exit_code == 1
    assert "error" in result.stdout
    assert "file-size" in result.stdout
    assert "half=" in result.stdout
    assert result.stdout.endswith("errors, 0 warnings\n")


def test_findings_as_json(path):
    first_file(path).write_bytes(b"")

    result = run(path, "--json")

    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["version"], report["files"], report["sound"]) == (2, 6, False)
    (finding,) = report["findings"]
    assert finding.keys() == {"severity", "code", "file", "text"}
    assert (finding["severity"], finding["code"]) == ("error", "file-size")


def test_what_is_harmless_does_not_fail(path):
    Path(path, "half=1", "orphan.parquet").touch()

    result = run(path)

    assert result.exit_code == 0
    assert "orphan.parquet" in result.stdout
    assert result.stdout.endswith("sound\n")


def test_what_is_no_table_cannot_be_checked(tmp_path):
    result = run(str(tmp_path), "--json")

    assert result.exit_code == 2
    assert json.loads(result.stderr)["error"]["condition"] == "DELTA_PATH_DOES_NOT_EXIST"


def test_a_scheme_that_nobody_serves():
    result = run("ftp://host/t")

    assert result.exit_code == 2
    assert "DELTA_STORAGE_SCHEME_NOT_SUPPORTED" in result.stderr
