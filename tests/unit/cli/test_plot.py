"""`puredelta plot`: bars in the terminal, the figures as JSON, pictures as files."""

import json

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write three partitions in three versions, each twice the one before."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    for number in range(3):
        rows = pa.table({"id": range(1000 * 2**number), "p": [f"[red]{number}"] * 1000 * 2**number})
        deltalake.write_deltalake(folder, rows, partition_by=["p"], mode="append")
    return folder


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["plot", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def bars_of(shown: str) -> list[int]:
    """Return how many blocks each line has."""
    return [line.count("█") for line in shown.splitlines() if "█" in line]


def test_versions_have_a_bar_of_rows_and_one_of_bytes(path):
    shown = run("versions", path)

    lines = [line.split() for line in shown.splitlines()]
    assert lines[0] == ["version", "rows", "bytes"]
    assert [line[:3] for line in lines[1:]] == [
        ["0", "WRITE", "1,000"],
        ["1", "WRITE", "3,000"],
        ["2", "WRITE", "7,000"],
    ]
    assert bars_of(shown) == sorted(bars_of(shown))
    assert max(map(len, shown.splitlines())) <= 80


def test_partitions_are_bars_the_largest_first(path):
    shown = run("partitions", path, "--by", "num_records", "--limit", "2")

    assert [line.split()[:2] for line in shown.splitlines()[1:3]] == [
        ["p=[red]2", "4,000"],
        ["p=[red]1", "2,000"],
    ]
    full, half = bars_of(shown)
    assert full == 2 * half
    assert "3 partitions, the largest has 2.0 times the median" in shown


def test_sizes_are_counted(path):
    shown = run("sizes", path)

    assert "3 files, " in shown
    found = json.loads(run("sizes", path, "--json"))
    assert sum(each["files"] for each in found) == 3
    assert list(found[0]) == ["low", "high", "files", "size"]


def test_json_has_the_figures(path):
    versions = json.loads(run("versions", path, "--limit", "2", "--json"))
    partitions = json.loads(
        run("partitions", path, "--version", "0", "--by", "num_files", "--json")
    )

    assert [row["num_rows"] for row in versions] == [3000, 7000]
    assert partitions == [{"partition": "p=[red]0", "num_files": 1}]


@pytest.mark.parametrize("command", ["versions", "sizes", "partitions"])
def test_picture_is_written_to_a_file(path, tmp_path, command):
    file = tmp_path / "picture.svg"

    shown = run(command, path, "--save", str(file))

    assert shown == f"wrote {file}\n"
    assert "<svg" in file.read_text(encoding="utf-8")


def test_format_that_no_picture_has_is_named(path, tmp_path):
    result = CliRunner().invoke(main, ["plot", "sizes", path, "--save", str(tmp_path / "a.zip")])

    assert result.exit_code == 2
    assert "zip" in result.stderr
    assert "svg" in result.stderr


def test_table_that_is_not_there_is_an_error_in_the_form_that_was_asked_for(tmp_path):
    result = CliRunner().invoke(main, ["plot", "sizes", str(tmp_path / "none"), "--json"])

    assert result.exit_code == 1
    assert json.loads(result.stderr)["error"]["condition"] == "DELTA_PATH_DOES_NOT_EXIST"


def test_older_versions_are_offered_where_there_are_many(tmp_path):
    folder = str(tmp_path / "t")
    for number in range(42):
        deltalake.write_deltalake(folder, pa.table({"id": [number]}), mode="append")

    lines = run("versions", folder).splitlines()

    assert len(lines) == 42
    assert lines[1].split()[0] == "2"
    assert lines[-1] == "from version 2 on; --limit 0 shows all"
    assert len(run("versions", folder, "--limit", "0").splitlines()) == 43
